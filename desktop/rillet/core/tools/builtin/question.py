"""The tool ``question``: asks the user, by suspending the call, and gives the answers to the model.

Secrets are never collected this way: a question for one is refused, and an answer that looks like one is withheld.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rillet.core.tools.tool import Tool, ToolResult
from rillet.core.types.suspension import Request
from rillet.core.wire.redact import redact

if TYPE_CHECKING:
    from rillet.core.tools.tool import ToolContext
    from rillet.core.types.suspension import Answer

KIND: Final = "question"
MAX_QUESTIONS: Final = 10

_DESCRIPTION = (
    "Ask the user, when something is unclear that only the user can decide. Give options where you know some; the user "
    "may always answer something else. Never ask for passwords, keys or other secrets."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_QUESTIONS,
            "description": "What to ask, all at once",
            "items": {
                "type": "object",
                "properties": {
                    "question": {"type": "string", "minLength": 1, "maxLength": 2000},
                    "header": {"type": "string", "maxLength": 60, "description": "A title of a few words"},
                    "options": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 300}},
                    "multiple": {"type": "boolean", "description": "Whether several options may be chosen"},
                },
                "required": ["question"],
            },
        }
    },
    "required": ["questions"],
    "additionalProperties": False,
}

# What asks for a secret: a verb of giving, then the secret, unless it is only what a program has to do with ("which
# password hashing"). English alone; the answer is looked at whatever the language.
_GIVING = r"enter|type|paste|provide|give|share|send|tell|supply|reveal|confirm|need|what(?:'s| is| are)"
_WANTED = (
    r"password|passphrase|passcode|pin|api[ _-]?key|secret|(?:access|auth|bearer|login|session)[ _-]?token|private key|"
    r"seed phrase|recovery (?:code|phrase|key)|(?:credit )?card number|cvv|one[- ]time code|otp|2fa code"
)
_MATTER = (
    r"backend|column|field|file|form|format|handling|hash|length|lookup|manage|mechanism|name|polic|prompt|reset|"
    r"rotation|rule|storage|stored?\b|strength|table|type|variable"
)
_ASKS_FOR_SECRET = re.compile(
    rf"\b(?:{_GIVING})\b[^.?!\n]{{0,60}}\b(?:{_WANTED})s?\b(?![ -](?:{_MATTER}))", re.IGNORECASE
)


def question_tool() -> Tool:
    """Suspends with kind "question"; ``data`` has the ``questions`` and the ``schema`` of the answer.

    The answer's data is ``{"answers": […]}``: for each question a text, or a list of texts.
    """
    return Tool("question", _DESCRIPTION, _SCHEMA, _execute, source="builtin", trusted_output=True)


async def _execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    questions = args["questions"]
    if any(_ASKS_FOR_SECRET.search(question["question"]) for question in questions):
        return ToolResult(
            "not asked: passwords, keys and other secrets are never collected in a chat. Tell the user where to put "
            "the secret instead (an environment variable, the settings of the program that needs it)",
            is_error=True,
        )
    if ctx.answer is None:
        return ToolResult.suspended(_request(questions, ctx.call_id))
    return _result(questions, ctx.answer)


def _request(questions: list[dict[str, Any]], call_id: str) -> Request:
    digest = hashlib.sha256(msgspec.json.encode([call_id, questions], order="sorted"))
    answer = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    return Request(
        id=digest.hexdigest(),
        kind=KIND,
        prompt="\n\n".join(map(_prompt, questions)),
        data={
            "questions": questions,
            "schema": {
                "type": "object",
                "properties": {
                    "answers": {
                        "type": "array",
                        "items": answer,
                        "minItems": len(questions),
                        "maxItems": len(questions),
                    }
                },
                "required": ["answers"],
            },
        },
    )


def _prompt(question: dict[str, Any]) -> str:
    header = f"{question['header']}: " if question.get("header") else ""
    return "\n".join([header + question["question"], *(f"- {option}" for option in question.get("options", ()))])


def _result(questions: list[dict[str, Any]], answer: Answer) -> ToolResult:
    answers = (answer.data or {}).get("answers")
    if not isinstance(answers, list) or len(answers) != len(questions):
        return ToolResult("the user did not answer", is_error=True)
    texts = [_text(each) for each in answers]
    if any(redact(text) != text for text in texts):
        return ToolResult("the answer holds what looks like a key or a password, so it is not passed on", is_error=True)
    lines = [
        f"{question['question']}\n→ {text or '(no answer)'}" for question, text in zip(questions, texts, strict=True)
    ]
    return ToolResult("\n\n".join(lines), metadata={"answers": answers})


def _text(answer: Any) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
