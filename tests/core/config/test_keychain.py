"""The key store of the system: who is trusted with secrets, and what is told when nobody is."""

from __future__ import annotations

import asyncio
import logging

import pytest

from rillet.core.config.keychain import (
    Keychain,
    KeychainError,
    Locked,
    NoKeychain,
    Refused,
    Silent,
    Untrusted,
)
from support.key_stores import Chain, FakeKeyStore, ForgetfulStore, NullStore, PlainStore

CANARY = "sk-canary-5b1d"


def keychain(store: object, trusted: str | None = None) -> Keychain:
    return Keychain(trusted, lambda: store)  # type: ignore[arg-type, return-value]


async def test_a_secret_is_kept_found_and_forgotten() -> None:
    store = FakeKeyStore()
    chain = keychain(store)
    await chain.keep("a", CANARY)
    assert await chain.load(["a", "b"]) == {"a": CANARY}
    await chain.forget("a")
    await chain.forget("a")
    assert store.secrets == {}


async def test_a_locked_store_is_not_an_empty_one() -> None:
    store = FakeKeyStore()
    store.locked = True
    with pytest.raises(Locked) as caught:
        await keychain(store).load(["a"])
    assert "not lost" in caught.value.user_message


@pytest.mark.parametrize("store", [NullStore(), Chain(), Chain(PlainStore()), PlainStore()])
async def test_a_store_that_keeps_nothing_or_plain_text_gets_no_secret(store: FakeKeyStore | Chain) -> None:
    with pytest.raises((NoKeychain, Untrusted)):
        await keychain(store).keep("a", CANARY)
    with pytest.raises((NoKeychain, Untrusted)):
        await keychain(store).load(["a"])
    stores = store.backends if isinstance(store, Chain) else (store,)
    assert not any(each.calls for each in stores)


async def test_a_store_of_others_is_used_once_the_person_says_so() -> None:
    store = PlainStore()
    with pytest.raises(Untrusted) as caught:
        await keychain(store).keep("a", CANARY)
    assert caught.value.store == "keyrings.alt.file.PlainStore"
    await keychain(store, caught.value.store).keep("a", CANARY)
    assert store.secrets == {"a": CANARY}


async def test_a_store_that_keeps_nothing_is_never_trusted() -> None:
    with pytest.raises(NoKeychain):
        await keychain(NullStore(), "keyring.backends.null.NullStore").keep("a", CANARY)


async def test_of_several_stores_the_first_of_the_system_is_used() -> None:
    plain, good = PlainStore(), FakeKeyStore()
    await keychain(Chain(plain, good)).keep("a", CANARY)
    assert (plain.secrets, good.secrets) == ({}, {"a": CANARY})


async def test_what_was_not_kept_is_told() -> None:
    with pytest.raises(Refused):
        await keychain(ForgetfulStore()).keep("a", CANARY)


async def test_a_store_that_does_not_answer_holds_nobody_up() -> None:
    store = FakeKeyStore()
    store.gate.clear()
    try:
        with pytest.raises(Silent):
            await keychain(store).load(["a"], patience=0.01)
    finally:
        store.gate.set()
    assert await keychain(store).load(["a"]) == {}


async def test_an_error_that_quotes_the_secret_is_not_passed_on(caplog: pytest.LogCaptureFixture) -> None:
    class Quoting(FakeKeyStore):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise ValueError(f"cannot store {password!r}")

    Quoting.__module__ = FakeKeyStore.__module__
    with caplog.at_level(logging.DEBUG), pytest.raises(KeychainError) as caught:
        await keychain(Quoting()).keep("a", CANARY)
    assert CANARY not in f"{caught.value!r}{caught.value.user_message}{caught.value.__cause__}{caplog.text}"
    assert caught.value.__suppress_context__


async def test_several_calls_at_once_are_answered() -> None:
    store = FakeKeyStore()
    chain = keychain(store)
    await asyncio.gather(*(chain.keep(str(number), f"{number}") for number in range(8)))
    assert len(store.secrets) == 8
