"""What the command palette finds: actions, chats, models, personas, prompts, and pages of the settings.

Above: ``actions``, ``services``, ``fuzzy``. Below: ``palette_window`` shows them. Knows no widget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from rillet.app.fuzzy import fitness
from rillet.app.models.offers import Offer, rows
from rillet.app.models.personas import settings_of, without_persona
from rillet.app.models.prompts import brief
from rillet.app.settings.page import Context
from rillet.app.settings.pages import entries as pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rillet.app.actions import Actions
    from rillet.app.services import Services
    from rillet.app.window import MainWindow

MOST: Final = 60
"""Entries that are shown: who looks for more types on."""
RECENT_CHATS: Final = 8
"""Chats that are offered before anything is typed."""

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be chosen.

    Attributes:
        id: By which it is remembered; empty: it is not.
        text: Its name.
        note: What kind of thing it is, or its keys.
        run: Does it.
        folded: The name as it is compared.
    """

    id: str
    text: str
    note: str
    run: Callable[[], object]
    folded: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", self.text.casefold())


def all_entries(window: MainWindow, services: Services, actions: Actions) -> list[Entry]:
    """Everything that makes sense now."""
    return [
        *_actions(actions),
        *_pages(window, services),
        *_chats(window, services),
        *_models(window, services),
        *_personas(window, services),
        *_prompts(window, services),
    ]


def fitting(entries: Iterable[Entry], query: str, recent: Sequence[str]) -> list[Entry]:
    """The entries that fit best, best first; of equals, what was done last. Nothing typed: a beginning."""
    ranks = {id: len(recent) - place for place, id in enumerate(recent)}
    wanted = query.casefold()
    if not wanted.split():
        shown = sorted(_beginning(entries), key=lambda each: -ranks.get(each.id, 0))
        return shown[:MOST]
    scored = ((fitness(wanted, entry.folded), entry) for entry in entries)
    found = [(score, ranks.get(entry.id, 0), entry) for score, entry in scored if score is not None]
    found.sort(key=lambda each: (-each[0], -each[1], len(each[2].text)))
    return [entry for _, _, entry in found[:MOST]]


def _beginning(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Actions, and the chats in which something happened last."""
    chats = 0
    for entry in entries:
        if entry.id:
            yield entry
        elif entry.note == _chat() and chats < RECENT_CHATS:
            chats += 1
            yield entry


def _actions(actions: Actions) -> Iterator[Entry]:
    for action in actions:
        if action.id != "window.palette" and action.when():
            keys = actions.keys(action.id).toString(QKeySequence.SequenceFormat.NativeText)
            yield Entry(action.id, action.label, keys, partial(actions.run, action.id))


def _pages(window: MainWindow, services: Services) -> Iterator[Entry]:
    for page in pages(Context(services, window.look, window.commands)):
        text = translate("Palette", "Settings: {page}").format(page=page.title)
        yield Entry(f"page.{page.id}", text, "", partial(window.openSettings, page.id))


def _chats(window: MainWindow, services: Services) -> Iterator[Entry]:
    for chat in services.library.chats:
        if chat.title:
            yield Entry("", chat.title, _chat(), partial(window.sessions.open, chat.id))


def _models(window: MainWindow, services: Services) -> Iterator[Entry]:
    picker = window.sessions.current.picker
    offers = {row.name: row for row in rows(services) if isinstance(row, Offer)}
    for offer in offers.values():
        text = translate("Palette", "Answer with {model}").format(model=offer.text)
        yield Entry("", text, offer.provider.label, partial(picker.take, offer))


def _personas(window: MainWindow, services: Services) -> Iterator[Entry]:
    """In the chat that is shown."""
    settings = window.sessions.current.settings
    for persona in services.settings.personas:
        text = translate("Palette", "Answer as {persona}").format(persona=persona.name)
        yield Entry("", text, translate("Palette", "persona"), partial(settings.set, **settings_of(persona)))
    if settings.values.get("persona"):
        text = translate("Palette", "Answer without a persona")
        yield Entry("", text, translate("Palette", "persona"), partial(settings.set, **without_persona()))


def _prompts(window: MainWindow, services: Services) -> Iterator[Entry]:
    """Written out in the field of the chat that is shown."""
    for prompt in services.settings.prompts:
        text = translate("Palette", "Prompt: {name}").format(name=prompt.name)
        run = partial(window.sessions.current.prompts.use, prompt)
        yield Entry("", text, brief(prompt), run)


def _chat() -> str:
    return translate("Palette", "chat")
