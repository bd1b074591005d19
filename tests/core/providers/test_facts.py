"""What is known about models, and who is believed."""

from __future__ import annotations

import json
import logging
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.providers import local_model
from rillet.core.providers.builtin import builtin_providers, entry
from rillet.core.providers.compatible import compatible
from rillet.core.providers.facts import FactBook, ModelFacts
from rillet.core.providers.local_child import CONTEXT
from rillet.core.types import Model, Prices

if TYPE_CHECKING:
    from pathlib import Path

OPENAI = entry("openai").provider()
BOOK = FactBook(
    {"openai": [ModelFacts(id="big-1", aliases=("big",), context_window=1000, vision=True, prices=Prices(input=2.0))]}
)


def file() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((resources.files("rillet.resources") / "models.json").read_bytes())
    return data


@pytest.mark.parametrize("name", ["big-1", "big", "BIG-1", "big-1-2026-11-30", "big-1-20261130", "big-1@20261130",
                                  "big-latest", "models/big-1", "big-1-001"])  # fmt: skip
def test_a_model_is_found_by_its_names_and_those_of_its_versions(name: str) -> None:
    found = BOOK.find(OPENAI, name)
    assert found is not None
    assert found.id == "big-1"


@pytest.mark.parametrize("name", ["big-2", "big-1-mini", "bigger", "", "big-1-2026", "vendor/big-1"])
def test_nothing_is_guessed_from_a_name(name: str) -> None:
    assert BOOK.find(OPENAI, name) is None


def test_facts_belong_to_the_provider_whose_models_they_are() -> None:
    assert BOOK.find(entry("openai-responses").provider(), "big-1") is not None
    assert BOOK.find(entry("azure").provider(base_url="https://x.openai.azure.com"), "big-1") is not None
    assert BOOK.find(compatible("https://api.openai.com/v1"), "big-1") is not None
    assert BOOK.find(entry("mistral").provider(), "big-1") is None
    assert BOOK.find(compatible("https://gateway.example/v1"), "big-1") is None


def test_what_the_provider_tells_is_completed_not_replaced() -> None:
    live = Model("big-1", context_window=900, vision=False)
    (model,) = BOOK.complete(OPENAI, [live])
    assert model == Model("big-1", context_window=900, vision=False, prices=Prices(input=2.0))
    assert BOOK.complete(OPENAI, [Model("unknown")]) == [Model("unknown")], "unknown stays unknown"


def test_what_the_user_writes_wins(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    entered = {"providers": {"openai": {"models": [{"id": "big-1", "name": "Mine", "vision": False}]}}}
    path.write_text(json.dumps(entered))
    live = Model("big-1", name="Big", context_window=900, vision=True)
    assert FactBook.read(path).correct(OPENAI, [live]) == [
        Model("big-1", name="Mine", context_window=900, vision=False)
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"providers": {"openai": {"models": [{"name": "no id"}]}}}',
                                     b'{"providers": {}, "typo": 1}', b"\xff"])  # fmt: skip
def test_a_file_that_cannot_be_understood_is_reported_and_does_no_harm(
    content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    path = tmp_path / "models.json"
    path.write_bytes(content)
    assert FactBook.read(path).find(OPENAI, "big-1") is None
    assert "the facts in" in caplog.text
    caplog.clear()
    assert FactBook.read(tmp_path / "nowhere").find(OPENAI, "big-1") is None
    assert not caplog.text


def test_the_facts_that_rillet_brings_are_dated_sourced_and_plausible() -> None:
    data = file()
    assert data["checked"].startswith("2026-")
    assert set(data["providers"]) <= {known.id for known in builtin_providers()} | {local_model.ID}
    for provider, facts in data["providers"].items():
        assert all(source.startswith("https://") for source in facts["sources"]), provider
        names = [name.lower() for each in facts["models"] for name in (each["id"], *each.get("aliases", ()))]
        assert len(names) == len(set(names)), f"{provider} names a model twice"
        for each in facts["models"]:
            prices = each["prices"]
            if provider == local_model.ID:
                assert prices == {"input": 0, "output": 0}
                continue
            assert 0 < prices["input"] <= prices["output"], each["id"]
            assert prices.get("cached_input", 0) < prices["input"], each["id"]
            assert each.get("output_limit", 0) <= each.get("context_window", 10**9), each["id"]


def test_the_built_in_model_is_known_to_be_free_and_how_much_it_takes() -> None:
    provider = local_model.local_provider()
    (model,) = FactBook.builtin().complete(provider, [Model(provider.default_model or "")])
    assert (model.context_window, model.prices) == (CONTEXT, Prices(input=0, output=0))


def test_the_models_that_providers_name_themselves_are_known() -> None:
    book = FactBook.builtin()
    for known in builtin_providers():
        for model in known.models:
            assert book.find(known.provider(), model) is not None
    opus = book.find(entry("anthropic").provider(), "claude-haiku-4-5-20251001")
    assert opus is not None
    assert opus.prices == Prices(input=1, cached_input=0.1, output=5)
    assert book.find(OPENAI, "gpt-5.4-2026-03-05") is not None
