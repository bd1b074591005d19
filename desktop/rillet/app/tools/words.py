"""What is said of tools, servers and permissions: sentences for people, not those that models are told.

Pure, but for ``tr``. Above: ``core/tools``. Below: the pages and the menu. Guarantee: text of strangers (names and
descriptions of servers and their tools, paths) is made visible, so that nothing in it is hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from rillet.core.tools.mcp.server import State
from rillet.core.visible import visible

if TYPE_CHECKING:
    from rillet.core.tools.policy.grants import Grant
    from rillet.core.tools.skills import SkippedSkill

BUILTIN: Final = (
    "read",
    "glob",
    "grep",
    "write",
    "edit",
    "apply_patch",
    "bash",
    "webfetch",
    "question",
    "todowrite",
)
"""The built-in tools in the order in which they are shown: what only reads comes first."""
NEED_FOLDER: Final = frozenset(("read", "glob", "grep", "write", "edit", "apply_patch", "bash"))
SKILL: Final = "skill"
_SHORT: Final = 200


def of_builtin(name: str) -> str:
    """What a built-in tool does."""
    tr = QCoreApplication.translate
    return {
        "read": tr("ToolWords", "Reads files of the folder"),
        "glob": tr("ToolWords", "Finds files of the folder by their names"),
        "grep": tr("ToolWords", "Searches in files of the folder"),
        "write": tr("ToolWords", "Writes files into the folder; asks first"),
        "edit": tr("ToolWords", "Changes files of the folder; asks first"),
        "apply_patch": tr("ToolWords", "Changes several files of the folder at once; asks first"),
        "bash": tr("ToolWords", "Runs commands in the folder; asks first"),
        "webfetch": tr("ToolWords", "Fetches pages from the web; asks first"),
        "question": tr("ToolWords", "Asks you something and waits for the answer"),
        "todowrite": tr("ToolWords", "Keeps a list of what is to be done"),
        SKILL: tr("ToolWords", "Loads instructions from your skills when a task needs them"),
    }[name]


def of_state(state: State) -> str:
    """What a server does, in a word or two."""
    tr = QCoreApplication.translate
    match state:
        case State.STOPPED:
            return tr("ToolWords", "Not running")
        case State.DISABLED:
            return tr("ToolWords", "Off")
        case State.NEEDS_CONSENT:
            return tr("ToolWords", "Waits for your consent")
        case State.STARTING:
            return tr("ToolWords", "Starting…")
        case State.NEEDS_SIGN_IN:
            return tr("ToolWords", "You have to sign in")
        case State.READY:
            return tr("ToolWords", "Running")
        case State.FAILED:
            return tr("ToolWords", "Failed")


def of_scope(grant: Grant, chat: str = "") -> str:
    """Where a grant holds, and until when. ``chat``: the title of its chat, if that is known."""
    tr = QCoreApplication.translate
    if grant.chat is not None:
        where = tr("ToolWords", "In the chat {title}").format(title=visible(chat or grant.chat))
    elif grant.folder is not None:
        where = tr("ToolWords", "In {folder}").format(folder=short_path(grant.folder))
    else:
        where = tr("ToolWords", "Everywhere")
    if grant.expires_at is None:
        return where
    until = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(grant.expires_at)), QLocale.FormatType.ShortFormat)
    return tr("ToolWords", "{where}, until {time}").format(where=where, time=until)


def of_skipped(skipped: SkippedSkill) -> str:
    """Why a skill is not offered."""
    tr = QCoreApplication.translate
    said = {
        "untrusted-folder": tr("ToolWords", "It came with a folder that you have not trusted."),
        "duplicate-name": tr("ToolWords", "Another skill has this name."),
    }.get(skipped.reason)
    return said or sentence(skipped.detail)


def sentence(words: str) -> str:
    """Words of the engine as a sentence."""
    shown = visible(words.strip())
    return f"{shown[:1].upper()}{shown[1:]}{'' if shown.endswith(('.', '!', '?', '…')) else '.'}" if shown else ""


def short(text: str) -> str:
    """The beginning of a stranger's description, in one line."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def short_path(path: str) -> str:
    """A path, with the home folder as ``~``."""
    try:
        return visible(str(Path("~", Path(path).relative_to(Path.home()))))
    except ValueError:
        return visible(path)
