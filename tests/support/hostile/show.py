"""Showing one message in a chat view without waiting for timers, and what is then on the screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from rillet.core.types import ChatMessage, FilePart, ReasoningPart, TextPart
from rillet.widgets.links import IMAGE, allowed
from rillet.widgets.transcript.tool import ApprovalRequest
from support.documents import links
from support.views import text_views

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from rillet.widgets import ChatView, MessageHandle
    from support.hostile.document import Hostile

PIECE = 7
"""Characters of a delta of what is streamed."""


def show(view: ChatView, document: Hostile) -> list[QImage]:
    """Show ``document`` and nothing else, draw all of it that is in sight, at its end and at its beginning."""
    view.clear()
    match document.place:
        case "answer":
            view.addMessage(ChatMessage.assistant(document.text))
        case "user":
            view.addMessage(ChatMessage.user(document.text))
        case "reasoning":
            handle = view.addMessage(ChatMessage("assistant", (ReasoningPart(document.text),)))
            view.transcript.toggle_fold(handle.entry, handle.entry.sections[0])
        case "streamed":
            handle = view.beginAssistantStream()
            for start in range(0, len(document.text), PIECE):
                handle.appendText(document.text[start : start + PIECE])
                handle.advance()
                view.grab()
            handle.finish()
            _draw(handle)
        case "file":
            part = FilePart(b"text", media_type="text/plain", name=document.text)
            view.addMessage(ChatMessage("user", (TextPart("See the file"), part)))
        case "tool" | "approval":
            handle = view.beginAssistantStream()
            call = handle.toolCall(0, document.text)
            arguments = json.dumps({"command": document.text})
            call.appendArguments(arguments)
            if document.place == "tool":
                call.finish(document.text)
                _draw(handle)
                view.transcript.toggle_fold(handle.entry, handle.calls[0])
            else:
                call.requestApproval(ApprovalRequest("1", document.text, arguments, document.text))
                _draw(handle)
        case "status":
            view.beginAssistantStream().setStatus(document.text)
        case "note" | "error":
            handle = view.beginAssistantStream()
            handle.appendText("Some text")
            if document.place == "note":
                handle.finish(note=document.text)
            else:
                handle.fail(document.text)
            _draw(handle)
    bar = view.transcript.verticalScrollBar()
    images = [view.grab().toImage()]
    if bar.maximum():
        bar.setValue(0)
        images.append(view.grab().toImage())
    return images


def complaints(view: ChatView) -> list[str]:
    """What on the screen should not be there: links to elsewhere, pictures, text that Qt would take for HTML."""
    found = []
    for editor in text_views(view.transcript):
        document = editor.document()
        for text, address in links(document):
            if not allowed(address.removeprefix(IMAGE)):
                found.append(f"a link {text!r} to {address!r}")
        for form in document.allFormats():
            name = form.toImageFormat().name() if form.isImageFormat() else ""
            if name and not name.startswith("formula:"):
                found.append(f"a picture {name!r}")
            if form.isCharFormat() and form.toCharFormat().toolTip():
                found.append("a tool tip in a text")
        if document.defaultStyleSheet():
            found.append("a style sheet")
    for widget in view.findChildren(QWidget):
        if "<" in widget.toolTip() and not widget.toolTip().startswith("<qt>"):
            found.append(f"a tool tip {widget.toolTip()!r}")
        if isinstance(widget, QLabel) and widget.textFormat() is not Qt.TextFormat.PlainText:
            found.append(f"a label that is not plain: {widget} in {widget.parent()}")
    return found


def is_red(image: QImage) -> bool:
    """Whether the picture of the canary can be seen: two red pixels side by side, which no theme of ours paints."""
    pixels = bytes(image.convertToFormat(image.Format.Format_RGB32).constBits())
    return b"\x00\x00\xff\xff" * 2 in pixels


def _draw(handle: MessageHandle) -> None:
    while handle.pending:
        handle.advance()
