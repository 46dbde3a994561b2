"""Numbers and names as text and JSON, and what ends the command."""
import json
import math
import re

from decimals import parse

OK, FINDING, BAD_INPUT, RESOURCES = range(4)  # exit statuses


class Failure(BaseException):
    """What ends the command, as SystemExit does: a line, and its exit status."""


def fail(text, status=BAD_INPUT):
    raise Failure(text, status)


def plain(data):
    """What a file says as text: never as what a terminal would obey."""
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    text = re.sub("[\0-\x1f\x7f\ud800-\udfff]", "?", text)
    return re.sub("[\x80-\x9f]", "??", text)


def number(x, single):
    """The shortest decimal that reads back as x, a float if `single`."""
    for digits in range(6, 10) if single else range(15, 18):
        text = f"{x:.{digits}g}"
        try:
            if math.isnan(x) or parse(text.encode(), single) == x:
                break
        except OverflowError:
            pass
    return text


def hexadecimal(x):
    return re.sub(r"\.?0+p", "p", x.hex())


def json_number(x, single):
    """The value is null for what JSON has no number for."""
    return f'{{"value": {number(x, single) if math.isfinite(x) else "null"}, "hex": "{hexadecimal(x)}"}}'


def json_string(text):
    return json.dumps(text, ensure_ascii=False)
