#!/usr/bin/env python3
"""test_torch.py [EXBLAS-RUN]: PyTorch with exblas.torch.enable(): every kernel against sums of fractions, the fallbacks
against PyTorch itself, gradients, and a transformer on instruction sets. Skipped without PyTorch. Reports in TAP."""
import os
import subprocess
import sys
from fractions import Fraction

import tap

torch = tap.needed("torch")
import exblas
import exblas.torch
from exblas import _commands
from rounding import rounded

torch.manual_seed(1)
RUN = sys.argv[1] if len(sys.argv) > 1 else _commands.find("exblas-run")
CODES = {torch.float32: "f", torch.float64: "d", torch.float16: "e", torch.bfloat16: "bfloat16"}


def hard(*shape, dtype):
    """Numbers of very different sizes, whose sums cancel."""
    step = 4 if dtype == torch.float16 else 30
    scale = torch.tensor([2.0 ** (step * (i % 3 - 1)) for i in range(torch.Size(shape).numel())], dtype=dtype)
    return torch.randn(shape, dtype=dtype) * scale.reshape(shape)


def exact(a, b):
    """The exact product of two matrices of fractions."""
    return [[sum(Fraction(p) * Fraction(q) for p, q in zip(row, column)) for column in zip(*b.tolist())]
            for row in a.tolist()]


def same(got, want, dtype):
    flat = [rounded(v, CODES[dtype]) for row in want for v in row]
    assert got.dtype == dtype and got.flatten().tolist() == flat, (got, flat)


def products():
    for dtype in CODES:
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
        assert torch.baddbmm(c, a[None][:0], b[None][:0]).shape == (0, 5, 4)
        same(torch.addmv(c[:, 0], a, b[:, 0], alpha=2, beta=0.5), [[row[0] for row in affine]], dtype)
        same(torch.nn.functional.linear(a, b.T, c[0]),
             [[v + Fraction(w) for v, w in zip(row, c[0].tolist())] for row in want], dtype)


def linear():
    """One rounding, and so one result, whatever the layout and the batch are."""
    for dtype in CODES:
        x, w, b = hard(3, 5, 9, dtype=dtype), hard(4, 9, dtype=dtype), hard(4, dtype=dtype)
        want = [[v + Fraction(u) for v, u in zip(row, b.tolist())] for row in exact(x.flatten(0, 1), w.T)]
        same(torch.nn.functional.linear(x.transpose(0, 1), w, b).transpose(0, 1), want, dtype)
        same(torch.nn.functional.linear(x[:, :-1], w, b)[2], want[10:14], dtype)
        same(torch.nn.functional.linear(x[0, 0], w, b), want[:1], dtype)
        got = torch.nn.functional.linear(x[..., :0].transpose(0, 1), w[:, :0], b)
        assert torch.equal(got, b.expand(5, 3, 4)), got
    attend = torch.nn.MultiheadAttention(64, 4, batch_first=True)
    for weight in attend.parameters():
        torch.nn.init.normal_(weight, std=0.1)
    x = torch.randn(5, 7, 64)
    y, one = attend(x, x, x)[0], attend(x[:1], x[:1], x[:1])[0]
    assert torch.equal(y[:1], one)
    y.sum().backward()
    assert all(p.grad.any() for p in attend.parameters())


def ties():
    """A midpoint of two numbers, and one so far beside it that a float would be the midpoint."""
    for dtype, half in ((torch.float16, 2.0 ** -11), (torch.bfloat16, 2.0 ** -8)):
        for last, want in ((0, 1), (2.0 ** -24, 1 + 2 * half), (-2.0 ** -24, 1)):
            a = torch.tensor([[1, half, last and 2.0 ** -12]], dtype=dtype)
            b = torch.tensor([[1], [1], [last * 2.0 ** 12]], dtype=dtype)
            assert (a @ b).item() == want and torch.addmm(torch.zeros(1, 1, dtype=dtype), a, -b).item() == -want


def attention():
    q, k, v = (torch.randn(2, 5, 3, 8, dtype=torch.bfloat16).transpose(1, 2) for _ in range(3))
    mask = torch.tril(torch.ones(5, 5, dtype=torch.bool))
    root = 8 ** -0.25
    scores = torch.stack([(x * root) @ (y * root).T for x, y in zip(q.float().flatten(0, 1), k.float().flatten(0, 1))])
    want = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v.float().flatten(0, 1)
    for options in ({"is_causal": True}, {"attn_mask": mask}):
        leaf = q.clone().requires_grad_()
        got = torch.nn.functional.scaled_dot_product_attention(leaf, k, v, **options)
        assert torch.equal(got, want.bfloat16().view_as(q))
        assert got.stride() == q.stride()
        got.sum().backward()
        assert leaf.grad.isfinite().all() and leaf.grad.any()


def hashes(*command, **settings):
    """What the transformer prints."""
    words = [*command, sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "transformer.py")]
    words += ["--exact"] if command else []
    done = subprocess.run(words, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def transformer():
    """Over batches, threads and instruction sets one hash for each type."""
    if RUN is None:
        raise ImportError("there is no exblas-run")
    names = ("generic", "avx2", "avx512")
    ours = [line for isa in names for line in hashes(RUN, "--pin", EXBLAS_ISA=isa)]
    own = [line for isa in ("default", *names[1:]) for line in hashes(ATEN_CPU_CAPABILITY=isa)]
    for dtype in ("float16", "bfloat16"):
        found, others = ({line for line in lines if line.startswith(dtype)} for lines in (ours, own))
        print(f"# {dtype}: {len(found)} hash of logits, PyTorch's own {len(others)}")
        assert len(found) == 1, ours
    assert len(ours) == len(own) == 36


def sums():
    for dtype in (torch.float32, torch.float64):
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
    assert half.sum().item() == 9 and torch.addmm(half, half, half, alpha=0.3).dtype == torch.bfloat16
    assert torch.ones(3).sum(dtype=torch.float64).item() == 3
    for bad in (lambda: torch.ones(2, 3) @ torch.ones(2, 3), lambda: torch.ones(3).sum(4), lambda: torch.ones(()).sum(5),
                lambda: torch.dot(torch.ones(2), torch.ones(3)),
                *(lambda x=torch.ones(2, 2, dtype=dtype): torch.addmm(x, x, x, alpha=1j) for dtype in CODES),
                lambda: torch.nn.functional.linear(torch.ones(4, 3, 2).mT, torch.ones(4, 2), torch.ones(4)),
                lambda: torch.nn.functional.linear(torch.ones(4, 3, 2).mT, torch.ones(4, 3), torch.ones(2))):
        tap.refused((RuntimeError, IndexError), " ", bad, 99)


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
    z = torch.tensor([[1.0, 2.0 ** -9, -0.0], [3e38, 2.0 ** -133, 5.0]], dtype=torch.bfloat16)
    got = exblas.matmul(z[:, ::2], z.T[::2])
    assert exblas.sum(z[0]).dtype == got.dtype == "f4" and exblas.sum(z[0]) == 1 + 2.0 ** -9 and got.tolist()[0][0] == 1
    assert exblas.fsum(-z[1].neg()) == z[1].double().sum() and exblas.dot(z[0], torch.ones(3)) == 1 + 2.0 ** -9
    tap.refused(TypeError, "convert the Tensor to float32", lambda: exblas.sum(z.to(torch.float8_e5m2)))
    assert exblas.sum((torch.ones(2, 2, dtype=torch.complex64) * 1j).conj().imag) == -4
    tap.refused((RuntimeError, BufferError, TypeError), "grad", lambda: exblas.sum(x.clone().requires_grad_()), 99)


def switched_off():
    x = torch.tensor([1e16, 1.0, -1e16] * 2, dtype=torch.float64)
    assert x.sum().item() == 2
    exblas.torch.disable()
    assert x.sum().item() != 2
    exblas.torch.enable()
    assert x.sum().item() == 2


exblas.torch.enable()
exblas.torch.enable()
tap.run(products, linear, ties, attention, transformer, sums, complex_products, left_to_pytorch, gradients, exchanged, switched_off)
