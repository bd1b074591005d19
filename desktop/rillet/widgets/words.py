"""What the view says about an answer: what it waits for, how it ended, why it failed.

Knows no widgets. Above: ``core/errors`` says it in English and free of Qt; every fixed sentence of it passes through
the application's translators here. Below: ``message_handle``, and the dialogs of the program. Guarantee: what a
provider or the network said stays in their words.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

if TYPE_CHECKING:
    from rillet.core.errors import LlmError
    from rillet.core.types import FinishReason

translate = QCoreApplication.translate

_ERRORS = (
    QT_TRANSLATE_NOOP("LlmError", "The provider"),
    QT_TRANSLATE_NOOP("LlmError", "Try again."),
    QT_TRANSLATE_NOOP("LlmError", "Try again in {time}."),
    QT_TRANSLATE_NOOP("LlmError", "{count} second"),
    QT_TRANSLATE_NOOP("LlmError", "{count} seconds"),
    QT_TRANSLATE_NOOP("LlmError", "{count} minute"),
    QT_TRANSLATE_NOOP("LlmError", "{count} minutes"),
    QT_TRANSLATE_NOOP("LlmError", "{count} hour"),
    QT_TRANSLATE_NOOP("LlmError", "{count} hours"),
    QT_TRANSLATE_NOOP("LlmError", "{provider} could not answer"),
    QT_TRANSLATE_NOOP("LlmError", "{provider} refused the key"),
    QT_TRANSLATE_NOOP("LlmError", "Check the key and what it is allowed to do."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} has had enough requests for now"),
    QT_TRANSLATE_NOOP("LlmError", "Waiting will not help: check the quota and billing of the account."),
    QT_TRANSLATE_NOOP("LlmError", "The conversation is too long for this model"),
    QT_TRANSLATE_NOOP("LlmError", "Start a new chat, remove long messages, or choose a model with a larger context."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} did not accept the request"),
    QT_TRANSLATE_NOOP(
        "LlmError", "Change the message or the settings of this chat; sending it again unchanged will not help."
    ),
    QT_TRANSLATE_NOOP("LlmError", "{provider} does not offer this model"),
    QT_TRANSLATE_NOOP("LlmError", "Choose another model."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} is overloaded"),
    QT_TRANSLATE_NOOP("LlmError", "Try again in a moment, or choose another model."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} had an internal error"),
    QT_TRANSLATE_NOOP("LlmError", "The connection to {provider} failed"),
    QT_TRANSLATE_NOOP("LlmError", "Check the network and the address of the provider, then try again."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} took too long"),
    QT_TRANSLATE_NOOP("LlmError", "Try again, or allow more time in the provider's settings."),
    QT_TRANSLATE_NOOP("LlmError", "{provider} refused the content of the request"),
    QT_TRANSLATE_NOOP("LlmError", "Rephrase the message."),
    QT_TRANSLATE_NOOP("LlmError", "Stopped"),
    QT_TRANSLATE_NOOP("LlmError", "Send the message again to start over."),
)
"""What the kinds of errors say, for the tools that collect texts to be translated. Advice for a single cause is looked
up as well, and stays English where no catalogue has it."""


def sentence(error: LlmError) -> str:
    """Why it failed, and what to do about it."""
    return error.told(partial(translate, "LlmError"))


def details(error: LlmError) -> str:
    """What support may ask for, one fact a line: what the provider said, its codes, the number of the request."""
    facts = {
        translate("Answer", "Provider"): error.provider,
        translate("Answer", "Status"): error.status,
        translate("Answer", "Code"): error.code,
        translate("Answer", "Type"): error.type,
        translate("Answer", "Request"): error.request_id,
        translate("Answer", "Message"): error.message,
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items() if value)


def ending(reason: FinishReason | None) -> str:
    """How an answer ended; "" when as usual. Short enough for one line in a narrow window."""
    match reason:
        case "length":
            return translate("Answer", "Incomplete: the length limit was reached")
        case "content_filter":
            return translate("Answer", "Incomplete: ended by the content filter")
        case "refusal":
            return translate("Answer", "The model declined to answer")
        case "pause":
            return translate("Answer", "Incomplete: the model paused")
        case "error":
            return translate("Answer", "Incomplete: ended by an error of the provider")
        case "tool_calls":
            return translate("Answer", "The model asked for a tool, and there is none")
        case _:
            return ""


def stopped() -> str:
    """The person ended it."""
    return translate("Answer", "Stopped by you")


def interrupted() -> str:
    """The program ended in the middle of it."""
    return translate("Answer", "Interrupted: the program ended before the answer did")


def waiting() -> str:
    """A tool of it waits for an answer."""
    return translate("Answer", "Waiting for you")


def too_many_turns() -> str:
    """The agent was stopped by its limit of turns."""
    return translate("Answer", "Incomplete: the model went on calling tools for too long")


def empty() -> str:
    """Nothing came."""
    return translate("Answer", "The model sent an empty answer")


def failed() -> str:
    """It failed, and nobody said why."""
    return translate("Answer", "The answer failed.")


def runs_in(folder: str) -> str:
    """Where a command that is asked about would run."""
    return translate("ApprovalCard", "It runs in the folder {folder}.").format(folder=folder)


def sends(request: str) -> str:
    """What a tool that is asked about would send, and where to."""
    return translate("ApprovalCard", "It sends: {request}").format(request=request)


def trying_again(attempt: int, seconds: float) -> str:
    """Attempt number ``attempt`` follows in so many seconds."""
    words = translate("Answer", "Trying again in {seconds} s (attempt {attempt})")
    return words.format(seconds=max(1, round(seconds)), attempt=attempt)
