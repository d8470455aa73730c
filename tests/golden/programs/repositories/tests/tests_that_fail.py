"""What comes of tests that fail, and what `unittest` says of the values."""
import unittest

import torch


class TestValues(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(torch.tensor([1.0, 2.0]).sum().item(), 4.0)

    def test_error(self):
        torch.ones(2).view(3)

    def test_ambiguous(self):
        self.assertTrue(torch.ones(2) == torch.ones(2))

    @unittest.expectedFailure
    def test_expected(self):
        self.assertGreater(1, 2)


suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestValues)
result = unittest.TextTestRunner(verbosity=0).run(suite)
print(result.testsRun, [str(test) for test, _ in result.failures], len(result.errors), len(result.expectedFailures))
case = TestValues()
for left, right in (([1, 2], [1, 3]), ((1,), (1, 2)), ({"a": 1}, {"a": 2}), (torch.Size([2]), torch.Size([3]))):
    try:
        case.assertEqual(left, right)
    except AssertionError as error:
        print(error)
try:
    case.assertAlmostEqual(torch.tensor(0.1).item(), 0.1, places=12)
except AssertionError as error:
    print(error)
