"""Orders of the built-in models, made again: nested lists, in the tool's canonical form."""


def least(tree):
    return tree if isinstance(tree, int) else least(tree[0])


def node(*children):
    return sorted(children, key=least)


def chain(leaves):
    tree = leaves[0]
    for leaf in leaves[1:]:
        tree = node(tree, leaf)
    return tree


def sequential(n):
    return chain(list(range(n)))


def reversed_(n):
    return chain(list(range(n))[::-1])


def strided(k):
    return lambda n: chain([chain(list(range(i, n, k))) for i in range(min(k, n))])


def halves(n, begin=0):
    if n == 1:
        return begin
    return node(halves(n // 2, begin), halves(n - n // 2, begin + n // 2))


def numpy(n, begin=0):
    if n < 8:
        return chain(list(range(begin, begin + n)))
    if n > 128:
        half = n // 2 - n // 2 % 8
        return node(numpy(half, begin), numpy(n - half, begin + half))
    end = begin + n - n % 8
    r = [chain(list(range(begin + i, end, 8))) for i in range(8)]
    r = node(node(node(r[0], r[1]), node(r[2], r[3])), node(node(r[4], r[5]), node(r[6], r[7])))
    return chain([r] + list(range(end, begin + n)))


def fused(width):
    def tree(n):
        result = None
        for i in range(0, n, width):
            terms = list(range(i, min(i + width, n)))
            children = terms if result is None else [result] + terms
            result = children[0] if len(children) == 1 else node(*children)
        return result
    return tree


def random(seed):
    """By the generator of the models: splitmix64."""
    def tree(n):
        state = seed

        def below(m):
            nonlocal state
            mask = (1 << 64) - 1
            state = (state + 0x9E3779B97F4A7C15) & mask
            z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
            return (z ^ z >> 31) % m
        v = list(range(n))
        for m in range(n, 1, -1):
            i, j = below(m), below(m - 1)
            j += j >= i
            v[i] = node(v[i], v[j])
            v[j] = v[m - 1]
        return v[0]
    return tree


def text(tree, fused_leaves=()):
    if isinstance(tree, int):
        return f"{tree}*" if tree in fused_leaves else str(tree)
    return "(" + ",".join(text(t, fused_leaves) for t in tree) + ")"


def fnv(s):
    h = 0xCBF29CE484222325
    for c in s.encode():
        h = (h ^ c) * 0x100000001B3 & (1 << 64) - 1
    return f"{h:016x}"
