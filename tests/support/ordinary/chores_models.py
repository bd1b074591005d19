"""What a person does about models, prompts and attachments, and to the window itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTreeWidget

from rillet.app.models.context_card import ContextCard
from rillet.app.models.gauge import ContextGauge
from rillet.app.models.parameters import ParametersCard
from rillet.app.models.parameters_button import ParametersButton
from rillet.app.models.popover import ModelPopover
from rillet.app.models.prompt_form import PromptForm
from rillet.app.palette_window import PaletteWindow
from rillet.core.config.settings import Persona, Prompt
from rillet.widgets.composer.chip import Chip
from rillet.widgets.image_viewer import ImageViewer
from support.drags import drag_enter
from support.ordinary.chores_chat import ask_once
from support.ordinary.person import CTRL, NONE, SHIFT

if TYPE_CHECKING:
    from support.ordinary.person import Hands, Steps


def choose_a_model(hands: Hands) -> Steps:
    hands.press(Qt.Key.Key_M, CTRL | SHIFT, hands.view.composer.focusProxy())
    yield lambda: hands.find(ModelPopover) is not None
    field = hands.named(QLineEdit, "Search models")
    yield 0.5
    yield from hands.type("model-7", field)
    hands.press(Qt.Key.Key_D, CTRL, field)
    yield 0.2
    hands.press(Qt.Key.Key_Return, at=field)
    yield 0.2


def set_parameters(hands: Hands) -> Steps:
    hands.services.change(personas=(Persona("Editor", {"system_prompt": "Be careful.", "temperature": 0.4}),))
    yield from hands.new_chat()
    hands.click(hands.named(ParametersButton, "", hands.view))
    yield lambda: hands.find(ParametersCard) is not None
    card = hands.window.findChildren(ParametersCard)[-1]
    persona = hands.named(QComboBox, "Persona", card)
    persona.setCurrentIndex(persona.findText("Editor"))
    persona.activated.emit(persona.currentIndex())
    yield 0.2
    yield from hands.type(" And brief.", hands.named(QPlainTextEdit, "System prompt", card))
    form = hands.named(QComboBox, "Form of the answer", card)
    form.setCurrentIndex(2)
    yield 0.3
    form.setCurrentIndex(0)
    hands.press(Qt.Key.Key_Escape, at=card.card)
    yield from hands.ask("How do tides work?")


def see_the_context(hands: Hands) -> Steps:
    yield from ask_once(hands)
    yield from hands.ask("And why are there two a day?")
    gauge = hands.window.findChild(ContextGauge)
    assert gauge is not None
    yield lambda: gauge.isVisible() and gauge.ledger is not None and len(gauge.ledger.turns) == 2
    hands.click(gauge)
    yield lambda: hands.find(ContextCard) is not None
    turns = hands.named(QTreeWidget, "", hands.window.findChildren(ContextCard)[-1])
    turns.setCurrentIndex(turns.model().index(0, 0))
    for _ in range(2):
        hands.press(Qt.Key.Key_Space, at=turns)
        yield 0.5
    hands.push("Pin")
    yield 0.5
    hands.press(Qt.Key.Key_Escape, at=turns)
    yield 0.1


def use_a_prompt(hands: Hands) -> Steps:
    hands.services.set_prompts((Prompt("translate", "Translate into {{language}}:"), Prompt("shorter", "Say less:")))
    yield from hands.new_chat()
    field = hands.view.composer.focusProxy()
    yield from hands.type("/tr", field)
    yield 0.2
    hands.press(Qt.Key.Key_Return, at=field)
    yield lambda: hands.find(PromptForm) is not None
    form = hands.window.findChildren(PromptForm)[-1]
    gap = form.findChild(QLineEdit)
    yield from hands.type("French", gap)
    hands.press(Qt.Key.Key_Return, at=gap)
    yield lambda: "French" in hands.view.composer.text()
    hands.press(Qt.Key.Key_Return, at=field)
    yield 0.3
    yield hands.is_settled


def attach(hands: Hands) -> Steps:
    """Files from a folder, a picture, a long text from the clipboard; one is taken out again."""
    folder = Path(str(QApplication.instance().property("files")))  # type: ignore[union-attr]  # (it is there)
    yield from hands.new_chat()
    composer = hands.view.composer
    field = composer.focusProxy()
    assert field is not None
    for name in ("picture.png", "report.pdf", "notes.txt", "table.csv", "page.docx"):
        if (folder / name).exists():
            _drop(hands, folder / name)
            yield 0.4
    QGuiApplication.clipboard().setText("A long line of a log, which goes on for a while.\n" * 4000)
    QTest.keySequence(field, QKeySequence(QKeySequence.StandardKey.Paste))
    yield 0.6
    field.setFocus()
    chips = [each for each in composer.findChildren(Chip) if each.isVisible()]
    if len(chips) > 1:
        composer.removeAttachment(1)
    QGuiApplication.clipboard().clear()
    yield 0.4
    yield from hands.ask("What is this?")
    QGuiApplication.clipboard().setText("word " * 3000)
    QTest.keySequence(field, QKeySequence(QKeySequence.StandardKey.Paste))
    yield 0.5
    composer.setText("")
    for each in composer.attachments():
        composer.removeAttachment(composer.attachments().index(each))
    QGuiApplication.clipboard().clear()


def look_at_a_picture(hands: Hands) -> Steps:
    folder = Path(str(QApplication.instance().property("files")))  # type: ignore[union-attr]  # (it is there)
    yield from hands.new_chat()
    _drop(hands, folder / "picture.png")
    yield lambda: bool(hands.view.composer.attachments())
    yield from hands.ask("What is to be seen?")
    question = hands.view.handles()[0].message
    assert question is not None
    part = question.parts[-1]
    hands.view.imageActivated.emit(part)
    yield lambda: hands.find(ImageViewer) is not None
    viewer = hands.window.findChildren(ImageViewer)[-1]
    for name in ("Larger", "Larger", "Smaller"):
        hands.push(name, viewer)
        yield 0.2
    viewer.close()
    yield 0.2


def use_the_palette(hands: Hands) -> Steps:
    for text in ("long", "settings", "larger text", "ordinary size"):
        hands.press(Qt.Key.Key_K, CTRL, hands.view.composer.focusProxy())
        yield lambda: hands.find(PaletteWindow) is not None
        field = hands.named(QLineEdit, "Search actions, chats, models and settings")
        yield from hands.type(text, field)
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            hands.press(key, at=field)
            yield 0.1
        hands.press(Qt.Key.Key_Escape if text == "settings" else Qt.Key.Key_Return, at=field)
        yield lambda: hands.find(PaletteWindow) is None
        yield 0.3


def zoom(hands: Hands) -> Steps:
    for key in (Qt.Key.Key_Plus,) * 4 + (Qt.Key.Key_Minus,) * 6 + (Qt.Key.Key_0,):
        hands.press(key, CTRL, hands.view.composer.focusProxy())
        yield 0.2


def resize(hands: Hands) -> Steps:
    """Drag an edge of the window, fold the list away, let the window be small."""
    first = hands.window.size()
    for width in (*range(1100, 600, -25), *range(600, 1300, 50)):
        hands.window.resize(width, first.height())
        yield 0.03
    for _ in range(2):
        hands.press(Qt.Key.Key_B, CTRL, hands.view.composer.focusProxy())
        yield 0.3
    hands.window.showMaximized()
    yield 0.3
    hands.window.showNormal()
    yield 0.3
    hands.window.resize(first)
    yield 0.2


def _drop(hands: Hands, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    composer, action, left = hands.view.composer, Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    QApplication.sendEvent(composer, drag_enter(action, data, left, NONE))
    QApplication.sendEvent(composer, QDropEvent(QPointF(QPoint(5, 5)), action, data, left, NONE))


CHORES = (
    choose_a_model,
    set_parameters,
    see_the_context,
    use_a_prompt,
    attach,
    look_at_a_picture,
    use_the_palette,
    zoom,
    resize,
)
