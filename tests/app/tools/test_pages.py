"""The pages of skills and permissions: what is there, why something is not, and how it is taken back."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox, QPushButton

from rillet.app.tools.permissions_page import PermissionsPage
from rillet.app.tools.rule_dialog import RuleDialog
from rillet.app.tools.skills_page import SkillsPage
from rillet.core.tools.policy.rules import CommandRule, HostRule
from rillet.widgets.blocks.button import Button
from support.tool_hands import box, open_tools, says

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

SOON = 10_000


def write_skill(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n---\nDo it.\n")


def open_page(window: MainWindow, name: str) -> Any:
    window.openSettings(name)
    assert window._settings is not None
    return window._settings.page


def switch(page: QWidget, name: str) -> QCheckBox:
    boxes = page.findChildren(QCheckBox)
    return next(each for each in boxes if each.accessibleName() == name and each.isVisibleTo(page))


def button(page: QWidget, name: str) -> Button:
    buttons = page.findChildren(Button)
    return next(each for each in buttons if each.accessibleName() == name and each.isVisibleTo(page))


def test_the_page_lists_skills_and_says_why_others_were_skipped(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    write_skill(tmp_path / "skills", "notes")
    (tmp_path / "skills" / "bad").mkdir()
    (tmp_path / "skills" / "bad" / "SKILL.md").write_text("nothing")
    page = open_page(window, "skills")
    assert isinstance(page, SkillsPage)
    services.tools.add_skill_folder(str(tmp_path / "skills"))
    qtbot.waitUntil(lambda: says(page, "About notes."), timeout=SOON)
    assert says(page, "SKILL.md: skipped. There is no front matter")
    switch(page, "notes").click()
    assert services.settings.tools.skills_off == ("notes",)
    services.tools.remove_skill_folder(str(tmp_path / "skills"))
    qtbot.waitUntil(lambda: says(page, "None were found."), timeout=SOON)


def test_skills_that_come_with_a_folder_are_named_and_wait_for_trust(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    write_skill(folder / ".agents" / "skills", "theirs")
    ran = folder / "ran"
    start = {"command": sys.executable, "args": ["-c", f"open({str(ran)!r}, 'w')"], "enabled": True}
    for name in (".mcp.json", ".rillet/settings.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(
            json.dumps({"mcpServers": {"theirs": start}, "tools": {"servers": {"theirs": start}}})
        )
    popover = open_tools(window)
    popover.chooseFolder(str(folder))
    qtbot.waitUntil(lambda: says(popover, "brings skills, which are not used: theirs"), timeout=SOON)
    button(popover, "Decide whether to trust this folder").click()
    assert window._settings is not None
    page = window._settings.page
    assert isinstance(page, SkillsPage)
    qtbot.waitUntil(lambda: says(page, "Brings: theirs"), timeout=SOON)
    name = next(each.accessibleName() for each in page.findChildren(QCheckBox) if "Trust" in each.accessibleName())
    switch(page, name).click()
    assert services.settings.tools.trusted_folders == (str(folder),)
    again = open_tools(window)
    assert not says(again, "not used")
    assert box(again, "skill").isEnabled()
    qtbot.waitUntil(lambda: services.tools.state is not None, timeout=SOON)
    assert services.tools.state is not None
    assert services.tools.state.servers == (), "trust is about skills: no server comes with a folder"
    assert not ran.exists()


def test_every_grant_is_listed_with_its_reach_and_can_be_revoked(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    page = open_page(window, "permissions")
    assert isinstance(page, PermissionsPage)
    qtbot.waitUntil(lambda: says(page, "Nothing is allowed or denied"), timeout=SOON)
    tools = services.tools
    tools.add_rule(HostRule("docs.python.org"), allowed=True, folder=None, expires_at=None)
    tools.add_rule(CommandRule(("git", "push")), allowed=False, folder=str(folder), expires_at=4e9)
    qtbot.waitUntil(lambda: says(page, "Never: the command git push"), timeout=SOON)
    assert says(page, "Allowed: fetch from docs.python.org")
    assert says(page, "Everywhere")
    assert says(page, "until")
    button(page, "Revoke: fetch from docs.python.org").click()
    qtbot.waitUntil(lambda: not says(page, "docs.python.org"), timeout=SOON)
    assert says(page, "git push")
    page.askToRevokeAll()
    confirm = next(
        each
        for window_ in QApplication.topLevelWidgets()
        for each in window_.findChildren(QPushButton)
        if each.text() == "Revoke all" and each.isVisible()
    )
    confirm.click()
    qtbot.waitUntil(lambda: says(page, "Nothing is allowed or denied"), timeout=SOON)


def test_grants_outlive_the_program(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    services.tools.add_rule(HostRule("example.com"), allowed=True, folder=None, expires_at=None)
    services.tools.look()
    qtbot.waitUntil(lambda: services.tools.state is not None and bool(services.tools.state.grants), timeout=SOON)
    qtbot.waitUntil(lambda: "example.com" in services.desk.read(_kept).get(30).get("policy", ""), timeout=SOON)


def _kept(db: Any) -> dict[str, str]:
    from rillet.core.store import grants

    return grants.load(db)


@pytest.mark.parametrize(
    ("kind", "what", "said"),
    [
        (0, "", "Say what the rule is about"),
        (0, "git 'x", "No closing quotation"),
        (0, "git", "The command git does not say what it does"),
        (3, "exa mple", "is no host"),
    ],
)
def test_what_is_no_rule_is_not_entered_and_the_dialog_says_why(
    window: MainWindow, qtbot: QtBot, kind: int, what: str, said: str
) -> None:
    dialog = RuleDialog(window._theme, ())
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.decision.setCurrentIndex(1)
    dialog.kind.setCurrentIndex(kind)
    dialog.what.setText(what)
    dialog.submit()
    assert dialog.isVisible()
    assert says(dialog, said)


def test_a_rule_by_hand_begins_as_the_narrowest_one(
    window: MainWindow, services: Services, folder: Path, qtbot: QtBot
) -> None:
    services.tools.note_folder(str(folder))
    page = open_page(window, "permissions")
    page.addRule()
    (dialog,) = [each for each in QApplication.topLevelWidgets() if isinstance(each, RuleDialog) and each.isVisible()]
    dialog.what.setText("git push")
    dialog.submit()
    qtbot.waitUntil(lambda: says(page, "Never: the command git push"), timeout=SOON)
    assert services.tools.state is not None
    (grant,) = services.tools.state.grants
    assert (grant.decision, grant.folder) == ("deny", str(folder))
    assert grant.expires_at is not None
