"""What a chat view shows of the tree in the store: which of its messages are which there.

Above: ``store/messages``, ``widgets/chat_view``. Below: ``session``. Reads and writes nothing. Guarantee: a message
that is shown is known by the ids of all that it consists of, oldest first.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rillet.app.models.figures import figures_of
from rillet.core.agent.result import RunResult
from rillet.core.chat.answering import PENDING, is_cut_short
from rillet.widgets import words
from rillet.widgets.run_listener import RunListener

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rillet.core.agent.result import Pending
    from rillet.core.store.messages import Node
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.message_handle import MessageHandle

log = logging.getLogger("rillet.app")


class Line:
    """The messages of one view, and their ids."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._ids: dict[MessageHandle, list[int]] = {}
        self._parents: dict[int, int | None] = {}

    @property
    def last(self) -> int | None:
        """The id of what the chat ends with."""
        return max((ids[-1] for ids in self._ids.values()), default=None)

    def ids_of(self, handle: MessageHandle) -> Sequence[int]:
        """What a message consists of in the store; nothing as long as it is not there."""
        return self._ids.get(handle, ())

    def handle_of(self, message_id: int) -> MessageHandle | None:
        """The message that this one of the store is part of."""
        return next((handle for handle, ids in self._ids.items() if message_id in ids), None)

    def note(self, handle: MessageHandle, message_id: int, parent_id: int | None) -> None:
        """A message of the store is part of what ``handle`` shows."""
        self._ids.setdefault(handle, []).append(message_id)
        self._parents[message_id] = parent_id

    def note_rest(self, handle: MessageHandle, nodes: Sequence[Node]) -> None:
        """What of these messages is not part of anything yet is part of what ``handle`` shows."""
        for node in nodes:
            if node.id not in self._parents:
                self.note(handle, node.id, node.parent_id)

    def cut(self, handle: MessageHandle) -> int | None:
        """Show nothing from this message on: the id of what comes before it."""
        before = self._parents.get(self.ids_of(handle)[0])
        self._view.removeFrom(handle)
        shown = set(self._view.handles())
        self._ids = {each: ids for each, ids in self._ids.items() if each in shown}
        return before

    def show(self, nodes: Sequence[Node], versions: Mapping[int, tuple[int, ...]]) -> None:
        """Show these messages, and no others."""
        self._view.clear()
        self._ids.clear()
        self._parents.clear()
        times = [datetime.fromtimestamp(node.created_at) for node in nodes]
        for handle, node in zip(self._view.addMessages([node.message for node in nodes], times), nodes, strict=True):
            self.note(handle, node.id, node.parent_id)
            _show_ending(handle, node, is_last=node is nodes[-1])
        self.tell_versions(versions)
        self.tell_figures(nodes)
        if nodes and (pending := waiting(nodes[-1])) is not None:
            _show_question(self._view.handles()[-1], pending)

    def tell_versions(self, versions: Mapping[int, tuple[int, ...]]) -> None:
        """Say which messages there are other versions of."""
        for handle, ids in self._ids.items():
            if among := versions.get(ids[0]):
                handle.setVersions(among.index(ids[0]) + 1, len(among))

    def tell_figures(self, nodes: Sequence[Node]) -> None:
        """Say what the answers among these took."""
        details = {node.id: node.details for node in nodes if node.message.role == "assistant"}
        for handle, ids in self._ids.items():
            if known := [details[id] for id in ids if "usage" in details.get(id, ())]:
                handle.setFigures(figures_of(known))


def waiting(node: Node) -> Pending | None:
    """What the run waits for that wrote this message; None: it does not wait."""
    kept = node.details.get(PENDING)
    if not isinstance(kept, str):
        return None
    try:
        return RunResult.from_json(kept.encode()).pending
    except ValueError as error:
        log.warning("a question cannot be asked again: %s", error)
        return None


def _show_question(handle: MessageHandle, pending: Pending) -> None:
    """Ask again what was asked before the program ended."""
    handle.setEnding(note=words.waiting())
    RunListener(handle).ask(handle.toolCall(pending.call.id, pending.call.name), pending.request)


def _show_ending(handle: MessageHandle, node: Node, *, is_last: bool) -> None:
    """Say how a message had ended, where that was not as usual; with the last one, what can be done about it."""
    error: Any = node.details.get("error")
    resume = is_last and is_cut_short(node)
    match node.status:
        case "failed":
            message = error.get("message") if isinstance(error, dict) else None
            handle.setEnding(error=str(message or words.failed()), retry=is_last, resume=resume)
        case "cancelled":
            handle.setEnding(note=words.stopped(), retry=is_last, resume=resume)
        case "incomplete":
            handle.setEnding(note=words.interrupted(), retry=is_last, resume=resume)
        case _ if node.unreadable is not None:
            handle.setEnding(error=node.unreadable)
        case _ if note := words.ending(node.details.get("finish_reason")) if resume else "":
            handle.setEnding(note=note, resume=True)
        case _:
            pass
