"""What ``rillet --ask`` prints: the text as it comes, or every event as a line of JSON.

Above: ``qt``. Below: ``cli``. Standard output has the answer and nothing else; sentences for people go to standard
error. Guarantee: when the reader goes away ("| head"), nothing more is written, and whoever asks is told.

Lines of JSON, each an object with ``type``: ``text`` and ``reasoning`` (``text``), ``restart`` (what came before is
void), ``retry`` (``attempt``, ``seconds``, ``kind``, ``message``), and last ``done`` (``text``, ``finish_reason``,
``model``, ``usage``, ``refusal``), ``error`` (``kind``, ``message``, ``text`` as far as it came) or ``stopped``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from typing import TYPE_CHECKING

import msgspec

from rillet.qt import StreamingListener

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatResponse


def say(sentence: str) -> None:
    """Tell the person."""
    sys.stderr.write(f"{sentence}\n")


def print_whatever_comes() -> None:
    """Have letters that the terminal cannot show be written by their numbers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _write_nowhere() -> None:
    """Let what is still in the buffer be lost without a word when the program ends."""
    with contextlib.suppress(OSError, ValueError):  # (it is no file)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Output(StreamingListener):
    """Prints one answer.

    Attributes:
        is_closed: Nobody reads any more.
        on_closed: Called when that is found out.
    """

    def __init__(self) -> None:
        self.on_closed: Callable[[], object] = bool
        self.is_closed = False

    def finish(self, response: ChatResponse) -> None:
        """The answer is complete."""

    def fail(self, error: LlmError) -> None:
        """There is no answer, or not all of it."""

    def stop(self) -> None:
        """The person has stopped it."""

    def write(self, text: str) -> None:
        """Print this now."""
        if self.is_closed or not text:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            self.is_closed = True
            if not isinstance(error, BrokenPipeError):  # (the reader has had enough)
                say(f"The answer cannot be written: {error.strerror}.")
            _write_nowhere()
            self.on_closed()


class TextOutput(Output):
    """The text alone."""

    def __init__(self) -> None:
        super().__init__()
        self._last = "\n"

    def onContentDelta(self, textDelta: str) -> None:
        """Print it."""
        if textDelta:
            self.write(textDelta)
            self._last = textDelta[-1]

    def onRestart(self) -> None:
        """What is printed cannot be taken back."""
        self.stop()
        say("The provider began its answer anew.")

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """Say why nothing comes."""
        say(f"{error.user_message} Trying again in {max(1, round(delaySeconds))} s (attempt {attempt}).")

    def finish(self, response: ChatResponse) -> None:
        """Say what is not to be seen in the text."""
        self.stop()
        if response.finish_reason == "length":
            say("The answer was cut: it reached the limit of its length.")
        elif not response.text:
            say(response.refusal or "The model sent an empty answer.")

    def fail(self, error: LlmError) -> None:
        """Say why."""
        self.stop()
        say(error.user_message)

    def stop(self) -> None:
        """Leave the cursor at the start of a line."""
        if self._last != "\n":
            self.write("\n")
            self._last = "\n"


class EventOutput(Output):
    """Lines of JSON."""

    def onContentDelta(self, textDelta: str) -> None:
        """A piece of the text."""
        self._event("text", text=textDelta)

    def onReasoningDelta(self, textDelta: str) -> None:
        """A piece of the reasoning."""
        self._event("reasoning", text=textDelta)

    def onRestart(self) -> None:
        """Everything before is void."""
        self._event("restart")

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        """It is tried again."""
        self._event("retry", attempt=attempt, seconds=delaySeconds, kind=error.kind, message=error.user_message)

    def finish(self, response: ChatResponse) -> None:
        """All of it."""
        self._event(
            "done",
            text=response.text,
            finish_reason=response.finish_reason,
            model=response.model,
            usage=None if response.usage is None else msgspec.to_builtins(response.usage),
            refusal=response.refusal,
        )

    def fail(self, error: LlmError) -> None:
        """As far as it came."""
        said = "" if error.partial is None else error.partial.text
        self._event("error", kind=error.kind, message=error.user_message, text=said)

    def stop(self) -> None:
        """The person has stopped it."""
        self._event("stopped")

    def _event(self, type_: str, **fields: object) -> None:
        self.write(json.dumps({"type": type_, **fields}, ensure_ascii=False) + "\n")
