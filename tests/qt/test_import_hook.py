"""PySide's import hook, beside imports on several threads."""

from __future__ import annotations

import subprocess
import sys

BESIDE_ANOTHER_THREAD = """
import builtins, sys
from PySide6.QtCore import QCoreApplication
from rillet.qt import Engine

app = QCoreApplication([])
engine = Engine() if "engine" in sys.argv else None
feature = sys.modules["shibokensupport.feature"]
hook, look = builtins.__import__, feature._mod_uses_pyside

def look_while_another_thread_ends_its_look(module):
    if module.__name__.startswith("pydantic"):
        builtins.__import__ = hook
    return look(module)

builtins.__import__ = builtins.__orig_import__  # another thread looks at a module of its own
import pydantic.errors
builtins.__import__ = hook
feature._mod_uses_pyside = look_while_another_thread_ends_its_look
from pydantic.errors import PydanticUserError
from pydantic import BaseModel
"""


def beside_another_thread(*arguments: str) -> str:
    """What Python says when pydantic is imported at the worst of moments."""
    command = [sys.executable, "-c", BESIDE_ANOTHER_THREAD, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_pydantic_can_be_imported_while_another_thread_imports() -> None:
    assert beside_another_thread("engine") == ""


def test_pyside_still_needs_to_be_told() -> None:
    assert "circular import" in beside_another_thread()
