"""What the program remembers between two starts, as one small JSON file.

Holds no secret: keys are in ``keychain``, in the environment, or stay in memory. Above: ``paths``. Guarantee: a crash
while saving leaves the old file or the new one, never half of one; a file that cannot be read is set aside under
another name and the program starts with the defaults.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import Any, Literal

import msgspec

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
    """How a chat gets its name: not by itself, from the words of its first question, or by the model that answers."""
    tools: ToolSetup = ToolSetup()
    welcomed: bool = False
    """Whether the person has seen the page of the first start, or did without it."""
    shortcuts: dict[str, str] = msgspec.field(default_factory=dict)
    """Keys of actions by their ids, where the person wants others than ours; empty: none."""
    recent_actions: tuple[str, ...] = ()
    """Ids of what was chosen in the command palette last, the last one first."""


class SettingsFile:
    """Loads and saves ``Settings`` at one path.

    Attributes:
        settings: What holds now: loaded, then changed.
        set_aside: Where an unreadable file was moved by the last ``load``, or None.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.set_aside: Path | None = None
        self.settings = Settings()

    def load(self) -> Settings:
        """What was saved last; the defaults when there is nothing, or nothing readable."""
        self.settings = self._read()
        return self.settings

    def _read(self) -> Settings:
        self.set_aside = None
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Settings)
        except FileNotFoundError:
            return Settings()
        except msgspec.DecodeError as error:
            log.warning("the settings cannot be read: %s", error)
            self._set_aside()
            return Settings()
        except OSError as error:
            log.warning("the settings cannot be read: %s", error)
            return Settings()

    def _set_aside(self) -> None:
        """Keep an unreadable file under another name; a folder that refuses keeps it under its own."""
        aside = self._path.with_name(f"{self._path.stem}.broken{self._path.suffix}")
        with contextlib.suppress(OSError):
            self.set_aside = self._path.replace(aside)

    def change(self, **changes: object) -> None:
        """Change settings and save them all. A disk that refuses costs the memory of it, not the program."""
        self.settings = msgspec.structs.replace(self.settings, **changes)
        try:
            self.save(self.settings)
        except OSError as error:
            log.warning("the settings could not be saved: %s", error)

    def save(self, settings: Settings) -> None:
        """Write everything. Raises OSError when the disk refuses; the old file is then untouched."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(settings), indent=2) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
