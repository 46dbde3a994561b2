"""Reads the mutations of tools/mutate.d:

    path/of/the/file                          a file, and what is broken in it
    [name: test test ...] What is broken.     or   [name: alone test ...] What is broken.
    # More of that.
      a line [-as it is-]{+as it becomes+}    the lines that stand in the file exactly once, after two blanks
    - a line that goes                        or whole, as in a patch
    + a line that comes

`alone`: only the tests are compiled again, not the library: for functions of headers that
everything includes. equivalent.txt has those that change nothing a test could see, with `equivalent` in
place of tests and the reason as comment."""
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


HEAD = re.compile(r"\[([a-z0-9-]+): ([^]]+)\]")
MARKED = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}")


def read_file(path):
    found, file = [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            head, mark, rest = HEAD.match(line), line[:2], line[2:]
            if head:
                found.append(Mutation(head[1], file, head[2].split()))
            elif mark in ("- ", "+ ", "  "):
                if mark != "+ ":
                    found[-1].old_lines.append(rest if mark == "- " else MARKED.sub(r"\1", rest))
                if mark != "- ":
                    found[-1].new_lines.append(rest if mark == "+ " else MARKED.sub(r"\2", rest))
            elif re.match(r"[\w.]+/\S+$", line):
                file = line
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
