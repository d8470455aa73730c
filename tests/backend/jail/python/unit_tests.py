import unittest
import warnings


class TestShelf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = [3, 1, 2]
        print("for all")

    @classmethod
    def tearDownClass(cls):
        print("after all")

    def setUp(self):
        self.items = list(self.shared)
        self.addCleanup(print, "tidied")

    def tearDown(self):
        print("after", self.id().rpartition(".")[2])

    def test_equal(self):
        self.assertEqual(sorted(self.items), [1, 2, 3])
        self.assertCountEqual(self.items, [1, 2, 3])
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        self.assertDictEqual({"a": 1}, {"a": 1})

    def test_errors(self):
        with self.assertRaises(ZeroDivisionError) as caught:
            1 // 0
        print(caught.exception)
        self.assertRaisesRegex(ValueError, "invalid literal", int, "x")
        with self.assertWarnsRegex(UserWarning, "care"):
            warnings.warn("take care")
        self.assertWarns(DeprecationWarning, warnings.warn, "old", DeprecationWarning)

    def test_messages(self):
        for check in (
            lambda: self.assertEqual([1, 2], [1, 3]),
            lambda: self.assertEqual("a\nb", "a\nc"),
            lambda: self.assertEqual({"a": 1}, {"a": 2}, "with a word"),
            lambda: self.assertIn(1, [2]),
            lambda: self.assertIsNone(3),
            lambda: self.assertGreater(1, 2),
            lambda: self.assertAlmostEqual(1, 2, places=3),
            lambda: self.assertRaises(ValueError, int, 3),
            lambda: self.fail("on purpose"),
        ):
            with self.assertRaises(AssertionError) as caught:
                check()
            print(caught.exception)

    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    @unittest.skip("not yet")
    def test_skipped(self):
        print("never")

    @unittest.skipIf(True, "no reason")
    def test_skipped_if(self):
        print("never")

    @unittest.expectedFailure
    def test_expected(self):
        self.assertTrue([])

    def helper(self):
        print("never")


result = unittest.TextTestRunner(verbosity=0).run(unittest.TestLoader().loadTestsFromTestCase(TestShelf))
print(result.testsRun, result.wasSuccessful(), len(result.failures), len(result.errors), len(result.skipped))
print(result)
suite = unittest.TestSuite()
suite.addTest(TestShelf("test_equal"))
suite.addTests([TestShelf("test_skipped")])
print(suite.countTestCases(), unittest.TextTestRunner(verbosity=0).run(suite).wasSuccessful())


def passed_through(value):
    here = value + 1
    return locals()


print(passed_through(1), sorted(name for name in globals() if name.startswith("p")))
globals()["made"] = 5
print(made, "made" in globals(), type(globals()))
del TestShelf.test_parts
if __name__ == "__main__":
    unittest.main(verbosity=0)
