"""doc_blocks.py KINDS PAGE CLONE SCRIPT: writes the shell blocks of PAGE, a page of the clone, as one
script that says where it is; checks blocks of code that name the file they show."""
import re
import sys

kinds, page, clone, script = sys.argv[1:]
wanted = {"sh" if kind == "sh" else f"sh {kind}" for kind in kinds.split(",")}


def blocks(text):
    """(line number, info, body) of each fenced block."""
    open_at = info = None
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.startswith("```"):
            if open_at:
                body.append(line)
        elif open_at:
            yield open_at, info, "".join(body)
            open_at = None
        else:
            open_at, info, body = number, line[3:].strip(), []


with open(f"{clone}/{page}", encoding="utf-8") as f:
    found = list(blocks(f.read()))
with open(script, "w", encoding="utf-8") as out:
    out.write("set -eu -o pipefail\n[ \"$(id -u)\" -ne 0 ] || sudo() { \"$@\"; }\n")
    for number, info, body in found:
        if info in wanted:
            out.write(f": block\necho '== {page}:{number}'\n{body}")
        shown = re.match(r"/\* (\S+\.\w+) \*/\n", body)
        if shown:
            with open(f"{clone}/{shown[1]}", encoding="utf-8") as f:
                if f.read() != body:
                    sys.exit(f"{page}:{number}: the block is not {shown[1]}")
