"""Reads the mutations of tools/mutate.d:

    [name] file: test test ...      or   [name] file: alone test ...
    # what is broken
    - old line                      what stands in the file exactly once
    + new line                      what comes instead; none: nothing

`alone`: only the tests are compiled again, not the library: for functions of headers that
everything includes. Lines are taken literally after "- " and "+ ". equivalent.txt has those that
change nothing a test could see, with `equivalent` in place of tests and the reason as comment."""
import os
import re


class Mutation:
    def __init__(self, name, file, tests):
        self.name, self.file = name, file
        self.alone = tests[:1] == ["alone"]
        self.tests = tests[1:] if self.alone else tests
        self.old_lines, self.new_lines = [], []

    @property
    def old(self):
        return "".join(line + "\n" for line in self.old_lines)

    @property
    def new(self):
        return "".join(line + "\n" for line in self.new_lines)

    def apply(self, text):
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


HEAD = re.compile(r"\[([a-z0-9-]+)\] (\S+): (.+)$")


def read_file(path):
    found = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            head = HEAD.match(line)
            if head:
                found.append(Mutation(head[1], head[2], head[3].split()))
            elif line[:2] == "- ":
                found[-1].old_lines.append(line[2:])
            elif line[:2] == "+ ":
                found[-1].new_lines.append(line[2:])
            elif line and line[0] != "#":
                raise ValueError(f"{path}:{number}: not a mutation's line: {line}")
    return found


def read_mutations(folder, equivalent=False):
    """Those with tests, or those judged to change nothing."""
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt") and (name == "equivalent.txt") == equivalent:
            found += read_file(os.path.join(folder, name))
    names = [m.name for m in found]
    double = {n for n in names if names.count(n) > 1}
    if double:
        raise ValueError("two mutations of one name: " + ", ".join(sorted(double)))
    return found
