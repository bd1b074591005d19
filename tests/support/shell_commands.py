"""Commands that look like what a rule allows, and are more; and those that are nothing but what it allows.

Tables: of evasions by syntax here, of evasions by arguments and of ordinary commands in the text files beside this.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_HERE: Final = Path(__file__).parent
HEADS: Final = (
    "git status",
    "git log --oneline",
    "git diff README.md",
    "ls -la",
    "cat README.md",
    "grep -n TODO src",
    "find src -name x",
    "echo hello",
    "wc -l README.md",
    "pytest -q",
)
"""Allowed as they are."""


def _of(templates: Iterable[str], heads: Iterable[str] = HEADS) -> tuple[str, ...]:
    return tuple(template.replace("{}", head) for template in templates for head in heads)


SYNTAX: Final[dict[str, tuple[str, ...]]] = {
    "semicolon": _of(["{}; touch x", "{};touch x"]),
    "and": _of(["{} && touch x", "{}&&touch x"]),
    "or": _of(["{} || touch x"]),
    "pipe": _of(["{} | sh", "{} |& tee x"]),
    "background": _of(["{} & touch x", "{}&"]),
    "new line": _of(["{}\ntouch x", "touch x\n{}"]),
    "carriage return": _of(["{}\rtouch x", "{}\r\ntouch x"]),
    "NUL": _of(["{}\0; touch x", "{}\0"]),
    "output into a file": _of(["{} > x", "{}>>x", "{} 2>x", "{} &>x", "{} >|x"], HEADS[:4]),
    "input from a file": _of(["{} < /etc/passwd", "{} 0</etc/passwd", "{} <>x"], HEADS[:4]),
    "here document": _of(["{} <<E\ntouch x\nE", "{} <<< x"]),
    "command substitution": _of(["{} $(touch x)", '{} "$(touch x)"']),
    "backticks": _of(["{} `touch x`", '{} "`touch x`"']),
    "process substitution": _of(["{} <(touch x)", "{} >(touch x)"]),
    "parameter expansion": _of(["{} $HOME", "{} ${HOME}", '{} "$IFS"', "{} ${x:=y}"], HEADS[:5]),
    "arithmetic expansion": _of(["{} $((x=1))", "{} $[x=1]"]),
    "file name pattern": _of(["{} *", "{} ?", "{} [a-z]*", "{} src/*.py"], HEADS[:5]),
    "braces": _of(["{} {a,b}", "{} --{output,x}=y", "{} {1..3}"], HEADS[:4]),
    "tilde": _of(["{} ~", "{} ~/.ssh/id_rsa", "{} ~root/x", "{} a=~/x"], HEADS[:4]),
    "comment": _of(["{} # harmless", "{}#x", "{} #\ntouch x"], HEADS[:4]),
    "line continuation": _of(["{} \\\n; touch x", "{}\\\n && touch x"]),
    "assignment in front": _of(["PATH=. {}", "GIT_EXTERNAL_DIFF='touch x' {}", "LD_PRELOAD=./x.so {}"], HEADS[:5]),
    "subshell and group": _of(["({})", "{ {}; }", "{} (a)"], HEADS[:4]),
    "history": _of(["{} !!", "{} !$", "!{}", "{} ^a^b"], HEADS[:4]),
    "ANSI-C quotes": _of(["{} $'\\x3b' touch", "$'{}'", "{} $'a\\nb'"], HEADS[:4]),
    "translated quotes": _of(['{} $"x"', '$"{}"']),
    "blank that is no space": _of(["{}\u00a0x", "{}\u2003x", "{}\u3000x", "{}\u2028touch x"], HEADS[:4]),
    "tab and other blanks": _of(["{}\tx", "{}\vx", "{}\fx", "{}\x85x"], HEADS[:4]),
    "invisible": _of(["{} \u200bx", "{} '\u202ex'", "{} \ufeff", "{} '\U000e0041'", "{}\x1b[2K"], HEADS[:4]),
    "open quote": _of(["{} '", '{} "', "{} 'a\" b", "{} \\"], HEADS[:4]),
    "word of the shell in front": _of(["time {}", "! {}", "if {}", "while {}", "coproc {}"], HEADS[:3]),
    "wrapper in front": _of(["env {}", "sudo {}", "nohup {}", "xargs {}", "timeout 5 {}", "nice {}"], HEADS[:3]),
    "command of the shell in front": _of(["eval {}", "exec {}", "command {}", "builtin {}", ". {}"], HEADS[:3]),
    "program from elsewhere": _of(["./{}", "/tmp/{}", "../{}", "src/{}", "/usr/bin/{}"], HEADS[:3]),
    "quoted together": _of(["'{}'", '"{}"', "'{}' x"], HEADS[:4]),
    "too long": _of(["{} " + "a" * 9000, "{}" + " " * 9000 + "; touch x"]),
    "non-ASCII outside quotes": _of(["{} \u00e9", "{} \uff5c sh", "{} \uff1b touch x", "{} \u2010x"], HEADS[:4]),
    "letters that look alike": (
        *("g\u0456t status", "\uff47it status", "l\u0455 -la", "c\u0430t README.md", "ech\u03bf hello", "p\u0443test"),
        *("git\u00a0status", "git \u0455tatus", "wc \u2212l README.md", "GIT status", "Git status", "LS -la", "Cat x"),
    ),
    "no command": (
        *("", " ", "   ", "''", '""', "-la", "--", "=ls", "%1", "A=b", "A=b C=d", "+x git", "~", "*", ":", "[ x ]"),
        *("test -v 'a[$(id)]'", "printf %n 'a[0]'", "read x", "export x=y", "declare x=y", "let x=1", "type git"),
    ),
}
"""Where the shell would see more than one plain command, or none."""

ORDINARY: Final = tuple((_HERE / "ordinary_commands.txt").read_text(encoding="utf-8").splitlines()[2:])
"""What a rule for the program, or its subcommand, has to allow."""


def _table(file: str) -> dict[str, tuple[str, ...]]:
    """The commands of a text file by their headings."""
    _, *sections = (_HERE / file).read_text(encoding="utf-8").split("\n\n# ")
    kinds = (section.splitlines() for section in sections)
    return {kind: tuple(commands) for kind, *commands in kinds}


EVASIONS: Final = [
    (kind, text) for table in (SYNTAX, _table("evasions.txt")) for kind, texts in table.items() for text in texts
]
"""What none may allow, with its kind."""
