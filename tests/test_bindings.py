"""What the binding to Qt gets wrong is kept out of the program."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCES = sorted((Path(__file__).parents[1] / "desktop" / "rillet").rglob("*.py"))


def test_nobody_asks_a_widget_for_its_screen() -> None:
    """PySide 6.11 takes the screen that ``screen()`` returns for a child of whom it asked.

    When that widget is collected in a cycle, the one wrapper that the screen has is taken down with it, and the program
    crashes at the next allocation or later. ``QGuiApplication.screenAt`` and ``primaryScreen`` are safe.
    """
    calls = 0
    places: list[str] = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="screen"), args=[]):
                    places.append(f"{path.name}:{node.lineno}")
                case ast.Call():
                    calls += 1
    assert calls > 2000
    assert places == [], "use QGuiApplication.screenAt(widget.geometry().center()) instead"
