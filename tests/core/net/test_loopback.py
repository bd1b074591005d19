"""What is this machine, and what only looks like it."""

from __future__ import annotations

from rillet.core.net.loopback import is_loopback


def test_names_that_only_look_local_are_not() -> None:
    assert not is_loopback("localhost.example.com")
    assert not is_loopback("mylocalhost")
    assert not is_loopback("128.0.0.1")
    assert is_loopback("LOCALHOST.")
