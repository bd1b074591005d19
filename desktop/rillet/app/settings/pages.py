"""Which pages the settings have, in their order. A page is imported and built when it is first wanted.

Above: ``page``. Below: ``dialog``. To add one: a function that imports and makes it, and a line in ``entries``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from rillet.app.settings.page import Context, Page
from rillet.widgets.theme.palette import Theme


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that can be opened.

    Attributes:
        id: For ``MainWindow.openSettings``.
        title: For people.
        make: Builds it.
    """

    id: str
    title: str
    make: Callable[[Context, Theme], Page]


def entries(context: Context) -> list[Entry]:
    """The pages that there are here."""
    tr = QCoreApplication.translate
    pages = [
        Entry("providers", tr("SettingsPages", "Providers"), _providers),
        Entry("network", tr("SettingsPages", "Network"), _network),
        Entry("appearance", tr("SettingsPages", "Appearance"), _appearance),
        Entry("chats", tr("SettingsPages", "Chats"), _chats),
        Entry("shortcuts", tr("SettingsPages", "Shortcuts"), _shortcuts),
        Entry("personas", tr("SettingsPages", "Personas"), _personas),
        Entry("prompts", tr("SettingsPages", "Prompts"), _prompts),
        Entry("servers", tr("SettingsPages", "Tools"), _servers),
        Entry("skills", tr("SettingsPages", "Skills"), _skills),
        Entry("permissions", tr("SettingsPages", "Permissions"), _permissions),
        Entry("data", tr("SettingsPages", "Data"), _data),
        Entry("privacy", tr("SettingsPages", "Privacy"), _privacy),
    ]
    absent = {"appearance": context.look is None, "shortcuts": context.actions is None}
    return [page for page in pages if not absent.get(page.id)]


def _providers(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.providers import ProvidersPage

    return ProvidersPage(context.services, theme)


def _network(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.network import NetworkPage

    return NetworkPage(context.services, theme)


def _appearance(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.appearance import AppearancePage

    assert context.look is not None, "the page is not listed otherwise"
    return AppearancePage(context.look, theme)


def _chats(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.chats import ChatsPage

    return ChatsPage(context.services, theme)


def _shortcuts(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.shortcuts import ShortcutsPage

    assert context.actions is not None, "the page is not listed otherwise"
    return ShortcutsPage(context.actions, theme)


def _personas(context: Context, theme: Theme) -> Page:
    from rillet.app.models.personas_page import PersonasPage

    return PersonasPage(context.services, theme)


def _prompts(context: Context, theme: Theme) -> Page:
    from rillet.app.models.prompts_page import PromptsPage

    return PromptsPage(context.services, theme)


def _servers(context: Context, theme: Theme) -> Page:
    from rillet.app.tools.servers_page import ServersPage

    return ServersPage(context.services.tools, theme)


def _skills(context: Context, theme: Theme) -> Page:
    from rillet.app.tools.skills_page import SkillsPage

    return SkillsPage(context.services.tools, theme)


def _permissions(context: Context, theme: Theme) -> Page:
    from rillet.app.tools.permissions_page import PermissionsPage

    return PermissionsPage(context.services.tools, theme)


def _data(context: Context, theme: Theme) -> Page:
    from rillet.app.settings.data import DataPage

    return DataPage(context.services, theme)


def _privacy(_context: Context, theme: Theme) -> Page:
    from rillet.app.settings.privacy import PrivacyPage

    return PrivacyPage(theme)
