"""What is said to be one plain command, real shells run as exactly that."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from typing import Final

import pytest

from rillet.core.tools.policy.command import LONGEST, mentioned, plain

COUNT: Final = int(os.environ.get("RILLET_COMMANDS", "2000"))
SHELLS: Final = (["bash"], ["bash", "--posix"], ["dash"], ["zsh", "-f"], ["busybox", "ash"], ["mksh"], ["ksh93"])
PIECES: Final = (
    *"abZ09_./:@%+,=-~^ '\"\\",
    *("''", '""', " ", " ", "~", "a~", "HEAD~2", "HEAD^", "x=~", "x=", "=ls", "a:~", "A=b", "~root", "--", "-n", "%1"),
    *(
        "\\ ",
        "\\'",
        '\\"',
        "\\$",
        "\\;",
        "\\!",
        "\\\\",
        "'$x'",
        "'`id`'",
        '"$x"',
        '"a\\b"',
        '"\\$x"',
        '"\\\\"',
        '"\\`"',
    ),
    *("'a b'", '"a b"', "'!'", '"!"', "*", "?", "[a]", "{a,b}", "{1..3}", "@{0}", "$x", "$(id)", "`id`", "$'a'", "!!"),
    *("#", "a#b", ";", "&", "|", ">", "<", "(", ")", "\n", "\r", "\t", "\0", "..", "\u00a0", "\u200b", "\x80"),
    *("\u00e9", "'\u00e9'", '"\u65e5\u672c"', '"\u00ea"', "\x81'\x81'"),
)
"""What shells give a meaning, here and there, in and out of quotes."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls", ("ls",)),
        ("  git   status ", ("git", "status")),
        ("git show HEAD~2^", ("git", "show", "HEAD~2^")),
        ("./run.sh a,b c:d e=f g@h i%j k+l", ("./run.sh", "a,b", "c:d", "e=f", "g@h", "i%j", "k+l")),
        ("echo 'a  b' \"c d\" e\\ f", ("echo", "a  b", "c d", "e f")),
        ("echo a'b'\"c\"\\'d", ("echo", "abc'd")),
        ("echo '' \"\"", ("echo", "", "")),
        ("echo '$x `y` \\ \"z\" ;|&<>()*?[]{}!#~'", ("echo", '$x `y` \\ "z" ;|&<>()*?[]{}!#~')),
        ('echo "\\$x \\" \\\\ \\a ;"', ("echo", '$x " \\ \\a ;')),
        ("grep '\u00fc' x", ("grep", "\u00fc", "x")),
        ("git commit -m 'Fix: it'\\''s done'", ("git", "commit", "-m", "Fix: it's done")),
    ],
)
def test_a_plain_command_is_its_words(text: str, words: tuple[str, ...]) -> None:
    assert plain(text) == words


@pytest.mark.parametrize("text", ["", " ", "'a b'", "-x", "a\tb", "ls 'a\nb'", "ls '\u202e'", "x" * (LONGEST + 1)])
def test_what_is_empty_odd_or_hidden_is_no_plain_command(text: str) -> None:
    assert plain(text) is None


@pytest.mark.parametrize("word", ["time", "if", "eval", "exec", "command", ".", "source", "test", "printf", "export"])
def test_a_word_that_means_something_to_a_shell_makes_no_plain_command(word: str) -> None:
    assert plain(f"{word} ls") is None
    assert plain(f"ls {word}") == ("ls", word)


def test_a_backslash_beside_letters_of_other_scripts_is_not_plain() -> None:
    # In Shift JIS and Big5 a backslash can be the second half of a letter, so that the quote after it would count.
    assert plain('echo "\u3042\\""') is None
    assert plain('echo "\u3042"') == ("echo", "\u3042")


@pytest.mark.skipif("os.name != 'posix'", reason="there are no POSIX shells")
def test_shells_run_exactly_the_words_of_what_is_plain() -> None:
    # Nothing that is not plain is run here, and the only command is a function that prints its arguments.
    texts = list(generated(COUNT))
    accepted = [(text, words) for text in texts if (words := plain(text)) is not None and words[0] == "canary"]
    assert len(accepted) > COUNT / 20
    assert len(texts) - len(accepted) > COUNT / 4
    script = 'canary() { printf \'%s\\0\' "$@" "end of $#"; }\nx=expanded\n'
    script += "".join(f"{text}\n" for text, _ in accepted)
    expected = "".join(f"{word}\0" for _, words in accepted for word in (*words[1:], f"end of {len(words) - 1}"))
    shells = [shell for shell in SHELLS if shutil.which(shell[0])]
    assert shells
    for shell in shells:
        for locale in ("C", "C.UTF-8"):
            env = {"PATH": os.defpath, "HOME": "/nowhere", "LC_ALL": locale}
            done = subprocess.run(
                [*shell, "/dev/stdin"], input=script.encode(), capture_output=True, env=env, check=True
            )
            assert done.stderr == b""
            assert done.stdout.decode().split("\0") == expected.split("\0"), shell


def generated(count: int) -> list[str]:
    """Commands of pieces that shells give a meaning; the same ones every time."""
    source = random.Random(5)
    return ["canary " + "".join(source.choices(PIECES, k=source.randint(1, 7))) for _ in range(count)]


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "ls; rm -rf x",
        "ls && rm x -rf",
        "ls\nrm -rf x",
        "/bin/rm -rf x",
        "sudo rm -rf x",
        "r''m -rf x",
        "r\\m -rf x",
        '"rm" "-rf" x',
        "sh -c 'rm -rf x'",
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        "find . -exec rm -rf {} +",
        "ls | xargs rm -rf",
        "A=b rm -rf x",
        "RM -rf x",
        "rm \\\n -rf x",
        "if true; then rm -rf x; fi",
        "(rm -rf x)",
        "rm\t-rf\tx",
        "C:\\tools\\rm.exe -rf x",
    ],
)
def test_a_forbidden_command_is_found_wherever_it_stands(text: str) -> None:
    assert mentioned(text, ("rm", "-rf"))


@pytest.mark.parametrize("text", ["rm x", "rm -r x", "ls -rf; rm x", "rmdir -rf", "ls arm -rf", "", "rm; ls -rf"])
def test_another_command_is_not(text: str) -> None:
    assert not mentioned(text, ("rm", "-rf"))


def test_options_in_front_do_not_hide_a_forbidden_subcommand() -> None:
    assert mentioned("git -C x -c a=b push --force", ("git", "push"))
    assert not mentioned("git pull", ("git", "push"))
