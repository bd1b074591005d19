"""A chat that has no title gets one after its first answer, as the person set it up.

Above: ``core/chat/titles``, ``library``. Below: ``session``. Guarantees: a title that a person gave stays; no model is
told of a temporary chat for the sake of a title.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rillet.core.chat.titles import title_by_model, title_of
from rillet.core.errors import LlmError

if TYPE_CHECKING:
    from rillet.app.chats.place import Place
    from rillet.app.services import Choice, Services

log = logging.getLogger("rillet.app")


async def name(services: Services, place: Place, choice: Choice, asked: str, said: str) -> None:
    """Name a chat after what was ``asked`` first and ``said`` to it.

    If a model is to do that: by the one that was chosen for it, or by ``choice``.
    """
    chat_id = place.known_id
    chat, way = services.library.chat(chat_id), services.settings.titles
    if chat is None or chat.title_by != "nobody" or way == "off" or place.is_naming:
        return
    place.is_naming = True
    try:
        title = title_of(asked)
        if way == "model" and said and not place.temporary:
            title = await _title_by_model(services, naming_choice(services) or choice, asked, said) or title
        if title:
            await services.library.rename(place.known_id, title, by="program")
    finally:
        place.is_naming = False


def naming_choice(services: Services) -> Choice | None:
    """Who was chosen to name chats; None: whoever answers, also when the one that was chosen is not there."""
    wanted = services.settings.title_model
    if wanted is None:
        return None
    choice = services.choice_for({"provider": wanted.provider, "model": wanted.model})
    return choice if choice.provider.id == wanted.provider else None


async def _title_by_model(services: Services, choice: Choice, asked: str, said: str) -> str:
    try:
        return await services.desk.do(
            lambda desk: title_by_model(desk.client(choice.provider), choice.model, asked, said)
        )
    except LlmError as error:
        log.info("no title: %s", error)
        return ""
