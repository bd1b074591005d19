"""Whether a chat of the store holds something from outside, or once did.

Pure. Above: ``agent/trust``, ``store/messages``. Below: ``answering`` has a run begin as what the chat is, the window
says so. Guarantee: nothing that a person may do to a chat (delete a message, send less of it, copy it) makes it trusted
again: what a page said may live on in answers that nobody deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.agent.trust import is_untrusted, marked
from rillet.core.store.messages import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rillet.core.store.messages import Node
    from rillet.core.tools.tool import Tool
    from rillet.core.types import ChatMessage


def holds_outside(line: Sequence[Node], find: Callable[[str], Tool | None]) -> bool:
    """Whether a chat is untrusted; ``line`` is all that led to what it shows (``messages.line``)."""
    if any(OUTSIDE in node.details or node.unreadable is not None for node in line):
        return True
    return is_untrusted((node.message for node in line), find)


def sent_as(sent: list[ChatMessage], line: Sequence[Node], find: Callable[[str], Tool | None]) -> list[ChatMessage]:
    """What is sent of a chat, marked when that alone would not tell that the chat is untrusted."""
    return marked(sent) if holds_outside(line, find) and not is_untrusted(sent, find) else sent
