"""Do two targets add in the same order? If not, an input on which they differ."""
import copy
import json

from report import FMA_ALL, FMA_SOME, Order
from session import ask

N_INPUTS = 200
FULL = 512  # terms whose common additions with all others are compared


def different_pair(x, y):
    """Two leaves whose lowest common additions are not of the same size; None if there are none. A leaf i has such a
    partner exactly if the sizes of its ancestors or what is below them differ."""
    if x.text and y.text and x.hash != y.hash:
        for i in range(min(x.tree.n_leaves, FULL)):
            for j, (a, b) in enumerate(zip(x.tree.commons(i), y.tree.commons(i))):
                if j > i and a != b:
                    return i, j
    return None


def find_input(q, targets, masks):
    """The results of the first input on which they differ, of both, and its terms; None."""
    def results(inputs):
        return [ask(q, target, inputs, masks) for target in targets]
    for k, (x, y) in enumerate(zip(*(answer.results for answer in results(range(N_INPUTS))))):
        if float.fromhex(x) != float.fromhex(y):
            return k, [x, y], ask(q, targets[0], range(k, k + 1), masks)
    return None


def as_json(same, orders, found):
    text = ", ".join(order.json() for order in orders)
    if found:
        _, results, terms = found
        shown = {"results": results, "a": terms.a, **({"b": terms.b} if terms.b else {})}
        text += f'], "input": {json.dumps(shown)}'
    return f'{{"exblas_fprev_compare": 1, "same": {json.dumps(same)}, "targets": [{text}{"}" if found else "]}"}\n'


def in_words(same, orders, found, masks):
    for x in orders:
        fused = {FMA_ALL: ", products fused", FMA_SOME: ", some products fused"}.get(x.fma, "")
        yield f"{x.answer.target}: {x.kind}" + (f": {x.words}" if x.words else "") + fused
    yield "the same order" if same else "different orders"
    if not found:
        yield from () if same else ["no input was found on which the results differ"]
        return
    k, results, terms = found
    what = "random terms"
    if k == 0 and masks[0] >= 0:
        what = f"term {masks[0]} huge, term {masks[1]} its negative, all others one small unit"
    yield f"an input that tells them apart: {what}"
    for name in "ab":
        if terms.terms <= 16 and getattr(terms, name):
            yield f"  {name} = {' '.join(getattr(terms, name))}"
    for x, result in zip(orders, results):
        yield f"  {result} ({float.fromhex(result):.17g}) from {x.answer.target}"


def compare(q, targets):
    """The text, and the exit status."""
    q = copy.copy(q)
    q.all = False
    answers = [ask(q, target) for target in targets]
    orders = x, y = [Order(q, answer, answer.orders[0]) for answer in answers]
    same = x.what_decides() == y.what_decides()
    masks = -1, -1  # absolute values do not cancel
    if not answers[0].absolute:
        masks = different_pair(x, y) or ((0, 1) if not same and answers[0].terms > 2 else masks)
    found = find_input(q, targets, masks)
    same = same and not found
    if q.json:
        text = as_json(same, orders, found)
    else:
        text = "".join(f"{line}\n" for line in in_words(same, orders, found, masks))
    return text, 0 if same else 1
