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
    """Name a chat after what was ``asked`` first and ``said`` to it, by ``choice`` if a model is to do that."""
    chat_id = place.known_id
    chat, way = services.library.chat(chat_id), services.settings.titles
    if chat is None or chat.title_by != "nobody" or way == "off":
        return
    title = title_of(asked)
    if way == "model" and said and not place.temporary:
        try:
            title = await services.desk.do(
                lambda desk: title_by_model(desk.client(choice.provider), choice.model, asked, said)
            )
        except LlmError as error:
            log.info("no title: %s", error)
    if title:
        await services.library.rename(chat_id, title, by="program")
