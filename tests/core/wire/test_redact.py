"""What counts as a secret, and what must stay readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.redact import hide, redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-abcdEFGH1234.", "Incorrect API key provided: sk-…."),
        ("the key sk-ant-api03-AAAA-BBBB_ccc is bad", "the key sk-ant-… is bad"),
        ("sk-or-v1-0123456789abcdef", "sk-or-…"),
        ("gsk_abcdef1234567890, xai-abcdef1234567890", "gsk_…, xai-…"),
        ("AIzaSyD_1234567890abc", "AIza…"),
        ("ghp_abcdef1234567890, github_pat_11ABCDEFG0abc", "ghp_…, github_pat_…"),
        ("xoxb-123456789012-abc AKIAIOSFODNN7ABCDEFG", "xoxb-… AKIA…"),
        ("rk_live_51HqAbCdEf, pk-lf-1234567890", "rk_live_…, pk-…"),
        ("Authorization: Bearer abcdefgh1234", "Authorization: Bearer …"),
        ("Basic dXNlcjpwYXNz1234==", "Basic …"),
        ("GET https://x.example/v1?key=anything&alt=sse", "GET https://x.example/v1?key=…&alt=sse"),
        ('{"api_key": "0123456789abcdef0123"}', '{"api_key": "…"}'),
        ("Invalid subscription key: 0123456789abcdef0123", "Invalid subscription key: …"),
    ],
)
def test_a_key_is_masked(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: ***********.",
        "Your api key: ****-key is invalid",
        "Basic information about tokens",
        "Bearer authentication required",
        "max_tokens: 1234567890123456789",
        "Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' was not found",
        "Unknown key: response_format_json_schema",
        "risk-management-is-hard, hf_hub_download",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


@given(st.text(st.sampled_from("skABearxi-_.:=?&k ey0123456789\n\"'"), max_size=60))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_a_known_secret_is_hidden_whatever_it_looks_like() -> None:
    assert (
        hide("you sent hunter2hunter2, not hunter2hunter", ["hunter2hunter", "hunter2hunter2"]) == "you sent …, not …"
    )


@pytest.mark.parametrize("end", ["", "…"])
def test_a_secret_that_was_cut_off_with_the_text_is_hidden_too(end: str) -> None:
    assert hide(f"you sent hunter2hun{end}", ["hunter2hunter2"]) == "you sent …"
    assert hide(f"you sent hunte{end}", ["hunter2hunter2"]) == f"you sent hunte{end}", "that much anybody may see"


def test_what_is_too_short_to_be_a_secret_is_not_hidden() -> None:
    assert hide("a key, an a and nothing", ["a", "", "an"]) == "a key, an a and nothing"
