"""Lines on the terminal."""
import sys

WIDTH = 96


def bold(text):
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def say(text=""):
    print(text, flush=True)


def progress(text):
    """A line that the next one replaces on a terminal; nothing elsewhere."""
    if sys.stdout.isatty():
        print(f"\r\033[K    {text}"[:WIDTH + 8], end="", flush=True)


def count(n, noun):
    return f"{n:,} {noun}" + ("" if n == 1 else "s")
