"""The table of known commands holds nothing that runs, writes or reaches more."""

from __future__ import annotations

from typing import Final

import pytest

from rillet.core.tools.policy.programs import PROGRAMS, known, subcommands

UNSAFE: Final = (
    "--exec --ext-diff --textconv --show-signature --open-files-in-pager --output --output-file --out --upload-pack"
    " --receive-pack --exec-path  --work-tree --config --config-env --compress-program --files0-from --pre"
    " --hostname-bin --search-zip --file --ignore-file --manifest-path --target-dir --rootdir --basetemp --junitxml"
    " --override-ini --confcutdir --python-executable --install-types --config-file --cache-dir --html-report --fix"
    " --no-index --contents --in-place --pathspec-from-file --edit --unset --force --dereference-recursive"
)
"""What runs, writes, reaches or changes more, in one program or another."""


def test_what_runs_or_writes_by_its_name_is_in_no_grammar() -> None:
    names = {option for grammar in PROGRAMS.values() for option in grammar.options}
    assert len(names) > 300
    assert names & set(UNSAFE.split()) == set()


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("find", "-exec -execdir -ok -okdir -delete -fprint -fprintf -fls -fprint0 -follow -L -H -newer -files0-from"),
        ("git diff", "-O -o --output --no-index --ext-diff --textconv"),
        ("git log", "-O -o --output --ext-diff --textconv --show-signature"),
        ("git grep", "-O -f --no-index --open-files-in-pager --textconv"),
        ("git branch", "-d -D -m -M -c -C -f -u --edit-description --set-upstream-to"),
        ("git tag", "-d -f -a -s -u -m -F -e"),
        ("git commit", "-F -c -C -t -e --amend --file --template --edit"),
        ("sort", "-o -S -T --output --compress-program --files0-from"),
        ("tree", "-o -R -l -H --fromfile"),
        ("grep", "-R -f --file --dereference-recursive"),
        ("rg", "-f -L -z --pre --file --search-zip --ignore-file"),
        ("ls", "-L -H --hyperlink"),
        ("du", "-L -D -X"),
        ("file", "-f -C -m -z -L"),
        ("date", "-s -f --set --file"),
        ("sed -n", "-i -f -e -s --in-place --file --expression"),
        ("pytest", "-p -c -o -W --rootdir --basetemp --junitxml --pyargs"),
        ("cargo test", "-Z --config --manifest-path --target-dir"),
        ("go test", "-o -exec -toolexec -overlay -modfile -C -coverprofile -vettool -ldflags -cpuprofile -outputdir"),
        ("ruff check", "--fix --config --output-file --add-noqa --watch --cache-dir"),
        ("mypy", "-c -m -p --config-file --python-executable --install-types --cache-dir"),
        ("uniq", "--output"),
        ("md5sum", "-c --check"),
        ("id", "-Z"),
    ],
)
def test_a_program_is_known_without_its_unsafe_options(command: str, options: str) -> None:
    grammar = PROGRAMS[tuple(command.split())]
    assert set(options.split()) & set(grammar.options) == set()


RUNNERS: Final = (
    "awk bash busybox chroot curl dash dd diff docker env eval exec kill make man nice node nohup npm npx perl php pip"
    " printf python rsync ruby scp sed sh ssh strace sudo tar tee test timeout watch wget xargs zsh"
)


@pytest.mark.parametrize("program", RUNNERS.split())
def test_what_runs_or_fetches_what_it_is_told_is_not_known_by_itself(program: str) -> None:
    assert known((program,)) is None
    assert known((program, "x", "y")) is None


def test_the_longest_words_choose() -> None:
    size, grammar = known(("ruff", "check", "--fix", "src")) or (0, None)
    assert size == 3
    assert grammar is PROGRAMS["ruff", "check", "--fix"]
    assert known(()) is None


def test_a_program_alone_does_not_say_what_it_does_where_there_are_subcommands() -> None:
    assert "git status" in subcommands(("git",))
    assert known(("git",)) is None
    assert subcommands(("ls",)) == ()
