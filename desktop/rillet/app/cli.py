"""One question, answered in the terminal: the same path as in the window, with a listener that prints.

Above: ``services``, ``qt``. Below: ``rillet --ask``. The answer goes to standard output, everything else to standard
error. Exit codes: 0 answered, 1 failed, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app.interrupt import Interrupt
from rillet.app.services import Services
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.errors import Cancelled, LlmError
from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import StreamingListener

if TYPE_CHECKING:
    from collections.abc import Callable

ANSWERED, FAILED, INTERRUPTED = 0, 1, 130


def ask(question: str) -> int:
    """Ask whoever is chosen in the window, print the answer as it comes, and return the exit code."""
    app = QCoreApplication.instance() or QCoreApplication(sys.argv[:1])
    settings_file = SettingsFile(paths().settings)
    settings_file.load()
    services = Services(settings_file)
    choice = services.choice
    server = choice.provider.server
    if server is not None and server.is_available and not server.is_running:
        _say(f"{choice.provider.label}: a small offline model, fluent, often wrong. Starting it…")
    printer = _Printer()
    request = ChatRequest([ChatMessage.user(question)], model=choice.model)
    resource = services.client(choice.provider).chatStream(request, printer)
    printer.on_closed = resource.cancel
    interrupt = Interrupt(resource.cancel)
    try:
        response = resource.get()
    except Cancelled:
        printer.end()
        return FAILED if printer.is_closed else INTERRUPTED
    except LlmError as error:
        printer.end()
        _say(error.user_message)
        return FAILED
    finally:
        interrupt.close()
        services.close()
        app.processEvents()
    printer.end()
    if response.finish_reason == "length":
        _say("The answer was cut: it reached the limit of its length.")
    elif not response.text:
        _say(response.refusal or "The model sent an empty answer.")
    return ANSWERED


class _Printer(StreamingListener):
    """Prints the text as it comes."""

    def __init__(self) -> None:
        self.on_closed: Callable[[], bool] = bool
        self.is_closed = False
        self._last = "\n"

    def onContentDelta(self, textDelta: str) -> None:
        self._print(textDelta)

    def onRetry(self, attempt: int, delaySeconds: float, error: LlmError) -> None:
        _say(f"{error.user_message} Trying again in {max(1, round(delaySeconds))} s (attempt {attempt}).")

    def end(self) -> None:
        """Leave the cursor at the start of a line."""
        if self._last != "\n":
            self._print("\n")

    def _print(self, text: str) -> None:
        if self.is_closed or not text:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
            self._last = text[-1]
        except BrokenPipeError:  # "rillet --ask … | head"
            self.is_closed = True
            self.on_closed()


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
