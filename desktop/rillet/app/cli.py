"""One question, answered in the terminal: the same path as in the window, with a listener that prints.

Above: ``services``, ``cli_output``, ``qt``. Below: ``rillet --ask``. The answer goes to standard output, everything
else to standard error. Exit codes: 0 answered, 1 failed, 2 this cannot be asked, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from rillet.app.cli_output import EventOutput, Output, TextOutput, print_whatever_comes, say
from rillet.app.interrupt import Interrupt
from rillet.app.services import Choice, Services
from rillet.core.attachments.problems import Unreadable
from rillet.core.attachments.taken import as_taken
from rillet.core.config.keychain import Keychain, KeychainError
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.errors import Cancelled, LlmError
from rillet.core.types import ChatMessage, ChatRequest
from rillet.widgets.composer.attachment import Attachment
from rillet.widgets.composer.incoming import Source, read_source, sentence
from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_room

if TYPE_CHECKING:
    from rillet.core.config.settings import Settings
    from rillet.core.providers.provider import Provider

ANSWERED, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
STDIN = "-"
"""In the place of a question or a file: what comes on standard input."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the command line asks.

    Attributes:
        text: The question; ``STDIN``: it comes on standard input.
        files: Paths of what goes along.
        model: Whose answer is wanted (see ``choose``); None: whoever is chosen in the window.
        as_events: Print events as lines of JSON instead of the text.
    """

    text: str
    files: Sequence[str] = ()
    model: str | None = None
    as_events: bool = False


class Unusable(Exception):
    """This cannot be asked; the text of the error is a sentence that says why."""


def ask(question: Question) -> int:
    """Ask, print the answer as it comes, and return the exit code."""
    app = QCoreApplication.instance() or QCoreApplication(sys.argv[:1])
    print_whatever_comes()
    settings_file = SettingsFile(paths().settings)
    settings_file.load()
    secrets = _secrets(settings_file.settings)
    services = Services(settings_file)
    try:
        for account, secret in secrets.items():
            services.keys.hold(account, secret)
        choice = choose(services, question.model)
        name = choice.model or choice.provider.default_model
        if name is None:
            raise Unusable(f"{choice.provider.label} has no usual model. Name one: --model {choice.provider.id}/NAME")
        takes_files = services.known_model(choice.provider, name).pdf is True
        message = as_taken(message_of(question), takes_files)
        return _ask(services, choice, message, EventOutput() if question.as_events else TextOutput())
    except Unusable as error:
        say(str(error))
        return UNUSABLE
    finally:
        services.close()
        app.processEvents()


def choose(services: Services, wanted: str | None) -> Choice:
    """Whom ``wanted`` means: a provider's id, a model of the chosen provider, or both, joined with a slash.

    Raises:
        Unusable: this is empty, or names neither.
    """
    if wanted is None:
        return services.choice
    if not wanted.strip():
        raise Unusable("The name of the model is empty.")
    meant = [each for each in services.providers if f"{wanted}/".startswith(f"{each.id}/")]
    if not meant:
        return _of(services, services.choice.provider, wanted)
    provider = max(meant, key=lambda each: len(each.id))  # (an address is an id, too, and may be part of another)
    return _of(services, provider, wanted[len(provider.id) + 1 :] or None)


def _of(services: Services, provider: Provider, model: str | None) -> Choice:
    """A model of a provider. The built-in one has no other, and would answer to any name."""
    if provider.server is not None and model not in (None, provider.default_model):
        ids = ", ".join(each.id for each in services.providers)
        raise Unusable(
            f"There is no model or provider {model}. Providers here are: {ids}. Others are added in the window."
        )
    return Choice(provider, model)


def message_of(question: Question) -> ChatMessage:
    """The message to send: the text, what was piped in below it, and the files.

    Raises:
        Unusable: there is nothing to ask, or a file cannot be sent.
    """
    piped = _piped(wanted=STDIN in (question.text, *question.files))
    text, attachments = ("" if question.text == STDIN else question.text), list[Attachment]()
    try:
        if piped:
            given = _read(piped, "stdin")
            if given.part.media_type.startswith("text/"):
                said = given.data.decode().strip("\n")
                text = "\n\n".join(part for part in (text, said) if part.strip())
            else:
                attachments.append(given)
        for name in question.files:
            if name != STDIN:
                given = _read(Path(name), Path(name).name or name)
                check_room(tuple(attachments), given, Limits())
                attachments.append(given)
    except Unreadable as error:
        raise Unusable(sentence(error)) from error
    except AttachmentRefused as error:
        raise Unusable(str(error)) from error
    if not text.strip() and not attachments:
        raise Unusable("There is no question: neither a text nor a file.")
    return ChatMessage.user(text, *(each.part for each in attachments))


def _read(source: Source, name: str) -> Attachment:
    return asyncio.run(read_source(source, name, Limits().each))


def _piped(*, wanted: bool) -> bytes:
    """What stands on standard input, where it is ``wanted`` or a pipe or a file was connected to it."""
    if not wanted:
        try:
            kind = os.fstat(sys.stdin.fileno()).st_mode
        except (AttributeError, OSError, ValueError):  # there is none
            return b""
        if not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind)):
            return b""
    return sys.stdin.buffer.read(Limits().each + 1)


def _secrets(settings: Settings) -> dict[str, str]:
    """The keys that are in the key store of the system; a store that cannot be asked is told of."""
    if not settings.stored_keys:
        return {}
    try:
        return asyncio.run(Keychain(settings.trusted_keychain).load(settings.stored_keys))
    except KeychainError as error:
        say(error.user_message)
        return {}


def _ask(services: Services, choice: Choice, message: ChatMessage, output: Output) -> int:
    server = choice.provider.server
    if server is not None and server.is_available and not server.is_running:
        say(f"{choice.provider.label}: a small offline model, fluent, often wrong. Starting it…")
    resource = services.client(choice.provider).chatStream(ChatRequest([message], model=choice.model), output)
    output.on_closed = resource.cancel
    interrupt = Interrupt(resource.cancel)
    try:
        response = resource.get()
    except Cancelled:
        output.stop()
        return FAILED if output.is_closed else INTERRUPTED
    except LlmError as error:
        output.fail(error)
        return FAILED
    finally:
        interrupt.close()
    output.finish(response)
    return FAILED if output.is_closed else ANSWERED
