"""JSON as providers send it, which is a little more than JSON.

Pure. Knows nothing of framing nor of what a value means; ``sse``, ``failures`` and the codecs below use it. Guarantee:
whatever the input, either a value or ``ValueError``; never ``RecursionError``, which hostile nesting would raise.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

_NEXT_OBJECT = re.compile(r"[\s,\[]*\{")


def decode(text: str | bytes) -> Any:
    """One JSON value.

    The fast parser refuses what some servers nevertheless send and the standard library accepts: raw control characters
    inside strings, halves of surrogate pairs, NaN.

    Raises:
        ValueError: It is no JSON, or nested too deeply.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def objects(text: str) -> list[str]:
    """The objects with which ``text`` begins, each as its text: gateways glue several into one event, or one line.

    They may be the beginning of a list. What stands behind the last of them is no object, and is left out.
    """
    decoder = json.JSONDecoder(strict=False)
    found: list[str] = []
    at = 0
    while (begin := _NEXT_OBJECT.match(text, at)) is not None:
        try:
            _, at = decoder.raw_decode(text, begin.end() - 1)
        except (ValueError, RecursionError):
            break
        found.append(text[begin.end() - 1 : at])
    return found


def as_text(value: Any) -> str:
    """The JSON text of a value that servers send as such text, or as the value itself; absent is empty.

    What is nested too deeply to be written becomes "null", so that a tool is not called with it.
    """
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "null"
