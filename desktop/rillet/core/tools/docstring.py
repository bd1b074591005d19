"""What a docstring says: what a function is for, and what each of its parameters means.

Pure. Knows the three common layouts: sections with indented entries (Google), underlined sections (NumPy), and fields
(``:param x:``, Sphinx). Below: ``native`` and ``fields``. Guarantee: any text gives an answer; what no layout claims
belongs to the description.
"""

from __future__ import annotations

import inspect
import re
from typing import Final, NamedTuple

_PARAMETERS: Final = frozenset(
    ("args", "arguments", "parameters", "params", "attributes", "keyword args", "keyword arguments", "other parameters")
)
_FOR_PROGRAMMERS: Final = frozenset(("returns", "return", "yields", "yield", "raises", "warns", "references"))
_FIELD = re.compile(r":(\w+)(?:\s+([^:]*))?:\s*(.*)")
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?")
_UNDERLINE = re.compile(r"-{3,}")


class Docstring(NamedTuple):
    """A docstring, taken apart."""

    description: str
    parameters: dict[str, str]


def read_docstring(text: str | None) -> Docstring:
    """Take a docstring apart. What it says of results and errors is for programmers, and left out."""
    lines = inspect.cleandoc(text or "").split("\n")
    description: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        title = line.strip().rstrip(":").lower()
        underlined = at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1].strip()) is not None
        if (
            title in _PARAMETERS | _FOR_PROGRAMMERS
            and (underlined or line.rstrip().endswith(":"))
            and not line[:1].isspace()
        ):
            at += 2 if underlined else 1
            body, at = _numpy_body(lines, at) if underlined else _indented(lines, at)
            if title in _PARAMETERS:
                parameters |= _entries(body, _NUMPY_ENTRY if underlined else _GOOGLE_ENTRY)
        elif field := _FIELD.match(line):
            body, at = _indented(lines, at + 1)
            if field[1] in ("param", "parameter", "arg", "argument") and field[2]:
                parameters[field[2].split()[-1].lstrip("*")] = _joined([field[3], *body])
        else:
            description.append(line)
            at += 1
    return Docstring("\n".join(description).strip(), parameters)


def _indented(lines: list[str], at: int) -> tuple[list[str], int]:
    """The lines from here that are indented, or empty with indented ones behind them."""
    end = at
    for index in range(at, len(lines)):
        if lines[index][:1].isspace():
            end = index + 1
        elif lines[index]:
            break
    return lines[at:end], end


def _numpy_body(lines: list[str], at: int) -> tuple[list[str], int]:
    """The lines up to the next underlined title."""
    end = next((i - 1 for i in range(at + 1, len(lines)) if _UNDERLINE.fullmatch(lines[i].strip())), len(lines))
    return lines[at:end], end


def _entries(body: list[str], entry: re.Pattern[str]) -> dict[str, str]:
    """Parameters and what follows them, indented more than their names."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    for line in body:
        inner = line[margin:]
        match = entry.fullmatch(inner.rstrip()) if inner[:1].strip() else None
        if match is not None:
            current = found.setdefault(match[1], [])
            current += match.groups()[1:]
        elif current is not None:
            current.append(line)
    return {name: _joined(said) for name, said in found.items()}


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
