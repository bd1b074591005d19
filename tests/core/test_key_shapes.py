"""What is taken for a secret key in a text that somebody wrote, and what is not. No key here is anybody's."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.key_shapes import SHAPES, keys_in, provider_of

ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"
HEX = "0123456789abcdef"


def drawn(signs: str, count: int, seed: int = 7) -> str:
    return "".join(random.Random(seed).choices(signs, k=count))


MADE = [
    ("Anthropic", f"sk-ant-api03-{drawn(URL_SAFE, 93)}AA"),
    ("OpenRouter", f"sk-or-v1-{drawn(HEX, 64)}"),
    ("OpenAI", f"sk-proj-{drawn(URL_SAFE, 156)}"),
    ("OpenAI", f"sk-{drawn(ALNUM, 20)}T3BlbkFJ{drawn(ALNUM, 20)}"),
    ("DeepSeek", f"sk-{drawn(HEX, 32)}"),
    ("", f"sk-{drawn(ALNUM, 48)}"),
    ("Google", f"AIzaSy{drawn(ALNUM, 33)}"),
    ("Google", f"AQ.Ab8{drawn(URL_SAFE, 50)}"),
    ("Groq", f"gsk_{drawn(ALNUM, 52)}"),
    ("xAI", f"xai-{drawn(ALNUM, 80)}"),
    ("Together AI", f"tgp_v1_{drawn(URL_SAFE, 43)}"),
    ("Fireworks AI", f"fw_{drawn(ALNUM, 24)}"),
    ("Cerebras", f"csk-{drawn(string.ascii_lowercase + string.digits, 48)}"),
    ("Perplexity", f"pplx-{drawn(ALNUM, 48)}"),
    ("NVIDIA", f"nvapi-{drawn(URL_SAFE, 64)}"),
    ("Hugging Face", f"hf_{drawn(string.ascii_letters, 34)}"),
    ("Replicate", f"r8_{drawn(ALNUM, 37)}"),
    ("GitHub", f"ghp_{drawn(ALNUM, 36)}"),
    ("GitHub", f"github_pat_{drawn(ALNUM, 22)}_{drawn(ALNUM, 59)}"),
    ("Slack", f"xoxb-123456789012-1234567890123-{drawn(ALNUM, 24)}"),
    ("Stripe", f"sk_live_51{drawn(ALNUM, 97)}"),
    ("Amazon Web Services", f"AKIA{drawn(string.ascii_uppercase + '234567', 16)}"),
    ("Amazon Web Services", f"ASIA{drawn(string.ascii_uppercase + '234567', 16, 1)}"),
]
AROUND = (
    "{}",
    "my key is {}, does it work?",
    'export KEY="{}"',
    "(`{}`)",
    "https://x.example/v1?key={}&alt=sse",
    "钥匙\n{}\n",
)


@pytest.mark.parametrize(("maker", "key"), MADE, ids=[f"{maker}-{key[:8]}" for maker, key in MADE])
@pytest.mark.parametrize("around", AROUND)
def test_a_key_is_found_wherever_it_stands(maker: str, key: str, around: str) -> None:
    [found] = keys_in(around.format(key))
    assert (found.shape.maker, found.text) == (maker, key)
    assert key.startswith(found.begins)


def test_every_kind_is_tried() -> None:
    assert {shape.maker for shape in SHAPES} == {maker for maker, _ in MADE}


@pytest.mark.parametrize("seed", range(40))
def test_it_is_found_however_it_was_drawn(seed: int) -> None:
    for key in (
        f"sk-{drawn(HEX, 32, seed)}",
        f"ghp_{drawn(ALNUM, 36, seed)}",
        f"sk-ant-api03-{drawn(URL_SAFE, 95, seed)}",
    ):
        assert len(keys_in(key)) == 1, key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Put your key into OPENAI_API_KEY; it begins with sk- or sk-proj-.",
        "sk-ant-… and sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx and sk-your-api-key-goes-right-here-0001",
        "sk-learn-contrib-tutorial-for-beginners-2024 and a risk-management-is-hard-and-takes-long-2023",
        "class sk-estimator-doc-link, id sk-container-id-1, sk-toggleable__control sk-hidden--visually",
        "hf_hub_download(repo_id), hf_getTheVeryLongCamelCaseFunctionName(), fw_download_firmware_for_device_v2",
        "xai-org/grok-1, pplx-embed-context-v1-large-preview, nvapi-client-library-documentation-pages",
        "r8_e4m3fn_quantization_of_weights, gsk_ecommerce_database_connection_pool_size_limit",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 3f67f0b1c2d4e5f60718293a4b5c6d7e8f901234, sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "550e8400-e29b-41d4-a716-446655440000 task-9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d",
        "AKIAIOSFODNN7EXAMPLE is in the manual; ASIA, ASIAN, AKIA, ASIAPACIFIC, ASIA2024",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx github_pat_your_token_here_please_and_nothing_else_at_all",
        "xoxb-your-bot-token-goes-here, xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
        "pk_live_51HqLyjWDarjtT1zdp7dcAbCdEfGhIjKlMnOp is meant to be seen",
        "FAQ. AQ. AIza, AIzawa and his friends went to the museum of modern art in Tokyo",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    ],
)
def test_what_people_and_programs_write_is_no_key(text: str) -> None:
    assert keys_in(text) == []


def test_several_are_found_in_order_and_each_once() -> None:
    one, two = f"ghp_{drawn(ALNUM, 36)}", f"gsk_{drawn(ALNUM, 52)}"
    assert [each.text for each in keys_in(f"{two} {one} {two}")] == [two, one]


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_no_text_is_too_strange(text: str) -> None:
    assert all(each.text in text for each in keys_in(text))


@pytest.mark.parametrize("unit", ["sk-", "sk-ant-a", "ghp_", "AIza-", "sk-Aa1", " sk-", "xoxb-1-", "AKIA1 "])
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            before = time.thread_time()
            keys_in(text)
            best = min(best, time.thread_time() - before)
        return best

    assert cost(80_000) < 40 * cost(8_000) + 0.01


@pytest.mark.parametrize(
    ("key", "provider"), [(f" {MADE[0][1]}\n", "anthropic"), ("sk-other", None), ("AIzaX", "gemini")]
)
def test_whose_key_it_is_is_told_by_its_shape(key: str, provider: str | None) -> None:
    assert provider_of(key) == provider
