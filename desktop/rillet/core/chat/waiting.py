"""A run that waits for an answer, as it goes along with its chat.

Pure. Above: ``agent/result``, ``policy/identity``. Below: ``desk`` has it done in the transaction that moves a chat.
Guarantee: of what was asked nothing changes but the chat it is asked in; what was asked elsewhere, or is no run that
waits, goes nowhere.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from rillet.core.agent.result import RunResult
from rillet.core.tools.policy import identity
from rillet.core.types.suspension import APPROVAL

log = logging.getLogger("rillet.chat")


def moved(result: RunResult, chat: str) -> RunResult:
    """The same run, waiting in ``chat``. The answer that was waited for before is none to it any more.

    Raises:
        ValueError: it waits for nothing, or what it asks was not asked in its own conversation.
    """
    pending, before = result.pending, result.id
    if pending is None or before is None:
        raise ValueError("this run waits for nothing, or in no conversation")
    request, approval = pending.request, pending.approval
    if request.kind == APPROVAL:
        request = replace(request, id=identity.moved(request.id, before, chat))
    if approval is not None:
        approval = replace(approval, id=identity.moved(approval.id, before, chat))
    return replace(result, id=chat, pending=replace(pending, request=request, approval=approval))


def taken_along(before: int, run: object, chat_id: int) -> str | None:
    """A run that waited in the chat ``before``, as it is written down in ``chat_id``; None: it waits no more."""
    try:
        if not isinstance(run, str):
            raise ValueError("it is no text")
        result = RunResult.from_json(run.encode())
        if result.id != str(before):
            raise ValueError("it belongs to another chat")
        return moved(result, str(chat_id)).to_json().decode()
    except ValueError as error:
        log.warning("a question of a chat that was moved cannot be answered any more: %s", error)
        return None
