"""Key stores that obey, are locked, hang, forget or are not trusted. They pretend to be classes of ``keyring``."""

from __future__ import annotations

import threading

from keyring.errors import KeyringLocked, PasswordDeleteError


class FakeKeyStore:
    """A store of the system, in memory.

    Attributes:
        secrets: What it holds, by account.
        calls: How often it was asked.
        locked: Whether nobody opens it.
        gate: Every call waits for it; set from the beginning.
    """

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.calls = 0
        self.locked = False
        self.gate = threading.Event()
        self.gate.set()

    def get_password(self, service: str, username: str) -> str | None:
        self._open(service)
        return self.secrets.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open(service)
        self.secrets[username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open(service)
        if self.secrets.pop(username, None) is None:
            raise PasswordDeleteError("No such password!")

    def _open(self, service: str) -> None:
        assert service == "Rillet"
        self.calls += 1
        self.gate.wait(30)
        if self.locked:
            raise KeyringLocked("Failed to unlock the collection!")


FakeKeyStore.__module__ = "keyring.backends.SecretService"


class NullStore(FakeKeyStore):
    """Takes everything and keeps nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Forget it at once."""


NullStore.__module__ = "keyring.backends.null"


class PlainStore(FakeKeyStore):
    """Writes secrets as they are."""


PlainStore.__module__ = "keyrings.alt.file"


class ForgetfulStore(NullStore):
    """A store of the system that keeps nothing all the same."""


ForgetfulStore.__module__ = "keyring.backends.kwallet"


class Chain:
    """``keyring``'s choice when several stores are installed."""

    def __init__(self, *backends: FakeKeyStore) -> None:
        self.backends = backends


Chain.__module__ = "keyring.backends.chainer"
