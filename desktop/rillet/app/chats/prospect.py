"""What is said about the model's view of a chat: at the lines where it begins, and before the next question.

Pure. Above: ``core/chat/context``. Below: ``horizon`` shows it, and does what is chosen. Guarantee: nothing is said
where everything goes along and there is room for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QCoreApplication

from rillet.app.models.words import tokens
from rillet.core.chat.context import facing, spared

if TYPE_CHECKING:
    from rillet.core.chat.context import Ledger
    from rillet.core.store.summaries import Summary

translate = QCoreApplication.translate

TRIM, SUMMARIZE, SEND_ALL, EDIT, UNDO, STOP, LEDGER = (
    "trim", "summarize", "send-all", "edit-summary", "undo-summary", "stop-summary", "ledger",
)  # fmt: skip
"""What can be done."""
NEAR: Final = 0.8
"""Share of the window from which on there may be no room for an answer."""
_SHOWN: Final = 240
"""Letters of a summary that are shown in the chat."""


class Said(NamedTuple):
    """A text, more of it, and what can be done: a key and the words for it, each."""

    text: str = ""
    detail: str = ""
    actions: tuple[tuple[str, str], ...] = ()


def summary_mark(summary: Summary, count: int) -> Said:
    """At the line below what is summarized: so many questions."""
    one, many = (
        translate("Horizon", "Summarized: 1 question above"),
        translate("Horizon", "Summarized: {count} questions above"),
    )
    text = " ".join(summary.text.split())
    detail = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rsplit(' ', 1)[0]} …"
    actions = (EDIT, translate("Horizon", "Show and edit…")), (UNDO, translate("Horizon", "Undo"))
    return Said(one if count == 1 else many.format(count=count), detail, actions)


def trim_mark(ledger: Ledger) -> Said:
    """At the line below what is left out."""
    last = ledger.turns.index(ledger.standing("left out")[-1])
    pinned = any(turn.is_pinned for turn in ledger.turns[:last])
    detail = translate("Horizon", "What is pinned is sent all the same.") if pinned else ""
    actions = (SUMMARIZE, translate("Horizon", "Summarize them")), (SEND_ALL, translate("Horizon", "Send them again"))
    return Said(translate("Horizon", "Messages above this line are no longer sent"), detail, actions)


def being_summarized(name: str) -> Said:
    """While a summary is written that was asked for by hand."""
    words = translate("Horizon", "{name} summarizes the oldest questions…")
    return Said(words.format(name=name), actions=((STOP, translate("Horizon", "Stop")),))


def problem(text: str) -> Said:
    """A summary that was asked for by hand has failed."""
    return Said(text, actions=(_summarize(), _trim()))


def way_on(ledger: Ledger | None, *, too_long: bool) -> Said:
    """What can be done about an answer of which nothing came: it was refused as ``too_long``, or not summarized."""
    if not too_long:
        return Said(translate("Horizon", "Go on without a summary:"), actions=(_trim(),))
    if ledger is not None and not spared(ledger).due:
        alone = translate(
            "Horizon", "The question alone is too long: shorten it, or choose a model with a larger window."
        )
        return Said(alone, actions=(_ledger(),))
    words = translate("Horizon", "The provider refused this chat as too long. Go on with less of it:")
    return Said(words, actions=(_trim(), _summarize()))


def prospect(now: Ledger, question: int, name: str) -> Said:
    """What comes of a question of so many tokens; ``name`` summarizes."""
    if now.window is None:
        return Said()
    then = facing(now, question)
    used, window = tokens(then.used), tokens(now.window)
    if then.rule == "keep" and then.used > NEAR * now.window:
        words = translate(
            "Horizon", "This chat is about to outgrow the model: about {used} of {window} tokens would be sent."
        )
        return Said(words.format(used=used, window=window), actions=(_summarize(), _trim()))
    if question and then.excess and not then.due and then.rule != "keep":
        words = translate(
            "Horizon", "This is too long for the model: about {used} of {window} tokens leave no room for an answer."
        )
        return Said(words.format(used=used, window=window), actions=(_ledger(),))
    if question and then.due:
        words = translate("Horizon", "Before this is sent, {name} summarizes the oldest questions ({count}).")
        return Said(words.format(count=len(then.due), name=name), actions=(_trim(),))
    more = len(then.standing("left out")) - len(now.standing("left out"))
    if question and more > 0:
        words = translate("Horizon", "With this, {count} more of the oldest questions are no longer sent.")
        return Said(words.format(count=more), actions=(_summarize(),))
    return Said()


def _trim() -> tuple[str, str]:
    return TRIM, translate("Horizon", "Leave out the oldest")


def _summarize() -> tuple[str, str]:
    return SUMMARIZE, translate("Horizon", "Summarize the oldest")


def _ledger() -> tuple[str, str]:
    return LEDGER, translate("Horizon", "What is sent")
