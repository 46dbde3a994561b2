"""What was found, for people and programs."""
import json

import order
from session import TYPES

MOST_DRAWN = 64  # leaves of a tree that is drawn among the words
UNCUT, UNKNOWN = 1000, -1  # extra bits of a fused addition that cuts nothing, that no model fits
FMA_NONE, FMA_ALL, FMA_SOME, FMA_NA = range(4)


class Order:
    """One order, and which results have it."""

    def __init__(self, q, answer, found):
        self.__dict__.update(found)
        self.q, self.answer = q, answer
        self.text = found["tree"]
        self.tree = order.Tree(self.text) if self.text else None
        self.words = order.describe(self.tree) if self.text else ""
        self.row, self.column = (self.element % q.m, self.element // q.m) if q.routine == "gemm" else (self.element, 0)
        self.is_good = self.kind != "inconsistent" and (self.kind == "compensated" or self.mismatches == 0)

    def what_decides(self):
        return self.kind, self.text and self.hash, self.fma, self.extra_bits, self.nearest

    def lines(self):
        q, answer, tree = self.q, self.answer, self.tree
        place = {"gemv": f", element {self.row}", "gemm": f", element {self.row},{self.column}"}.get(q.routine, "")
        others = f" and {self.alike - 1} others of {answer.elements}" if q.all else ""
        symbol = f", {answer.symbol}" if answer.symbol else ""
        yield f"{answer.target}{symbol}: {q.routine} of {TYPES[q.type]}, {answer.terms} terms{place}{others}"
        if self.kind == "exact":
            yield f"  exact: the order does not matter; certified over {self.exact_bits} bits of exponent"
        else:
            yield f"  {self.kind}" + (f": {self.note}" if self.note else "")
        if tree:
            yield f"  order: {self.words}"
        if self.kind == "compensated" and self.exact_bits:
            yield f"  exact over {self.exact_bits} bits of exponent"
        if self.fma != FMA_NA:
            fused = ("rounded, then added", "fused into the additions", "fused into some of the additions")
            yield f"  products: {fused[self.fma]}"
        if self.wide:
            sums = f"{self.wide} of {len(tree.additions())} partial sums"
            yield f"  {sums} are kept in more than {TYPES[answer.result_type]} precision"
        how = "rounded" if self.nearest else "cut"
        if self.extra_bits == UNCUT:
            yield f"  fused additions: exact, {how}"
        elif self.extra_bits != UNKNOWN:
            yield f"  fused additions: terms cut {self.extra_bits} bits below the precision, sum {how}"
        replay = f"; replayed on {self.runs} random inputs, {self.mismatches} differ" if self.runs else ""
        yield f"  {self.calls} calls{replay}" + (f"; hash {self.hash}" if tree else "")
        if tree and 1 < tree.n_leaves <= MOST_DRAWN:
            yield from tree.draw()

    def json(self):
        """Trees may be deeper than recursion is: their brackets are those of the text."""
        q, tree = self.q, self.text.translate(str.maketrans("()", "[]", "*~"))
        adder = {"adder": {"extra_bits": self.extra_bits, "rounding": "nearest" if self.nearest else "zero"}}
        before = {"exblas_fprev": 1, "target": self.answer.target, "symbol": self.answer.symbol, "routine": q.routine,
                  "type": q.type, "m": q.m if q.routine in ("gemv", "gemm") else 1, "n": q.n,
                  "k": q.k if q.routine == "gemm" else 1, "terms": self.answer.terms,
                  "element": [self.row, self.column], "elements_alike": self.alike, "class": self.kind,
                  "exact_bits": self.exact_bits,
                  "fma": (False, True, "some", None)[self.fma], "wide": self.wide,
                  **(adder if self.extra_bits != UNKNOWN else {}), "note": self.note, "summary": self.words}
        after = {"hash": self.hash if tree else None, "calls": self.calls,
                 "replay": {"runs": self.runs, "mismatches": self.mismatches}}
        fused = ",".join(map(str, self.tree.fused)) if tree else ""
        return (f'{json.dumps(before, ensure_ascii=False)[:-1]}, "tree": {tree or "null"}, "fused_leaves": [{fused}], '
                f"{json.dumps(after)[1:]}")
