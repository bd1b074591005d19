"""Abilities and prices in lists of models."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import Prices
from rillet.core.wire.model_facts import read_facts
from rillet.core.wire.model_list import read_model

NOTHING = {"output_limit": None, "vision": None, "pdf": None, "tools": None, "reasoning": None, "prices": None}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({}, {}),
        (
            {
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["tools", "temperature"],
                "top_provider": {"max_completion_tokens": 128000},
                "pricing": {"prompt": "0.000002", "completion": "0.00001", "input_cache_read": "0.0000002"},
            },
            {
                "vision": True,
                "pdf": False,
                "tools": True,
                "reasoning": False,
                "output_limit": 128000,
                "prices": Prices(input=2.0, cached_input=0.2, output=10.0),
            },
        ),
        ({"pricing": {"prompt": "0", "completion": "0"}}, {"prices": Prices(input=0.0, output=0.0)}),
        ({"pricing": {"prompt": "-1", "completion": "-1"}}, {}),
        ({"pricing": {"prompt": "nan", "completion": "inf"}}, {}),
        ({"capabilities": {"vision": True, "function_calling": False, "fim": True}}, {"vision": True, "tools": False}),
        (
            {
                "capabilities": ["streaming", "tool-calling"],
                "limits": {"max_output_tokens": 32768},
                "supported_input_modalities": ["text"],
            },
            {"tools": True, "vision": False, "pdf": False, "output_limit": 32768},
        ),
        ({"max_completion_tokens": 8192}, {"output_limit": 8192}),
        ({"max_completion_tokens": 0, "capabilities": 1, "pricing": "free", "architecture": []}, {}),
    ],
    ids=["nothing", "openrouter", "free", "it depends", "no numbers", "mistral", "github", "groq", "wrong types"],
)
def test_each_providers_words_are_understood(entry: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_facts(entry) == NOTHING | expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "capabilities",
        "supported_parameters",
        "architecture",
        "top_provider",
        "limits",
        "pricing",
        "max_completion_tokens",
    ]
)


@given(st.dictionaries(KEYS, json_values))
def test_any_entry_is_no_error(entry: dict[str, Any]) -> None:
    assert read_model({"id": "m", **entry}) is not None
