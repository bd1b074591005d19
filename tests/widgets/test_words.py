"""Everything that a person reads or hears can be said in another language."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication, QLabel

from rillet.core import errors
from rillet.core.errors import AuthError, LlmError, RateLimitError
from rillet.core.types import ChatMessage, ChatResponse, ImagePart, Usage
from rillet.widgets import ApprovalRequest, ChatView, words
from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.blocks.tool_card import ToolCard, status_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

SOURCES = Path(__file__).parents[2] / "desktop" / "rillet"
TERMINAL = {"cli.py", "cli_output.py", "doctor.py", "display.py"}
"""What is written to a terminal is English, as what other commands write there is."""
LOG = {"hooks.py", "log.py", "scrub.py"}
"""What is written down of a crash is read by those who wrote the program."""
LOOKED_UP = {"tr", "translate", "QT_TRANSLATE_NOOP"}
FOR_PROGRAMMERS = {
    "Errands",
    "TypeError",
    "ValueError",
    "IndexError",
    "RuntimeError",
    "debug",
    "info",
    "warning",
    "error",
    "exception",
}
SENTENCE = re.compile(r"^[A-Z][a-z]+\b(?![.+(_])|[A-Za-z]{2,} [a-z]{2,}")
NO_SENTENCES = {
    "Rillet",  # the name
    "Fusion",  # a style of Qt
    "Esc",  # keys, which Qt translates
    "Cf",  # a category of characters
    *("Stream", "Blue", "Violet", "Rose", "Orange", "Green", "Graphite"),  # keys of colours
    *("sign in", "cancel sign-in"),  # keys of actions
    "left out",  # a state of a turn
    *("passed on from this program", "sent there from this program"),  # how lines of a consent begin
    *("Block", "Kind", "Limits", "Segment", "Segmenter", "Entry", "growing here"),  # names in modules
}


class _Sentences(ast.NodeVisitor):
    """Collects the texts of a module that look as if a person were to read them, and go past the translators."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.looked_up = 0

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        self.looked_up += name in LOOKED_UP
        if name not in LOOKED_UP | FOR_PROGRAMMERS | {"cast"}:
            self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and ast.unparse(node.annotation) != "TypeAlias":
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        text = node.value
        if isinstance(text, str) and SENTENCE.search(text) and ";" not in text and text not in NO_SENTENCES:
            self.found.append(f"line {node.lineno}: {text}")


def _modules() -> Iterator[Path]:
    for wing in ("widgets", "app"):
        for path in sorted((SOURCES / wing).rglob("*.py")):
            if path.name not in TERMINAL | LOG | {"__init__.py", "typography.py", "estimate.py"}:
                yield path


def test_no_sentence_goes_past_the_translators() -> None:
    past: dict[str, list[str]] = {}
    looked_up = 0
    for path in _modules():
        visitor = _Sentences()
        visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
        looked_up += visitor.looked_up
        if visitor.found:
            past[path.name] = visitor.found
    assert looked_up > 150
    assert past == {}, "wrap them in tr(), or QCoreApplication.translate() where there is no QObject"


def test_the_scan_sees_what_it_is_to_find() -> None:
    source = '''
class View:
    """A docstring of words."""
    def show(self, name):
        self.label.setText("Not translated")
        self.tip = f"Open {name}"
        self.note = "words in a row"
        self.title = self.tr("Translated")
        raise ValueError("for programmers only")
'''
    visitor = _Sentences()
    visitor.visit(ast.parse(source))
    assert visitor.found == ["line 5: Not translated", "line 6: Open ", "line 7: words in a row"]


KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, LlmError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_every_kind_of_error_says_is_listed_for_translators(kind: type[LlmError]) -> None:
    said: list[str] = []

    def note(text: str) -> str:
        said.append(text)
        return text

    for seconds in (1, 5, 60, 120, 3600, 7200):
        for retryable in (True, False):
            kind(retry_after=seconds, retryable=retryable).told(note)
    kind(retryable=True).told(note)
    assert set(said) <= set(words._ERRORS)


class Brackets(QTranslator):
    """A language in which everything stands between brackets."""

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"[{text}]"


@pytest.fixture
def language(qapp: QApplication) -> Iterator[None]:
    translator = Brackets()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


@pytest.fixture
def view(qtbot: QtBot, language: None) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


@pytest.mark.usefixtures("language")
def test_errors_are_told_in_the_language_of_the_program() -> None:
    assert words.sentence(AuthError("no such key", provider="Acme")) == (
        "[Acme refused the key]: no such key. [Check the key and what it is allowed to do.]"
    )
    assert words.sentence(RateLimitError(retry_after=120.0)) == (
        "[[The provider] has had enough requests for now]. [Try again in [2 minutes].]"
    )
    assert words.details(AuthError("no", status=401)) == "[Status]: 401\n[Message]: no"


def test_how_an_answer_ended_is_told_in_the_language_of_the_program(view: ChatView, qtbot: QtBot) -> None:
    feet = []
    for reason in ("length", "content_filter", "refusal", "pause", "error", "tool_calls", "stop"):
        handle = view.beginAssistantStream()
        handle.finish(ChatResponse(ChatMessage.assistant("x"), finish_reason=reason, usage=Usage(completion_tokens=7)))
        _drawn(qtbot, view)
        feet.append(handle.entry.foot)
    notes = [foot.note for foot in feet]
    assert all(re.fullmatch(r"\[.+\]", note) for note in notes[:-1])
    assert len(set(notes)) == len(notes)
    assert notes[-1] == ""
    assert feet[-1].figures.startswith("[7 tokens]")


def test_cards_and_folds_are_in_the_language_of_the_program(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Look", ImagePart(b"no image")))
    handle = view.beginAssistantStream()
    handle.onReasoningDelta("Hm.")
    handle.onToolCallDelta(0, "call", "bash", "{}")
    handle.toolCall("call").requestApproval(ApprovalRequest("1", "bash", "{}"))
    _drawn(qtbot, view)
    fold, tool, approval = (view.findChild(kind) for kind in (FoldBlock, ToolCard, ApprovalCard))
    assert fold is not None
    assert tool is not None
    assert approval is not None
    assert fold.accessibleName() == "[Thought for 1 s], [collapsed]"
    assert tool.accessibleName() == "[Tool bash], [Waiting for approval], [collapsed]"
    assert approval.accessibleName() == "[Run the tool bash?]"
    labels = [button.accessibleName().split(",")[0] for button in approval.findChildren(Button)]
    assert labels == ["[No]", "[Once]", "[For this chat]", "[In this folder]", "[Always for exactly this]"]


def test_every_status_of_a_tool_has_a_word(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call", "bash", "{}")
    section = handle.calls[0]
    said = []
    for status in ("writing", "written", "waiting", "running", "failed", "denied", "stopped"):
        section.status = status
        said.append(status_of(section))
    assert all(re.fullmatch(r"\[[A-Z].+\]", word) for word in said)
    assert len(set(said)) == len(said)


def test_an_empty_chat_is_in_the_language_of_the_program(view: ChatView) -> None:
    shown = [label.text() for label in view.findChildren(QLabel) if label.isVisible() and label.text()]
    shown += [button.text() for button in view.findChildren(Button) if button.isVisible() and button.text()]
    assert shown
    assert all(text.startswith("[") for text in shown)
