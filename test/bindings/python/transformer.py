"""A small transformer with random weights: for bfloat16 and float16, 1 and 2 threads, and the first 1, 3 and 32 of 32
sequences, a line with a hash of the first one's logits. usage: transformer.py [--exact]"""
import hashlib
import sys

import torch
from torch.nn import functional

if "--exact" in sys.argv:
    import exblas.torch
    exblas.torch.enable()

N_TOKENS, LENGTH, WIDTH, N_HEADS, N_LAYERS = 100, 24, 96, 4, 2
torch.manual_seed(46)


def weights(*shape):
    """Integers over a power of two, as PyTorch's normal numbers depend on the processor."""
    return torch.randint(-127, 128, shape) / 1024


WEIGHTS = {"embedding": weights(N_TOKENS, WIDTH)} | {
    f"{name} {layer}": weights(*shape) for layer in range(N_LAYERS) for name, shape in {
        "attention": (3 * WIDTH, WIDTH), "bias": (3 * WIDTH,), "projection": (WIDTH, WIDTH),
        "up": (4 * WIDTH, WIDTH), "down": (WIDTH, 4 * WIDTH)}.items()}


def normal(x):
    return functional.layer_norm(x, (WIDTH,))


def logits(tokens, w):
    x = w["embedding"][tokens]
    for layer in range(N_LAYERS):
        heads = functional.linear(normal(x), w[f"attention {layer}"], w[f"bias {layer}"])
        q, k, v = heads.unflatten(-1, (3, N_HEADS, -1)).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + functional.linear(y.transpose(1, 2).flatten(2), w[f"projection {layer}"])
        y = functional.gelu(functional.linear(normal(x), w[f"up {layer}"]))
        x = x + functional.linear(y, w[f"down {layer}"])
    return normal(x) @ w["embedding"].T


sequences = torch.randint(N_TOKENS, (32, LENGTH))
for dtype in (torch.bfloat16, torch.float16):
    w = {name: x.to(dtype) for name, x in WEIGHTS.items()}
    for n_threads in (1, 2):
        torch.set_num_threads(n_threads)
        if "--exact" in sys.argv:
            exblas.set_num_threads(n_threads)
        for batch in (1, 3, 32):
            with torch.no_grad():
                first = logits(sequences[:batch], w)[0]
            assert first.isfinite().all() and first.unique().numel() > N_TOKENS
            print(str(dtype)[6:], hashlib.sha256(first.float().numpy().tobytes()).hexdigest()[:16])
