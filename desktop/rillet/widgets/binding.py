"""A chat view and a client, joined to a working chat by one call.

    view = ChatView()
    bind(view, LlmClient.openai(key), ChatRequest([ChatMessage.system("Be brief.")]))

Above: ``chat_view`` asks and shows, ``rillet.qt`` answers. Knows neither widgets nor threads. Guarantees: what goes out
is a conversation that every provider accepts, whatever was stopped or failed before; there is at most one answer under
way; ``close`` and the end of the view both cancel it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal, Slot

from rillet.core.types import ChatMessage, ChatRequest, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from rillet.core.types.expect import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.types import ChatResponse
    from rillet.qt.listener import StreamingListener
    from rillet.qt.resource import AsyncResource
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.message_handle import MessageHandle


class StreamingClient(Protocol):
    """The one method that a chat needs of ``LlmClient``."""

    def chatStream(self, request: ChatRequest, listener: StreamingListener) -> AsyncResource[ChatResponse]:
        """Ask for an answer, piece by piece."""


def bind(view: ChatView, client: StreamingClient, baseRequest: ChatRequest | None = None) -> ChatBinding:
    """Make ``view`` a chat with ``client``: send, stop, try again.

    ``baseRequest`` gives everything but the conversation: its messages (a system prompt, as a rule) come first in every
    request. The binding lives as long as the view, also when it is not kept; a view has one: the one before is closed.
    """
    if not hasattr(client, "chatStream"):
        raise TypeError(f"the client cannot be {named(client)}: write LlmClient.openai(key) or another of its methods")
    for earlier in view.findChildren(ChatBinding):
        earlier.close()
    return ChatBinding(view, client, baseRequest or ChatRequest(()))


class ChatBinding(QObject):
    """The tie between a view and a client. Made by ``bind``.

    Signals:
        answerStarted(object): The ``MessageHandle`` of an answer that was just asked for.
    """

    answerStarted = Signal(object)

    def __init__(self, view: ChatView, client: StreamingClient, baseRequest: ChatRequest) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._base = baseRequest
        self._flight = _Flight()
        self._closed = False
        view.sendRequested.connect(self._send)
        view.stopRequested.connect(self.stop)
        view.retryRequested.connect(self._retry)
        view.messageActionRequested.connect(self._act)
        view.setMessageActions({"copy"}, lastAnswer={"regenerate"})
        view.destroyed.connect(self._flight.cancel)

    def use(self, client: StreamingClient, baseRequest: ChatRequest) -> None:
        """Send the next message to another client; an answer that is under way goes on."""
        self._client = client
        self._base = baseRequest

    @Slot()
    def stop(self) -> None:
        """Cancel the answer that is under way, if there is one."""
        self._flight.cancel()

    def close(self) -> None:
        """Undo ``bind`` and cancel an answer that is under way. What the view shows stays; it can be bound again."""
        if self._closed:
            return
        self._closed = True
        self._view.sendRequested.disconnect(self._send)
        self._view.stopRequested.disconnect(self.stop)
        self._view.retryRequested.disconnect(self._retry)
        self._view.messageActionRequested.disconnect(self._act)
        self._flight.cancel()

    @Slot(object)
    def _send(self, message: ChatMessage) -> None:
        self._view.addMessage(message)
        self._ask()

    @Slot(object)
    def _retry(self, handle: MessageHandle) -> None:
        """Take the answer away and ask for it again."""
        self._view.removeFrom(handle)
        self._ask()

    @Slot(str, object)
    def _act(self, action: str, handle: MessageHandle) -> None:
        if action == "regenerate":
            self._retry(handle)

    def _ask(self) -> None:
        conversation = sendable(self._view.history())
        if not conversation or conversation[-1].role != "user" or self._view.composer.isBusy():
            return
        handle = self._view.beginAssistantStream()
        request = replace(self._base, messages=(*self._base.messages, *conversation))
        self._flight.resource = self._client.chatStream(request, handle)
        self._flight.resource.ready(handle.finish).except_(handle.fail)
        self.answerStarted.emit(handle)


class _Flight:
    """The answer under way. No QObject: it must be able to cancel when the view, and the binding with it, is gone."""

    def __init__(self) -> None:
        self.resource: AsyncResource[ChatResponse] | None = None

    def cancel(self) -> None:
        """Cancel the answer, if there is one."""
        if self.resource is not None:
            self.resource.cancel()


def sendable(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages as a provider accepts them.

    Tool calls that nobody answered are left out, and so is an answer that has nothing but reasoning; questions that
    follow each other, because the answer between them failed, become one.
    """
    messages = list(messages)
    answered = {part.call_id for message in messages for part in message.parts if isinstance(part, ToolResultPart)}
    result: list[ChatMessage] = []
    for message in messages:
        parts = tuple(part for part in message.parts if not isinstance(part, ToolCallPart) or part.id in answered)
        if all(isinstance(part, ReasoningPart) for part in parts):
            continue
        if message.role == "user" and result and result[-1].role == "user":
            result[-1] = _joined(result[-1], message)
        else:
            result.append(message if len(parts) == len(message.parts) else ChatMessage(message.role, parts))
    return result


def _joined(first: ChatMessage, second: ChatMessage) -> ChatMessage:
    """Two questions as one, a blank line between their texts."""
    *head, last = first.parts
    following, *tail = second.parts
    if isinstance(last, TextPart) and isinstance(following, TextPart):
        return ChatMessage("user", (*head, TextPart(f"{last.text}\n\n{following.text}"), *tail))
    return ChatMessage("user", first.parts + second.parts)
