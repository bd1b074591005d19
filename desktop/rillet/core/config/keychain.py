"""Secrets in the key store of the operating system, through ``keyring``: the only module that knows it.

    keychain = Keychain()
    await keychain.keep("https://api.openai.com/v1", key)

Every call waits on a thread, because a store may ask the person for a password, or never answer (a D-Bus service that
does not start makes others wait for two minutes; jaraco/keyring#434). Above: nothing of Rillet. Below: the program's
``keys``. Guarantees: a store that would write plain text, or keep nothing, is never used by itself, whatever
``keyring`` is configured to; a locked store is never taken for an empty one; no error holds a secret.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

log = logging.getLogger("rillet.config")

T = TypeVar("T")

SERVICE: Final = "Rillet"
"""Under which name the system shows our secrets."""
PATIENCE: Final = 120.0
"""Seconds for a person to answer a question of the key store."""
SYSTEM_STORES: Final = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
)
"""Modules of the stores that encrypt with the person's login. Everything else that may be installed is not known."""
_KEEPS_NOTHING: Final = ("keyring.backends.null", "keyring.backends.fail")
_CHAIN: Final = "keyring.backends.chainer"


class Backend(Protocol):
    """What we ask of a key store; ``keyring.backend.KeyringBackend`` is one."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, or None."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""

    def delete_password(self, service: str, username: str) -> None:
        """Forget a secret."""


class KeychainError(Exception):
    """The key store cannot be used."""

    advice: ClassVar[str] = "Keys are kept until you quit."
    store: str = ""
    """The name of a store: module and class, where it matters."""

    @property
    def user_message(self) -> str:
        """What happened, and what follows."""
        return self.told()

    def told(self, translate: Callable[[str], str] = str) -> str:
        """``user_message``, every fixed sentence of it by way of ``translate``, which leaves ``{store}`` alone."""
        summary = translate(str(self.args[0])).rstrip(".").replace("{store}", self.store)
        return f"{summary}. {translate(self.advice)}"

    def __str__(self) -> str:
        return str(self.args[0]).replace("{store}", self.store)


class NoKeychain(KeychainError):
    """This system has none, or none that runs."""


class Locked(KeychainError):
    """It is there, and was not opened. What it holds is not lost."""

    advice = "The keys in it are not lost: unlock it, then try again."


class Silent(KeychainError):
    """It does not answer."""

    advice = "The keys in it are not lost: look for a window that asks for its password, then try again."


class Refused(KeychainError):
    """It did not do what it was asked to."""


class Untrusted(KeychainError):
    """It is none of the system's, and may write plain text."""

    advice = "It is not used unless you say so; keys are kept until you quit."

    def __init__(self, store: str) -> None:
        super().__init__("The key store {store} is none of the operating system's and may not encrypt")
        self.store = store


class Keychain:
    """The key store. Coroutines; on any event loop.

    Args:
        trusted: Name of a store that the person wants to be used although it is none of the system's.
        backend: Finds the store; blocks. For tests.
    """

    def __init__(self, trusted: str | None = None, backend: Callable[[], Backend] | None = None) -> None:
        self._trusted = trusted
        self._find = backend or _configured

    async def load(self, accounts: Iterable[str], patience: float = PATIENCE) -> dict[str, str]:
        """The secrets of those accounts that have one.

        Raises:
            KeychainError: the store cannot be asked; what is in it is not known.
        """
        names = list(accounts)
        found = await self._call(lambda store: [store.get_password(SERVICE, name) for name in names], patience)
        return {name: secret for name, secret in zip(names, found, strict=True) if secret}

    async def keep(self, account: str, secret: str, patience: float = PATIENCE) -> None:
        """Keep a secret, in the place of an older one.

        Raises:
            KeychainError: it is not kept.
        """

        def put(store: Backend) -> bool:
            store.set_password(SERVICE, account, secret)
            return store.get_password(SERVICE, account) == secret

        if not await self._call(put, patience):
            raise Refused("The key store did not keep the key")

    async def forget(self, account: str, patience: float = PATIENCE) -> None:
        """Delete a secret; harmless when there is none.

        Raises:
            KeychainError: it may still be there.
        """

        def delete(store: Backend) -> None:
            if store.get_password(SERVICE, account) is not None:
                store.delete_password(SERVICE, account)

        await self._call(delete, patience)

    async def _call(self, work: Callable[[Backend], T], patience: float) -> T:
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._do, work), patience)
        except TimeoutError:
            raise Silent("The key store of this system does not answer") from None

    def _do(self, work: Callable[[Backend], T]) -> T:
        """Blocks. Stores of others raise whatever they like, perhaps with the secret in it: only its class is told."""
        try:
            return work(_accepted(self._find(), self._trusted))
        except KeychainError:
            raise
        except Exception as error:  # noqa: BLE001 (the boundary to stores of others)
            log.warning("the key store failed: %s", type(error).__name__)
            raise _trouble_of(error) from None


def store_name(store: object) -> str:
    """Module and class of a store."""
    return f"{type(store).__module__}.{type(store).__qualname__}"


def _configured() -> Backend:
    import keyring  # 90 ms, and it may wait for D-Bus

    return keyring.get_keyring()


def _accepted(store: Backend, trusted: str | None) -> Backend:
    """The store if it may be used; of a chain of stores the first that may."""
    name = store_name(store)
    if name.startswith(_KEEPS_NOTHING):
        raise NoKeychain("This system has no key store, or none that runs")
    if name.startswith(_CHAIN):
        links = list(getattr(store, "backends", ()))
        usable = (each for each in links if store_name(each).startswith(SYSTEM_STORES) or store_name(each) == trusted)
        first = next(usable, None)
        if first is not None:
            return first  # type: ignore[no-any-return]  # (keyring says no types here)
        if not links:
            raise NoKeychain("This system has no key store, or none that runs")
        raise Untrusted(store_name(links[0]))
    if name.startswith(SYSTEM_STORES) or name == trusted:
        return store
    raise Untrusted(name)


def _trouble_of(error: Exception) -> KeychainError:
    from keyring.errors import InitError, KeyringLocked, NoKeyringError

    if isinstance(error, NoKeyringError):
        return NoKeychain("This system has no key store, or none that runs")
    if isinstance(error, KeyringLocked | InitError) or "Locked" in type(error).__name__:
        return Locked("The key store is locked")
    return Refused("The key store did not do what it was asked to")
