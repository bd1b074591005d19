"""What the program remembers between two starts, as one small JSON file.

Holds no secret: keys are in ``keychain``, in the environment, or stay in memory. Above: ``paths``. Guarantees: a crash
while saving leaves the old file or the new one, never half of one; of a file that cannot be understood a copy is set
aside, and what can be understood of it holds; a file that could not be read is never written over; settings of a newer
version stay in the file.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("rillet.config")


class EndpointSettings(msgspec.Struct, frozen=True):
    """An endpoint that the user entered."""

    url: str
    model: str | None = None
    style: str | None = None
    """None: the one that the address tells."""


class AddedProvider(msgspec.Struct, frozen=True, omit_defaults=True):
    """A provider that Rillet knows by name, and that the user added or changed."""

    id: str
    url: str | None = None
    """None: the provider's own address."""
    model: str | None = None
    """None: the provider's own default."""


class ModelName(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model, by whose it is."""

    provider: str
    model: str | None = None
    """None: the provider's default model."""


class Prompt(msgspec.Struct, frozen=True):
    """A text that is written again and again; see ``core/chat/prompts``."""

    name: str
    """Without spaces: it is a command."""
    text: str


class Persona(msgspec.Struct, frozen=True):
    """How a chat is answered, under a name."""

    name: str
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    """What a chat sets that has it."""


class NetworkSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How all providers are reached; see ``core/net/profile``. Holds no password."""

    proxy: Literal["system", "none", "url"] = "system"
    proxy_url: str = ""
    """Without user and password."""
    proxy_user: str = ""
    no_proxy: tuple[str, ...] = ()
    ca_file: str = ""
    connect_timeout: float = 15.0
    idle_timeout: float = 600.0
    """Seconds without anything meaningful; also until the first sign of an answer."""


class ToolSetup(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tools that the user set up. Which of them a chat is offered stands with the chat."""

    servers: dict[str, Any] = msgspec.field(default_factory=dict)
    """MCP servers by their names: entries as the JSON of ``mcpServers`` has them."""
    skill_folders: tuple[str, ...] = ()
    skills_off: tuple[str, ...] = ()
    trusted_folders: tuple[str, ...] = ()
    """Workspaces whose own skills may be used."""
    off: tuple[str, ...] = ()
    """Built-in tools that no chat is offered."""
    off_of_servers: tuple[tuple[str, str], ...] = ()
    """Servers, and their own names for tools that no chat is offered."""
    sets: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Names of tools that are switched on and off together, by the name of the set."""
    folders: tuple[str, ...] = ()
    """Workspaces that were chosen last, the last one first."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """All settings; change them with ``msgspec.structs.replace``."""

    provider: str | None = None
    """Id of the chosen provider; None: the built-in model."""
    model: str | None = None
    """The chosen model; None: the provider's default."""
    favourite_models: tuple[ModelName, ...] = ()
    recent_models: tuple[ModelName, ...] = ()
    """Models that were chosen last, the last one first."""
    prompts: tuple[Prompt, ...] = ()
    personas: tuple[Persona, ...] = ()
    endpoints: tuple[EndpointSettings, ...] = ()
    added: tuple[AddedProvider, ...] = ()
    stored_keys: tuple[str, ...] = ()
    """Accounts that have a key in the key store, so that nobody asks it who has none there."""
    trusted_keychain: str | None = None
    """A key store that is none of the system's, and is used because the user said so."""
    network: NetworkSettings = NetworkSettings()
    titles: Literal["off", "words", "model"] = "words"
    """How a chat gets its name: not by itself, from the words of its first question, or by a model."""
    title_model: ModelName | None = None
    """That model; None: the one that answers."""
    overflow: Literal["trim", "summarize", "keep"] = "trim"
    """What is done when a chat outgrows the window, where the chat itself does not say: a ``Rule`` of its plan."""
    summary_model: ModelName | None = None
    """Who writes summaries, where the chat does not say; None: the one that answers."""
    tools: ToolSetup = ToolSetup()
    welcomed: bool = False
    """Whether the person has seen the page of the first start, or did without it."""
    shortcuts: dict[str, str] = msgspec.field(default_factory=dict)
    """Keys of actions by their ids, where the person wants others than ours; empty: none."""
    recent_actions: tuple[str, ...] = ()
    """Ids of what was chosen in the command palette last, the last one first."""


class SettingsFile:
    """Loads and saves ``Settings`` at one path. ``save`` may be called on any thread.

    Attributes:
        settings: What holds now: loaded, then changed.
        set_aside: Where ``load`` put the copy of a file that it could not understand, or None.
        lost: Names of settings that it could not understand; of a file that is none, there are none.
        unread: Why ``load`` could not read the file, or None.
        keep: Called when something was changed; saves at once unless somebody else sees to it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.settings = Settings()
        self.set_aside: Path | None = None
        self.lost: tuple[str, ...] = ()
        self.unread: OSError | None = None
        self.keep: Callable[[], None] = self._save_or_log
        self._others: dict[str, Any] = {}
        """What a newer version has set."""
        self._saving = threading.Lock()

    def load(self) -> Settings:
        """What was saved last; the defaults when there is nothing, or nothing readable."""
        self.set_aside, self.lost, self.unread, self._others = None, (), None, {}
        self.settings = Settings()
        try:
            self._understand(self._path.read_bytes())
        except FileNotFoundError:
            pass
        except OSError as error:
            log.warning("the settings cannot be read: %s", error)
            self.unread = error
        return self.settings

    def change(self, **changes: object) -> None:
        """Change settings and keep them all. A disk that refuses costs the memory of it, not the program."""
        self.settings = msgspec.structs.replace(self.settings, **changes)
        self.keep()

    def forget_others(self) -> None:
        """Let go of what a newer version has set, too."""
        self._others = {}

    def save(self) -> None:
        """Write everything as it is now. Raises OSError when the disk refuses; the old file is then untouched."""
        with self._saving:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            content = _encoded({**self._others, **msgspec.to_builtins(self.settings)})
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                if self.unread is not None and self._path.exists():
                    self._path.replace(self._aside())  # (it may hold everything)
                self.unread = None
                Path(name).replace(self._path)
            except BaseException:  # (also cancelled: half a file is not left)
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise

    def _save_or_log(self) -> None:
        try:
            self.save()
        except OSError as error:
            log.warning("the settings could not be saved: %s", error)

    def _understand(self, data: bytes) -> None:
        try:
            found = _decoded(data)
        except (ValueError, RecursionError) as error:
            log.warning("the settings cannot be read: %s", error)
            self._put_aside(data)
            return
        known = {field.encode_name: field for field in msgspec.structs.fields(Settings)}
        self._others = {name: value for name, value in found.items() if name not in known}
        usable, lost = {}, []
        for name in found.keys() & known.keys():
            try:
                usable[known[name].name] = msgspec.convert(found[name], known[name].type)
            except msgspec.ValidationError as error:
                log.warning("the setting %s cannot be used: %s", name, error)
                lost.append(name)
        self.settings, self.lost = Settings(**usable), tuple(sorted(lost))
        if lost:
            self._put_aside(data)

    def _put_aside(self, data: bytes) -> None:
        """Keep a copy under another name; where nothing can be written the file itself is all there is."""
        aside = self._aside()
        try:
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
        except OSError as error:
            log.warning("the settings could not be set aside: %s", error)
            self.unread = error
            with contextlib.suppress(OSError):
                aside.unlink()
        else:
            self.set_aside = aside
            self._save_or_log()  # (or the next start would set the same file aside)

    def _aside(self) -> Path:
        """A name that nothing has yet."""
        number = 1
        while (
            aside := self._path.with_name(f"{self._path.stem}.broken{'' if number == 1 else f'-{number}'}.json")
        ).exists():
            number += 1
        return aside


def _encoded(content: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.format(msgspec.json.encode(content), indent=2)
    except UnicodeEncodeError:  # the name of a folder that is no text, as Python holds it
        return json.dumps(content, indent=2).encode()


def _decoded(data: bytes) -> dict[str, Any]:
    """Raises ValueError or RecursionError: it is no JSON object."""
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError:
        found = json.loads(data)
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object") from None
        return found
