"""Faults that a slip of the hand makes, drawn from a source in C or Python.

universalmutator, which does this from rules, changes lines: of 60 of its mutants of a template's
source 42 did not compile, as they changed types and comments. Here tokens are changed. Comments,
strings, preprocessor lines, assertions and the lengths of arrays stay as they are."""
import re

TOKEN = re.compile(r'''
    (?P<none>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.)*|\s+|\\\n)
  | (?P<text>[rbfuL]{0,2}(?:"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>0[xX][\da-fA-F.]+(?:[pP][-+]?\d+)?[uUlLfF]*|\d[\d.]*(?:[eE][-+]?\d+)?[uUlLfF]*)
  | (?P<sign>->|\+\+|--|<<=?|>>=?|[-+*/%&|^=!<>]=|&&|\|\||.)''', re.S | re.M | re.X)
PYTHON_TOKEN = re.compile(TOKEN.pattern.replace(r"/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.)*",
                                                r"\#[^\n]*"), re.S | re.M | re.X)
EXCHANGED = {
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "condition": {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "and": "or", "or": "and"},
}
OF_ASSIGNMENT_OR_CALL = re.compile(r"[(.\[=]$|->|\+\+|--|[-+*/%&|^]=|<<=|>>=")
ASSERTIONS = {"assert", "static_assert", "_Static_assert"}
# What comes of these does not depend on the order of their arguments.
UNORDERED = {"calloc", "w_add", "_mm256_cmpeq_epi32_mask"}
# What begins a statement that is no assignment or call, and what a bracket after it is no call's.
KEYWORDS = set("""return if for while do switch case default goto typedef static const struct
    union enum else extern sizeof _Alignas def class with import from try except finally elif pass
    global nonlocal raise yield async del lambda not in and or""".split()) | ASSERTIONS


class Source:
    def __init__(self, path, text):
        self.python = path.endswith(".py")
        self.text = text
        self.tokens = [(m.lastgroup, m[0], m.start(), m.end())
                       for m in (PYTHON_TOKEN if self.python else TOKEN).finditer(text)
                       if m.lastgroup != "none"]
        self.words = [t[1] for t in self.tokens] + [""]
        self.partner, self.depth, opened = {}, [], []
        for i, (kind, word, *_) in enumerate(self.tokens):
            if kind == "sign" and word in (")", "]") and opened:
                self.partner[opened.pop()] = i
            self.depth.append(len(opened)) # of ( and [, not of {
            if kind == "sign" and word in ("(", "["):
                opened.append(i)
        self.faults = sorted({f for f in self.all_faults() if f[3] != text[f[1]:f[2]]})

    def between(self, i, j):
        """The text of the tokens i to j, both included."""
        return self.text[self.tokens[i][2]:self.tokens[j][3]]

    def fault(self, kind, i, j, new):
        """Lines below stay where they are: objects that know lines are the same."""
        lines = self.between(i, j).count("\n") - new.count("\n")
        return (kind, self.tokens[i][2], self.tokens[j][3],
                new + "\n" * (0 if self.python else lines))

    def begins_line(self, i):
        return i == 0 or "\n" in self.text[self.tokens[i - 1][3]:self.tokens[i][2]]

    def all_faults(self):
        after = 0
        for i, (kind, word, *_) in enumerate(self.tokens):
            if word in ASSERTIONS:
                after = max(after, self.partner.get(i + 1, i + 4))
            if i <= after or kind == "text":
                continue
            yield from self.of_token(i, kind, word)
            yield from self.of_brackets(i, word)
            yield from self.of_statement(i)

    def of_token(self, i, kind, word):
        before = self.tokens[i - 1]
        if kind == "number":
            array = self.words[i - 1] == "[" and self.words[i + 1] == "]" and (
                self.tokens[i - 3][0] == "word" or self.words[i - 3] in ("*", ",", "]"))
            number = re.match(r"(0[xX][\da-fA-F.]+[pP]|0[xX]|)([-+]?\d+)(.*)", word, re.S)
            for step in (1, -1) if number and not array else ():
                new = int(number[2]) + step
                if new >= 0 or number[1]:
                    yield self.fault("constant", i, i, f"{number[1]}{new}{number[3]}")
            return
        unary = word in ("-", "!") and (before[0] == "sign" and before[1] not in (")", "]")
                                        or before[1] in KEYWORDS)
        if (unary or word in ("not", "!") and self.words[i + 1] != "in"
                and self.words[i - 1] != "is"):
            yield self.fault("sign" if word == "-" else "condition", i, i, "")
            return
        if word in "+-" and before[0] == "sign" and before[1] not in (")", "]"):
            return
        for name, exchange in EXCHANGED.items():
            if word in exchange:
                yield self.fault(name, i, i, exchange[word])

    def of_brackets(self, i, word):
        """Conditions of `if`, and arguments of calls."""
        end = self.partner.get(i + 1)
        if word == "if" and self.python:
            end = next((j for j in range(i, len(self.tokens) - 1) if self.words[j] == ":"
                        and self.depth[j] == self.depth[i]), None)
            if end and self.begins_line(i) and self.begins_line(end + 1):
                yield self.fault("condition", i, end, f"if not ({self.between(i + 1, end - 1)}):")
        elif word == "if" and end:
            follows = self.words[end + 1:end + 3]
            yield self.fault("condition", i, end, f"if (!{self.between(i + 1, end)})")
            if {"return", "goto"} & set(follows[:2 if follows[0] == "{" else 1]):
                yield self.fault("error path", i, end, f"if (0 && {self.between(i + 1, end)})")
        elif (end and self.tokens[i][0] == "word" and word not in KEYWORDS | UNORDERED
              and self.words[i + 1] == "("
              and (self.tokens[i - 1][0] == "sign" or self.words[i - 1] == "return")):
            yield from self.of_arguments(i + 2, end)

    def of_arguments(self, first, end):
        commas = [j for j in range(first, end)
                  if self.words[j] == "," and self.depth[j] == self.depth[first]]
        ends = [first - 1, *commas, end]
        for a, b, c in zip(ends, ends[1:], ends[2:]):
            other = any(self.words[j] == "=" or self.tokens[j][0] == self.tokens[j + 1][0] == "word"
                        for j in range(a + 1, c) if j != b) # a declaration, or arguments by name
            if not other and a + 1 < b and b + 1 < c:
                yield self.fault("arguments", a + 1, c - 1,
                                 f"{self.between(b + 1, c - 1)}, {self.between(a + 1, b - 1)}")

    def of_statement(self, i):
        words, first = self.words, self.words[i]
        only_time = first == "__builtin_prefetch" or words[i:i + 3] == ["__asm__", "(", '""']
        if self.depth[i] or only_time:
            return
        if not self.python and first == "return" and re.match("EXBLAS_E[A-Z]+$", words[i + 1]):
            yield self.fault("error path", i + 1, i + 1, "EXBLAS_OK")
        raised = self.python and first == "raise"
        if not (raised or first in ("break", "continue") or self.tokens[i][0] == "word"
                and first not in KEYWORDS and OF_ASSIGNMENT_OR_CALL.match(words[i + 1])):
            return
        if self.python:
            starts = re.search(r"(^|\n)[ \t]+$", self.text[:self.tokens[i][2]])
            end = next((j for j in range(i, len(self.tokens)) if j + 1 == len(self.tokens)
                        or self.begins_line(j + 1) and not self.depth[j + 1]), i)
        else:
            starts = words[i - 1] in ("{", "}", ";", ")", "else")
            end = next((j for j in range(i, len(self.tokens))
                        if words[j] in (";", "{") and not self.depth[j]), i)
            starts = starts and words[end] == ";"
        if starts:
            yield self.fault("error path" if raised else "statement", i, end,
                             "pass" if self.python else "(void)0;")
