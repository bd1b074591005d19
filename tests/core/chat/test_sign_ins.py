"""Sign-ins at remote servers: told of when they change, brought back as they were told."""

from __future__ import annotations

import asyncio

from rillet.core.chat.sign_ins import SignIns
from rillet.core.tools.mcp.tokens import SignIn

SERVER = "https://example.com/mcp"
OTHER = "https://other.example.com"


def signed_in(token: str) -> SignIn:
    return SignIn(
        server=SERVER,
        issuer="https://id.example.com",
        resource=SERVER,
        client_id="us",
        token_endpoint="https://id.example.com/token",
        access_token=token,
        refresh_token="again",
    )


def test_what_was_told_brings_the_sign_in_back() -> None:
    async def go() -> None:
        told = []
        first = SignIns(lambda: told.append(first.kept))
        await first.put(signed_in("one"))
        second = SignIns(lambda: None)
        second.recall([SERVER], told[-1])
        assert await second.get(SERVER) == signed_in("one")
        await first.remove(SERVER)
        assert told[-1] == {}
        await first.remove(SERVER)
        assert len(told) == 2

    asyncio.run(go())


def test_nothing_older_takes_the_place_of_what_a_server_uses_and_what_is_damaged_is_passed_over() -> None:
    async def go() -> None:
        old = SignIns(lambda: None)
        await old.put(signed_in("old"))
        now = SignIns(lambda: None)
        await now.put(signed_in("new"))
        now.recall([SERVER, OTHER], {**old.kept, OTHER: "{nonsense"})
        assert await now.get(SERVER) == signed_in("new")
        assert await now.get(OTHER) is None
        now.recall([OTHER], old.kept)
        assert now.kept == {}, "of a server that is gone nothing stays, and nothing comes back"

    asyncio.run(go())
