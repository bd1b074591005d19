"""The secrets that the program holds: from the key store of the system, or for this session only.

Above: ``core/config/keychain`` on the engine thread. Below: ``services`` gives them to providers. Guarantees: the GUI
never waits for the key store, and a first question no longer than ``START_SECONDS`` for its key; who has no key in it
is never asked by it; what cannot be kept stays usable until the program quits, and that is told.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from rillet.app import coroutines
from rillet.core.config.keychain import Keychain, KeychainError, Untrusted

if TYPE_CHECKING:
    from rillet.core.config.settings import SettingsFile
    from rillet.qt.errands import Errands

START_SECONDS: Final = 2.0
"""How long after the start a question still waits for keys."""

Home: TypeAlias = Literal["store", "session"]


def account_of(base_url: str) -> str:
    """Under which name the key of an address is kept: a key belongs to one server."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def is_same_server(one: str, other: str) -> bool:
    """Whether a key for the one address may be sent to the other: scheme, host and port agree."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]


class Keys(QObject):
    """Secrets by account.

    Attributes:
        trouble: Why the key store could not be used when it was last wanted; None: it could, or nobody asked.

    Signals:
        changed(): There are other keys now, or another trouble.
    """

    changed = Signal()

    def __init__(self, errands: Errands, settings_file: SettingsFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._errands = errands
        self._file = settings_file
        self._secrets: dict[str, str] = {}
        self.trouble: KeychainError | None = None
        self._loading: asyncio.Task[None] | None = None
        self._deadline = 0.0
        self._turn = asyncio.Lock()
        """The store is asked one thing at a time: who forgets a key while it is being kept must find it kept."""

    def start(self) -> None:
        """Fetch the keys that are in the key store; does nothing where there are none."""
        if self._file.settings.stored_keys and (self._loading is None or self._loading.done()):
            self._deadline = time.monotonic() + START_SECONDS
            self._loading = coroutines.start(self.load())

    async def arrived(self) -> None:
        """Wait for the keys, but not for long: a store that asks for its password goes on doing so."""
        left = self._deadline - time.monotonic()
        if self._loading is not None and not self._loading.done() and left > 0:
            await asyncio.wait([self._loading], timeout=left)

    def secret(self, account: str | None) -> str | None:
        """The secret of an account, if it is known now."""
        return None if account is None else self._secrets.get(account)

    @property
    def missing(self) -> bool:
        """Whether the key store has keys that are not known."""
        return any(account not in self._secrets for account in self._stored)

    def home(self, account: str) -> Home | None:
        """Where the secret of an account is kept; None: there is none."""
        if account in self._file.settings.stored_keys:
            return "store"
        return "session" if account in self._secrets else None

    def hold(self, account: str, secret: str) -> None:
        """Use a secret until the program quits."""
        self._secrets[account] = secret
        self.changed.emit()

    async def keep(self, account: str, secret: str) -> None:
        """Use a secret, and keep it in the key store if that is possible; ``trouble`` tells."""
        self.hold(account, secret)
        async with self._turn:
            try:
                await self._errands.run(partial(self._keychain.keep, account, secret))
                self.trouble = None
                self._note(stored=self._stored | {account})
            except KeychainError as error:
                self.trouble = error
                self._note(stored=self._stored - {account})  # (an older secret must not come back at the next start)
        self.changed.emit()

    async def forget(self, account: str) -> bool:
        """Forget a secret everywhere; whether that worked: ``trouble`` tells why not."""
        self._secrets.pop(account, None)
        self.changed.emit()
        async with self._turn:
            if account not in self._stored:
                return True
            try:
                await self._errands.run(partial(self._keychain.forget, account))
                self.trouble = None
                self._note(stored=self._stored - {account})
            except KeychainError as error:
                self.trouble = error
        self.changed.emit()
        return account not in self._stored

    async def forget_all(self) -> bool:
        """Forget every secret everywhere; whether that worked: ``trouble`` tells why not."""
        forgotten = [await self.forget(account) for account in self._stored | self._secrets.keys()]
        return all(forgotten)

    async def load(self) -> None:
        """Fetch what is in the key store; also called to try again. ``trouble`` tells how it went."""
        async with self._turn:
            try:
                found = await self._errands.run(partial(self._keychain.load, self._file.settings.stored_keys))
                self._secrets = found | self._secrets
                self.trouble = None
            except KeychainError as error:
                self.trouble = error
        self.changed.emit()

    async def trust(self) -> None:
        """Use the store that was found although it is none of the system's, and keep there what is held."""
        if isinstance(self.trouble, Untrusted):
            self._file.change(trusted_keychain=self.trouble.store)
            for account, secret in list(self._secrets.items()):
                await self.keep(account, secret)

    @property
    def _stored(self) -> frozenset[str]:
        return frozenset(self._file.settings.stored_keys)

    def _note(self, *, stored: frozenset[str]) -> None:
        if stored != self._stored:
            self._file.change(stored_keys=tuple(sorted(stored)))

    @property
    def _keychain(self) -> Keychain:
        return Keychain(self._file.settings.trusted_keychain)
