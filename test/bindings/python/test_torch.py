#!/usr/bin/env python3
"""PyTorch with exblas.torch.enable(): every kernel against sums of fractions, the fallbacks against PyTorch itself, and
gradients. Skipped without PyTorch. Reports in TAP."""
import sys
from fractions import Fraction

try:
    import torch
except ImportError:
    print("1..0 # SKIP there is no PyTorch")
    sys.exit(0)
import exblas
import exblas.torch
import tap

torch.manual_seed(1)
REAL = (torch.float32, torch.float64)


def hard(*shape, dtype):
    """Numbers of very different sizes, whose sums cancel."""
    scale = torch.tensor([2.0 ** (30 * (i % 3 - 1)) for i in range(torch.Size(shape).numel())], dtype=dtype)
    return torch.randn(shape, dtype=dtype) * scale.reshape(shape)


def rounded(x, dtype):
    """The fraction as a number of the type: float() rounds once, to double; a float is found between its neighbours."""
    if dtype == torch.float64:
        return float(x)
    guess = torch.tensor(float(x), dtype=torch.float32)
    steps = [torch.nextafter(guess, torch.tensor(s * float("inf"))) for s in (-1.0, 1.0)]
    def order(v):
        return abs(Fraction(v.item()) - x), v.view(torch.int32).item() & 1
    return min([guess, *steps], key=order).item()


def exact(a, b):
    """The exact product of two matrices of fractions."""
    return [[sum(Fraction(p) * Fraction(q) for p, q in zip(row, column)) for column in zip(*b.tolist())]
            for row in a.tolist()]


def same(got, want, dtype):
    flat = [rounded(v, dtype) for row in want for v in row]
    assert got.dtype == dtype and got.flatten().tolist() == flat, (got, flat)


def products():
    for dtype in REAL:
        a, b, c = hard(5, 9, dtype=dtype), hard(9, 4, dtype=dtype), hard(5, 4, dtype=dtype)
        want = exact(a, b)
        same(a @ b, want, dtype)
        same(torch.mm(b.T, a.T), list(zip(*want)), dtype)
        same(torch.bmm(a[None], b[None]), want, dtype)
        same(torch.einsum("ij,jk->ik", a, b), want, dtype)
        same(a @ b[:, 0], [[row[0] for row in want]], dtype)
        same(torch.dot(a[0], b[:, 0])[None], [[want[0][0]]], dtype)
        affine = [[2 * v + Fraction(w) / 2 for v, w in zip(*rows)] for rows in zip(want, c.tolist())]
        same(torch.addmm(c, a, b, alpha=2, beta=0.5), affine, dtype)
        same(torch.baddbmm(c[None], a[None], b[None], alpha=2, beta=0.5), affine, dtype)
        same(torch.addmv(c[:, 0], a, b[:, 0], alpha=2, beta=0.5), [[row[0] for row in affine]], dtype)
        same(torch.nn.functional.linear(a, b.T, c[0]),
             [[v + Fraction(w) for v, w in zip(row, c[0].tolist())] for row in want], dtype)


def sums():
    for dtype in REAL:
        x = hard(6, 7, dtype=dtype)
        rows = [sum(map(Fraction, row)) for row in x.tolist()]
        same(x.sum(1), [rows], dtype)
        same(x.sum()[None], [[sum(rows)]], dtype)
        same(x.mean(1, keepdim=True), [[v / 7 for v in rows]], dtype)
        assert x.sum((0, 1), keepdim=True).shape == (1, 1) and torch.empty(0, 3, dtype=dtype).sum(0).tolist() == [0, 0, 0]


def complex_products():
    a, b = torch.randn(4, 5, dtype=torch.complex128), torch.randn(5, 3, dtype=torch.complex128)
    want = exblas.matmul(a.numpy(), b.numpy())
    assert ((a @ b).numpy() == want).all() and ((b.mH @ a.mH).numpy() == want.conj().T).all()
    assert torch.vdot(a[0], a[0]).item() == complex(exblas.vdot(a[0].numpy(), a[0].numpy()))


def left_to_pytorch():
    a = torch.arange(6).reshape(2, 3)
    assert (a @ a.T).tolist() == [[5, 14], [14, 50]] and a.sum().item() == 15
    half = torch.ones(3, 3, dtype=torch.bfloat16)
    assert (half @ half).tolist() == [[3.0] * 3] * 3 and half.sum().item() == 9
    assert torch.ones(3).sum(dtype=torch.float64).item() == 3
    for bad in (lambda: torch.ones(2, 3) @ torch.ones(2, 3), lambda: torch.ones(3).sum(4),
                lambda: torch.dot(torch.ones(2), torch.ones(3))):
        try:
            bad()
        except (RuntimeError, IndexError) as error:
            assert str(error)
        else:
            raise AssertionError("no error")


def gradients():
    a = hard(3, 4, dtype=torch.float64).requires_grad_()
    b = hard(4, 2, dtype=torch.float64)
    (a @ b).sum().backward()
    same(a.grad, [[sum(map(Fraction, row)) for row in b.tolist()]] * 3, torch.float64)


def exchanged():
    x = torch.tensor([1e16, 1.0, -1e16], dtype=torch.float64)
    assert exblas.sum(x) == 1 and exblas.dot(x, torch.ones(3, dtype=torch.float64)) == 1
    y = torch.from_dlpack(exblas.cumsum(x))
    assert y.tolist() == [1e16, 1e16, 1.0]
    try:
        exblas.sum(x.clone().requires_grad_())
    except (RuntimeError, BufferError, TypeError) as error:
        assert "grad" in str(error)
    else:
        raise AssertionError("a tensor with a gradient was taken")


def switched_off():
    x = torch.tensor([1e16, 1.0, -1e16] * 2, dtype=torch.float64)
    assert x.sum().item() == 2
    exblas.torch.disable()
    assert x.sum().item() != 2
    exblas.torch.enable()
    assert x.sum().item() == 2


exblas.torch.enable()
exblas.torch.enable()
tap.run(products, sums, complex_products, left_to_pytorch, gradients, exchanged, switched_off)
