"""The compiled part: what of it users see."""
from typing import Any

class Accumulator:
    def to_bytes(self) -> bytes: ...

def __getattr__(name: str) -> Any: ...
