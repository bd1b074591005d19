"""What the program keeps ready for answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rillet.core.chat.desk import PATIENCE, Desk
from rillet.core.providers.provider import Provider

if TYPE_CHECKING:
    from pathlib import Path

PROVIDER = Provider("p", "openai", "http://127.0.0.1:1/v1", default_model="m")


async def test_a_client_is_patient_and_stays_as_long_as_its_provider_does(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    try:
        client = desk.client(PROVIDER)
        assert client.patience == PATIENCE
        assert desk.client(PROVIDER) is client
        assert desk.client(replace(PROVIDER, api_key="new")) is not client
    finally:
        await desk.aclose()
