"""The page of skills: folders that are looked through, what was found, what was skipped and why, and whom to trust.

Above: ``tools``. Below: ``settings/pages``. Guarantee: skills that came with a workspace are offered only after the
person said so here, for that folder.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot

from rillet.app import coroutines
from rillet.app.settings.page import Page
from rillet.app.tools.parts import Held, Note, Switch, beside, button
from rillet.app.tools.words import of_skipped, short, short_path
from rillet.core.visible import visible

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtGui import QHideEvent, QShowEvent
    from PySide6.QtWidgets import QCheckBox, QWidget

    from rillet.app.tools.tools import Tools
    from rillet.core.tools.skills import SkillInventory
    from rillet.widgets.theme.palette import Theme


class SkillsPage(Page):
    """Folders, skills, trust."""

    def __init__(self, tools: Tools, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._tools = tools
        self._found: SkillInventory | None = None
        self._brought: dict[str, tuple[str, ...]] = {}
        """The names of the skills that workspaces bring."""
        self._loading: asyncio.Task[None] | None = None
        self.section(
            self.tr("Folders"),
            self.tr(
                "Skills are instructions for particular tasks, in files called SKILL.md. Models are told their names, "
                "and load one when a task needs it. They can run nothing by themselves."
            ),
        )
        self._folders = Held()
        self.wide(self._folders)
        add = button(theme, self.tr("Add a folder…"), icon="plus")
        add.clicked.connect(self.askForFolder)
        self.wide_buttons(add)
        self.section(self.tr("Skills"))
        self._skills = Held()
        self.wide(self._skills)
        self.section(
            self.tr("Workspaces"),
            self.tr(
                "A folder that a chat works in may bring skills of its own. Whoever filled that folder would speak to "
                "the model in your name: they are used only where you trust it."
            ),
        )
        self._workspaces = Held()
        self.wide(self._workspaces)
        tools.setupChanged.connect(self.fill)
        self.fill()

    @Slot()
    def fill(self) -> None:
        """Show what is set up, and look through the folders again if somebody sees the page."""
        self._fill_folders()
        self._fill_skills()
        self._fill_workspaces()
        if self.isVisible():
            self._look()

    @Slot()
    def askForFolder(self) -> None:
        """Let the person choose a folder."""
        from PySide6.QtWidgets import QFileDialog

        chooser = QFileDialog(self, self.tr("A folder with skills"), str(Path.home()))
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self._tools.add_skill_folder)
        chooser.open()

    def _fill_folders(self) -> None:
        column = self._folders.renew()
        for folder in self._tools.setup.skill_folders:
            remove = button(
                self._theme,
                self.tr("Remove"),
                description=self.tr("Look for skills in {folder} no longer").format(folder=short_path(folder)),
            )
            remove.clicked.connect(partial(self._tools.remove_skill_folder, folder))
            column.addLayout(beside(Note(self._theme, short_path(folder), colour=self._theme.tokens.text), remove))
        if not self._tools.setup.skill_folders:
            column.addWidget(Note(self._theme, self.tr("There are none yet.")))
        self._folders.put()

    def _fill_skills(self) -> None:
        column = self._skills.renew()
        found = self._found
        for skill in () if found is None else found.skills:
            note = f"{short(skill.description)}\n{short_path(str(skill.location))}"
            switch = Switch(self._theme, visible(skill.name), note, on=skill.name not in self._tools.setup.skills_off)
            switch.box.setAccessibleName(visible(skill.name))
            switch.box.clicked.connect(partial(self._switch, skill.name, switch.box))
            column.addWidget(switch)
        for skipped in () if found is None else found.skipped:
            name = visible(skipped.name) if skipped.name else short_path(skipped.where)
            said = self.tr("{name}: skipped. {why}").format(name=name, why=of_skipped(skipped))
            column.addWidget(Note(self._theme, said, colour=self._theme.tokens.warning))
        if found is not None and not found.skills and not found.skipped:
            column.addWidget(Note(self._theme, self.tr("None were found.")))
        self._skills.put()

    def _fill_workspaces(self) -> None:
        column = self._workspaces.renew()
        setup = self._tools.setup
        known = self._known_folders()
        for folder in known:
            brought = ", ".join(map(visible, self._brought.get(folder, ())))
            note = self.tr("Brings: {names}").format(names=brought) if brought else ""
            switch = Switch(self._theme, short_path(folder), note, on=folder in setup.trusted_folders)
            switch.box.setAccessibleName(self.tr("Trust {folder}").format(folder=short_path(folder)))
            switch.box.clicked.connect(partial(self._trust, folder, switch.box))
            column.addWidget(switch)
        if not known:
            column.addWidget(Note(self._theme, self.tr("No chat has worked in a folder yet.")))
        self._workspaces.put()

    def _switch(self, name: str, box: QCheckBox) -> None:
        self._tools.switch_skill(name, on=box.isChecked())

    def _trust(self, folder: str, box: QCheckBox) -> None:
        self._tools.trust(folder, trusted=box.isChecked())

    def _look(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
        self._loading = coroutines.start(self._load())

    async def _load(self) -> None:
        self._found = await self._tools.skills()
        self._fill_skills()
        self._brought = {folder: await self._tools.brought_skills(folder) for folder in self._known_folders()}
        self._fill_workspaces()

    def _known_folders(self) -> list[str]:
        setup = self._tools.setup
        return list(dict.fromkeys((*setup.folders, *setup.trusted_folders)))

    # Overrides

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self.fill()

    def showEvent(self, event: QShowEvent) -> None:
        """Look through the folders."""
        super().showEvent(event)
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody waits for it any more."""
        super().hideEvent(event)
        if self._loading is not None:
            self._loading.cancel()
