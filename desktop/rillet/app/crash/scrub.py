"""What of an error may be written down: its kind and the places in the code, not what it says.

The text of an error quotes what went wrong with, and that may be a message or a key: ``KeyError`` holds the key,
``UnicodeError`` the text, an error of SQLite the search. So a sentence is written only where it is made of names of the
code alone. Pure. Below: ``hooks``, ``report``. Guarantee: nothing that a person wrote, a model said or a server sent is
in what comes back.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Final

from rillet.core.wire.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

MOST_FRAMES: Final = 40
"""Calls of a traceback, the innermost ones."""
MOST_ERRORS: Final = 8
"""Errors that led to one another, or that came together."""
_ROOTS: Final = re.compile(r".*/(?:site-packages|lib/python3\.\d+|desktop)/")
# What the interpreter and the binding say of names: of a call with the wrong arguments, and of a widget that is gone.
_NAMES_ONLY: Final = re.compile(
    r"[\w.<>]+\(\) (?:missing|takes|got)(?: an? unexpected keyword argument)?[\w ',:-]*"
    r"|(?:libshiboken: )?Internal C\+\+ object \([\w.]+\) already deleted\."
    r"|'[\w.]+' object is not (?:callable|iterable|subscriptable)"
    r"|dictionary changed size during iteration|maximum recursion depth exceeded[\w ]*"
)
_FATAL: Final = re.compile(r'^(\s*File ")(.*?)(", line \d+ in .*)$')


def described(error: BaseException) -> Iterator[str]:
    """Lines that say where an error came from, and what led to it."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting and len(seen) < MOST_ERRORS:
        each = waiting.pop(0)
        if any(each is known for known in seen):
            continue
        seen.append(each)
        sentence = _sentence(each)
        yield f"{_kind(each)}{': ' if sentence else ''}{sentence}"
        yield from _places(each.__traceback__)
        earlier = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
        waiting += [*(each.exceptions if isinstance(each, BaseExceptionGroup) else ()), *([earlier] if earlier else ())]


def place(path: str) -> str:
    """Where a file of the program is, without the folders of this machine and the name of its user."""
    path = path.replace("\\", "/")
    short = _ROOTS.sub("", path)
    return short if short != path else path.rsplit("/", 1)[-1]


def unquoted(text: str) -> str:
    """What Qt says, without anything that stands in quotes, and without keys: quotes hold what was given to it."""
    return redact(re.sub(r"\"[^\"]*\"|'[^']*'|“[^”]*”", "“…”", text))


def dumped(text: str) -> str:
    """What the interpreter wrote when it was killed, without the folders of this machine."""
    return "\n".join(
        f"{found[1]}{place(found[2])}{found[3]}" if (found := _FATAL.match(line)) else line
        for line in text.splitlines()
    )


def _kind(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _sentence(error: BaseException) -> str:
    """What an error says, where that is made of names of the code."""
    match error:
        case AttributeError() if error.name:
            return f"{type(error.obj).__name__} has no {error.name}"
        case NameError() | ImportError() if error.name:
            return error.name
        case UnicodeError():
            return str(getattr(error, "reason", ""))
        case OSError() if error.errno is not None:
            return errno.errorcode.get(error.errno, str(error.errno))
    if name := getattr(error, "sqlite_errorname", ""):
        return str(name)
    said = str(error.args[0]) if error.args and isinstance(error.args[0], str) else ""
    return said if isinstance(error, TypeError | RuntimeError) and _NAMES_ONLY.fullmatch(said) else ""


def _places(trace: TracebackType | None) -> list[str]:
    calls = []
    while trace is not None:
        code = trace.tb_frame.f_code
        calls.append(f"    {place(code.co_filename)}:{trace.tb_lineno} in {code.co_qualname}")
        trace = trace.tb_next
    left_out = len(calls) - MOST_FRAMES
    return calls if left_out <= 0 else [f"    ({left_out} calls)", *calls[left_out:]]
