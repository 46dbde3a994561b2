"""Trees of additions, what they look like, and orders in words."""
import re


class Tree:
    """Leaves are the nodes 0 ... n_leaves - 1; children come before their parents and the root last. Children are
    listed in order of their smallest leaf."""

    def __init__(self, text):
        tokens = re.findall(r"\d+\*?|\(|\)~?", text)
        self.n_leaves = sum(token[0].isdigit() for token in tokens)
        self.children = [[] for _ in range(self.n_leaves)]
        self.parent = [-1] * self.n_leaves
        self.least = list(range(self.n_leaves))
        self.size = [1] * self.n_leaves
        self.fused = [int(token[:-1]) for token in tokens if token[-1] == "*"]  # leaves; the products that are
        self.wide = set()  # additions whose result is kept wide
        open_ones = [[]]
        for token in tokens:
            if token == "(":
                open_ones.append([])
            elif token[0] == ")":
                open_ones[-2].append(self.add(open_ones.pop(), token))
            else:
                open_ones[-1].append(int(token.rstrip("*")))
        self.fused.sort()
        self.is_fused = len(self.parent) < 2 * self.n_leaves - 1  # additions of more than two

    def add(self, children, token):
        node = len(self.parent)
        self.children.append(children)
        self.parent.append(-1)
        self.least.append(self.least[children[0]])
        self.size.append(sum(self.size[c] for c in children))
        for c in children:
            self.parent[c] = node
        if token[-1] == "~":
            self.wide.add(node)
        return node

    def additions(self):
        return range(self.n_leaves, len(self.parent))

    def leaves(self, node):
        todo = [node]
        while todo:
            node = todo.pop()
            if node < self.n_leaves:
                yield node
            todo += self.children[node]

    def commons(self, i):
        """For each leaf how many are below the lowest addition that has both it and leaf i below it."""
        sizes, node = [1] * self.n_leaves, i
        while (up := self.parent[node]) >= 0:
            for child in self.children[up]:
                for leaf in self.leaves(child) if child != node else ():
                    sizes[leaf] = self.size[up]
            node = up
        return sizes

    def draw(self):
        """A line for each node, below it its children, the last one with a corner."""
        lines = []

        def draw(node, before, bars):
            mark = "*" if node in self.fused else "~" if node in self.wide else ""
            lines.append(before + (str(node) if node < self.n_leaves else "+") + mark)
            for c in self.children[node]:
                is_last = c == self.children[node][-1]
                draw(c, bars + ("`- " if is_last else "|- "), bars + ("   " if is_last else "|  "))
        draw(len(self.parent) - 1, "", "")
        return lines


class Peel:
    """A tree of additions of two is peeled from the leaves: a level is the set of the longest chains of additions of
    single units, first of terms, then of the chains of the level before."""

    def __init__(self, tree):
        n = len(tree.parent)
        self.tree, self.root = tree, n - 1
        self.unit = [i < tree.n_leaves for i in range(n)]  # done before
        self.chain = [False] * n
        self.n_tail = 0  # terms that were added above the root

    def inner(self, node):
        return [c for c in self.tree.children[node] if not self.unit[c]]

    def labels(self, node):
        """Of the units of the chain that ends in this node, from the top down: their smallest leaves."""
        found = []
        while inner := self.inner(node):
            found += [self.tree.least[c] for c in self.tree.children[node] if self.unit[c]]
            node = inner[0]
        low, high = (self.tree.least[c] for c in self.tree.children[node])
        return found + ([high, low] if not found or found[-1] > high else [low, high])

    def level(self):
        """How many chains there are, how long the shortest and the longest is, and from each label to the next; None if
        they are not alike, or units are left over."""
        t, nodes = self.tree, range(self.tree.n_leaves, self.root + 1)
        for i in nodes:
            inner = self.inner(i)
            self.chain[i] = not self.unit[i] and (not inner or (len(inner) == 1 and self.chain[inner[0]]))
        for i in range(self.root):  # nodes beyond the root are above it or tails
            if self.unit[i] and t.parent[i] <= self.root and not self.unit[t.parent[i]] and not self.chain[t.parent[i]]:
                return None
        chains = [self.labels(i) for i in nodes if self.chain[i] and (i == self.root or not self.chain[t.parent[i]])]
        steps = {x - y for labels in chains for x, y in zip(labels, labels[1:])}
        lengths = [len(labels) for labels in chains]
        if len(steps) != 1 or max(lengths) > 2 * min(lengths):
            return None
        return len(chains), min(lengths), max(lengths), steps.pop()

    def strip_tail(self):
        """The last addition takes in a term, or a chain of them, beside something larger."""
        t = self.tree
        x, y = t.children[self.root]
        if not (y < t.n_leaves or self.chain[y]) or x < t.n_leaves or 3 * t.size[y] >= t.size[x]:
            return False
        self.n_tail += t.size[y]
        self.root = x  # y and the additions below it have larger numbers
        return True

    def words(self):
        """None if the order has no pattern of levels."""
        text, is_first, pairwise = "", True, False
        while not self.unit[self.root]:
            level = self.level()
            while is_first and not level and self.strip_tail():
                level = self.level()
            if not level or (not is_first and level[1] < level[2]):
                return None
            if is_first:
                text += first_words(*level)
                pairwise = level[2:] == (2, 1)
            else:
                pairs = level[2] == 2
                text += next_words(*level) if not pairs else "" if pairwise else ", then pairwise"
                pairwise = pairs
            is_first = False
            for i in range(self.tree.n_leaves, self.root + 1):
                self.unit[i] |= self.chain[i]
        if self.n_tail:
            text += f", then the other {self.n_tail} term{'s' * (self.n_tail > 1)}"
        return text


def first_words(count, shortest, longest, step):
    terms = longest if shortest == longest else f"{shortest} to {longest}"
    direction = {1: "from first to last", -1: "from last to first"}.get(step)
    if count > 1 and longest > 2 and direction:
        return f"{count} blocks × {terms} terms, each {direction}"
    if count > 1 and (longest > 2 or step != 1):
        return f"{count} lanes × {terms} terms (stride {step})"
    if count > 1:
        return f"{count} pairs, then pairwise"
    return f"{terms} terms one after another" + (f", {direction}" if direction else f" (stride {step})")


def next_words(count, _, longest, step):
    if count > 1:
        return f", then {count} groups of {longest} in order (stride {step})"
    return f", then these {longest} one after another"


def fused_words(t):
    n, width, running = len(t.additions()), 0, True
    for i in t.additions():
        n_leaves = sum(c < t.n_leaves for c in t.children[i])
        width = max(width, n_leaves)
        running &= len(t.children[i]) - n_leaves <= 1
    how = "" if n == 1 else " and the running sum" if running else ", in a tree"
    return f"{n} fused addition{'s' * (n > 1)} of up to {width} terms{how}"


def shapeless_words(t):
    height = [0] * len(t.parent)
    for i in t.additions():
        height[i] = 1 + max(height[c] for c in t.children[i])
    return f"no simple pattern: {len(t.additions())} additions, at most {height[-1]} deep"


def is_halves(t, blocks):
    """Are halves added recursively; or, as NumPy does, blocks of up to 128 with eight accumulators?"""
    def sum_of(x, y):
        """The addition of these two, -1 if there is none. All additions are of two."""
        return t.parent[x] if x >= 0 and y >= 0 and t.parent[x] == t.parent[y] else -1

    def block(begin, n):
        r, done = [begin], 1
        if n >= 8:
            r, done = list(range(begin, begin + 8)), n - n % 8
            for i in range(8, done):
                r[i % 8] = sum_of(r[i % 8], begin + i)
            while len(r) > 1:
                r = [sum_of(x, y) for x, y in zip(r[::2], r[1::2])]
        for i in range(done, n):
            r = [sum_of(r[0], begin + i)]
        return r[0]

    def halves(begin, n):
        if n == 1 or (blocks and n <= 128):
            return block(begin, n)
        half = n // 2 - (n // 2 % 8 if blocks else 0)
        return sum_of(halves(begin, half), halves(begin + half, n - half))
    return halves(0, t.n_leaves) == len(t.parent) - 1


def describe(t):
    """An order in words: "16 lanes × 4 terms (stride 16), then pairwise"."""
    if t.n_leaves == 1:
        return "one term"
    if t.is_fused:
        return fused_words(t)
    like_numpy = t.n_leaves > 8 and is_halves(t, True)
    if t.n_leaves > 3 and is_halves(t, False):
        words = "pairwise: halves of halves"
    else:
        words = Peel(t).words() or (None if is_halves(t, True) else shapeless_words(t))
    return ": ".join(filter(None, (words, "NumPy's pairwise sum" if like_numpy else None)))
