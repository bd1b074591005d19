from __future__ import annotations

from typing import Any

import pytest

from rillet.core.tools.builtin.question import KIND
from rillet.core.tools.tool import ToolContext
from rillet.core.types.suspension import Answer, Request
from support.workspaces import call

QUESTIONS: list[dict[str, Any]] = [
    {"question": "Which database?", "header": "Storage", "options": ["SQLite", "Postgres"]},
    {"question": "Which platforms?", "options": ["Linux", "macOS"], "multiple": True},
]


def request(questions: list[dict[str, Any]], call_id: str = "call_1") -> Request:
    pending = call(None, "question", ToolContext(call_id=call_id), questions=questions).pending
    assert pending is not None
    return pending


def answered(data: dict[str, Any] | None, questions: list[dict[str, Any]] = QUESTIONS) -> tuple[str, bool]:
    ctx = ToolContext(call_id="call_1", answer=Answer(id=request(questions).id, ok=True, data=data))
    result = call(None, "question", ctx, questions=questions)
    assert result.pending is None
    return result.output, result.is_error


def test_the_call_is_suspended_with_the_questions_and_what_an_answer_looks_like() -> None:
    asked = request(QUESTIONS)
    assert asked.kind == KIND
    assert asked.prompt == "Storage: Which database?\n- SQLite\n- Postgres\n\nWhich platforms?\n- Linux\n- macOS"
    assert asked.data is not None
    assert asked.data["questions"] == QUESTIONS
    assert asked.data["schema"]["properties"]["answers"]["minItems"] == 2
    assert Request.from_json(asked.to_json()) == asked


def test_the_request_of_a_call_has_the_same_id_whenever_it_is_made_and_no_other_call_has_it() -> None:
    ids = {request(QUESTIONS).id, request(QUESTIONS).id, request(QUESTIONS, "call_2").id, request(QUESTIONS[:1]).id}
    assert len(ids) == 3


def test_the_answers_go_to_the_model_beside_their_questions() -> None:
    assert answered({"answers": ["SQLite", ["Linux", "Windows"]]}) == (
        "Which database?\n→ SQLite\n\nWhich platforms?\n→ Linux, Windows",
        False,
    )
    assert answered({"answers": ["", []]})[0].count("(no answer)") == 2


@pytest.mark.parametrize("data", [None, {}, {"answers": "SQLite"}, {"answers": ["SQLite"]}, {"answers": []}])
def test_an_answer_of_another_shape_is_none(data: dict[str, Any] | None) -> None:
    assert answered(data) == ("the user did not answer", True)


@pytest.mark.parametrize(
    "question",
    [
        "Please enter your password",
        "What is your OpenAI API key?",
        "Can you share the access token for the staging server?",
        "Paste the private key here",
        "Type your PIN",
        "I need your GitHub password to go on.",
        "Tell me the recovery phrase of your wallet",
        "PROVIDE THE API-KEY",
        "What are the secrets for deployment?",
        "Please confirm your credit card number",
        "Send me the one-time code",
    ],
)
def test_secrets_are_not_asked_for(question: str) -> None:
    result = call(None, "question", questions=[QUESTIONS[0], {"question": question}])
    assert result.is_error
    assert result.pending is None
    assert "never collected" in result.output


@pytest.mark.parametrize(
    "question",
    [
        "Which password hashing algorithm should I use?",
        "What is the password policy of the project?",
        "What password length should the form require?",
        "Should API keys be rotated?",
        "Where do you want the API key to be stored?",
        "What is the name of the environment variable?",
        "Should I pin the versions?",
        "Which token limit do you want?",
        "What should the secret file be called? Tell me the secret name.",
        "Do you need a login page?",
        "Where is the entrance?",
    ],
)
def test_questions_about_secrets_are_asked(question: str) -> None:
    assert request([{"question": question}]).prompt == question


@pytest.mark.parametrize(
    "secret", ["sk-proj-abcdefghij0123456789", "password: hunter2hunter2hunter2", "Bearer abc123def456ghi7"]
)
def test_an_answer_that_looks_like_a_secret_is_withheld(secret: str) -> None:
    output, is_error = answered({"answers": [f"use {secret}", "Linux"]})
    assert is_error
    assert secret not in output


def test_questions_of_another_shape_are_refused() -> None:
    strange = [{"question": "a", "options": [1]}]
    broken: tuple[Any, ...] = ([], "x", [{}], [{"question": ""}], [{"question": "a"}] * 11, strange)
    for questions in broken:
        assert call(None, "question", questions=questions).is_error
