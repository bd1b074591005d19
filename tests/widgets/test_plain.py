"""Text of others is text, wherever it is shown: no HTML, no tool tip, label or document that takes it for such."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QTextDocument, QTextDocumentFragment

from rillet.widgets.plain import tool_tip

SOURCES = sorted((Path(__file__).parents[2] / "desktop" / "rillet").rglob("*.py"))


@pytest.mark.parametrize(
    "text", ["a model", "a & b", "1 < 2", "<b>x</b>", "<img src='file:///x.png'>", "a\n<b>\nc", "&lt;"]
)
def test_a_tool_tip_says_what_it_was_given(qapp: object, text: str) -> None:
    made = tool_tip(text)
    shown = QTextDocumentFragment.fromHtml(made).toPlainText() if made != text else made
    assert shown == text
    document = QTextDocument()
    document.setHtml(made)
    assert not any(form.isImageFormat() for form in document.allFormats())


def _calls() -> list[tuple[str, str, ast.Call]]:
    """File, name of what is called, and the call, for every call in the program."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                found.append((str(path), name, node))
    assert len(found) > 2000
    return found


def test_nothing_in_the_program_asks_qt_to_read_markup() -> None:
    markup = {"setHtml", "insertHtml", "setMarkdown", "insertMarkdown", "fromHtml", "fromMarkdown", "setSource"}
    calls = [(Path(path).name, ast.unparse(call.func)) for path, name, call in _calls() if name in markup]
    to_clipboard = {call for call in calls if call[1] == "data.setHtml"}  # a QMimeData: others read it
    assert to_clipboard
    assert set(calls) - to_clipboard == {("intake.py", "document.setHtml")}  # what is pasted, to be stripped of it
    sources = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    for word in ("AutoText", "RichText", "MarkdownText", "setDefaultStyleSheet", "setOpenExternalLinks"):
        assert [str(path) for path, source in sources.items() if word in source] == []
    assert [path.name for path, source in sources.items() if "QDesktopServices.openUrl" in source] == ["opening.py"]


def test_every_label_and_message_box_is_told_to_show_plain_text() -> None:
    plain = {path: path.read_text(encoding="utf-8").count("setTextFormat(Qt.TextFormat.PlainText)") for path in SOURCES}
    bare: dict[str, int] = {}
    for path, name, call in _calls():
        if name in ("QLabel", "QMessageBox") and "textFormat" not in {keyword.arg for keyword in call.keywords}:
            bare[path] = bare.get(path, 0) + 1
    assert {path: count for path, count in bare.items() if count > plain[Path(path)]} == {}


def test_every_tool_tip_is_a_sentence_of_ours_or_escaped() -> None:
    def is_ours(value: ast.expr) -> bool:
        match value:
            case ast.Constant():
                return True
            case ast.IfExp(body=body, orelse=orelse):
                return is_ours(body) and is_ours(orelse)
            case ast.Call(func=ast.Attribute(attr="tr") | ast.Name(id="translate" | "tool_tip")):
                return True
            case _:
                return False

    tips = [(path, call) for path, name, call in _calls() if name == "setToolTip"]
    assert len(tips) > 3
    assert [(path, ast.unparse(call)) for path, call in tips if not is_ours(call.args[0])] == []
