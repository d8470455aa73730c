"""Tests of a layer as a repository keeps them beside it."""
import unittest

import torch
from torch import nn
from torch.testing import assert_close


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.full((width,), 0.5))

    def forward(self, x):
        return x * torch.sigmoid(self.scale * x)


class TestGate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(3)
        cls.x = torch.randn(4, 3, dtype=torch.float64)

    def setUp(self):
        self.layer = Gate(3).double()

    def test_shape(self):
        self.assertEqual(self.layer(self.x).shape, self.x.shape)
        self.assertEqual(list(dict(self.layer.named_parameters())), ["scale"])

    def test_close_to_silu(self):
        with torch.no_grad():
            self.layer.scale.fill_(1.0)
        assert_close(self.layer(self.x), nn.functional.silu(self.x))

    def test_gradients(self):
        for rows in (1, 2, 4):
            with self.subTest(rows=rows):
                x = self.x[:rows].clone().requires_grad_()
                self.assertTrue(torch.autograd.gradcheck(self.layer, (x,)))

    def test_refusals(self):
        with self.assertRaisesRegex(RuntimeError, "must match the size"):
            self.layer(torch.ones(2, 4, dtype=torch.float64))
        with self.assertRaises(AssertionError):
            assert_close(torch.ones(2), torch.ones(2) + 0.1)

    @unittest.skipUnless(torch.cuda.is_available(), "no card")
    def test_on_card(self):
        self.layer.cuda()

    def tearDown(self):
        print(self.id().split(".")[-1], self.layer.training)


if __name__ == "__main__":
    done = unittest.main(argv=["tests"], exit=False, verbosity=2)
    print(done.result.testsRun, done.result.wasSuccessful(), len(done.result.skipped))
    layer, x = Gate(3), torch.ones(2, 3)
    layer(x).sum().backward()
    print(layer.scale.grad)
