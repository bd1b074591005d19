"""The library of prompts: written on a page of the settings, used by a slash in the composer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget, QPlainTextEdit

from rillet.app.models.prompt_form import GapField, PromptForm
from rillet.app.models.prompts_page import PromptsPage
from rillet.app.window import MainWindow
from rillet.core.config.paths import paths
from rillet.core.config.settings import Prompt, SettingsFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme

TRANSLATE = Prompt("translate", "Translate into {{language}}, in a {{tone}} tone:")


@pytest.fixture
def window(state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    services.set_prompts((TRANSLATE, Prompt("proofread", "Correct this, and list what you changed:")))
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()


@pytest.fixture
def page(services: Services, theme: Theme, qtbot: QtBot) -> PromptsPage:
    services.set_prompts((TRANSLATE,))
    page = PromptsPage(services, theme)
    qtbot.addWidget(page)
    page.show()
    return page


def type_in(window: MainWindow, text: str) -> None:
    field = window.view.composer.focusProxy()
    assert field is not None
    field.setFocus()
    QTest.keyClicks(field, text)


def test_a_prompt_is_written_out_by_its_command(window: MainWindow) -> None:
    type_in(window, "/proo\r")
    assert window.view.composer.text() == "Correct this, and list what you changed:"
    assert window.view.history() == []


def test_the_gaps_of_a_prompt_are_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    type_in(window, "/tra\r")
    form = window.findChild(PromptForm)
    assert form is not None
    language, tone = form.findChildren(GapField)
    assert [language.accessibleName(), tone.accessibleName()] == ["language", "tone"]
    QTest.keyClicks(language, "French")
    QTest.keyClicks(tone, "polite")
    QTest.keyClick(tone, Qt.Key.Key_Return)
    assert window.view.composer.text() == "Translate into French, in a polite tone:"


def test_what_is_pasted_into_a_gap_keeps_its_lines(window: MainWindow) -> None:
    type_in(window, "/tra\r")
    form = window.findChild(PromptForm)
    assert form is not None
    language, tone = form.findChildren(GapField)
    low = language.height()
    language.insertPlainText("French\nand Basque")
    QTest.keyClick(language, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert language.height() > low
    QTest.keyClick(language, Qt.Key.Key_Tab)
    assert form.focusWidget() is tone
    QTest.keyClick(tone, Qt.Key.Key_Return)
    assert window.view.composer.text() == "Translate into French\nand Basque\n, in a  tone:"


def test_who_does_not_fill_the_gaps_keeps_what_was_written(window: MainWindow) -> None:
    type_in(window, "/tra\r")
    form = window.findChild(PromptForm)
    assert form is not None
    QTest.keyClick(form, Qt.Key.Key_Escape)
    assert window.view.composer.text() == "/translate "


def test_a_prompt_that_is_added_later_is_offered_in_open_chats(window: MainWindow, services: Services) -> None:
    services.set_prompts((Prompt("later", "See you."),))
    type_in(window, "/l\r")
    assert window.view.composer.text() == "See you."


def test_a_prompt_is_made_and_kept_as_it_is_typed(page: PromptsPage, services: Services) -> None:
    page._new.click()
    name, text = page.findChild(QLineEdit), page.findChild(QPlainTextEdit)
    assert name is not None and text is not None
    assert name.hasSelectedText()
    QTest.keyClicks(name, "shorter")
    QTest.keyClicks(text, "Say it in fewer words:")
    made = (TRANSLATE, Prompt("shorter", "Say it in fewer words:"))
    assert services.settings.prompts == made
    services.keeper.close()
    assert SettingsFile(paths().settings).load().prompts == made


@pytest.mark.parametrize(
    ("name", "why"),
    [("two words", "no spaces"), ("/x", "no / at its start"), ("", "name is needed"), ("translate", "Another one")],
)
def test_a_name_that_cannot_be_a_command_says_why_and_is_not_kept(
    page: PromptsPage, services: Services, name: str, why: str
) -> None:
    page._new.click()
    field = page.findChild(QLineEdit)
    assert field is not None
    field.clear()
    QTest.keyClicks(field, name)
    field.textEdited.emit(field.text())
    assert why in page._complaint.text()
    assert not page._complaint.isHidden()
    assert all(prompt.name != name for prompt in services.settings.prompts[1:])


def test_a_prompt_is_duplicated_under_a_name_of_its_own(page: PromptsPage, services: Services) -> None:
    page._copy.click()
    assert services.settings.prompts == (TRANSLATE, Prompt("translate-2", TRANSLATE.text))


def test_a_prompt_is_deleted(page: PromptsPage, services: Services) -> None:
    page._delete.click()
    assert services.settings.prompts == ()
    assert not page._delete.isEnabled()


def test_a_list_without_prompts_says_so_and_is_left_to_them_once_there_are_some(page: PromptsPage) -> None:
    listed = page.findChild(QListWidget)
    assert listed is not None
    middle = listed.viewport().rect().adjusted(40, 40, -40, -40)
    page.remove()
    assert listed.count() == 0
    said = listed.viewport().grab(middle).toImage()
    empty = QImage(said.size(), said.format())
    empty.fill(said.pixelColor(0, 0))
    assert said != empty
    assert listed.accessibleDescription().startswith("No prompts yet.")
    page.add()
    assert listed.viewport().grab(middle).toImage() == empty  # (the only entry is above)
