"""The programs whose arguments are known: what may follow each without its writing, running or reaching more.

A table; knows no rules. Above: ``grammar``. Below: ``rules`` look a command up. What is not in the table has no
harmless arguments: a rule for it covers its own words and nothing behind them. So interpreters, shells, and whatever
runs or fetches what it is told (env, xargs, sudo, ssh, awk, make, docker run, pip install …) are left out, and of those
in it every option that runs a program, writes a file, reads a list of files or of options, or follows links out of the
folder (git --output, find -exec, sort -o, rg --pre, grep -R, tree -o, pytest -p …). So is diff, which follows the links
inside two folders.

An entry speaks for arguments only. Those that build or test run what is in the folder, and git obeys the settings of
the repository: whoever allows them has chosen that. Facts are from the manuals of GNU coreutils 9, findutils 4, grep 3,
git 2.39 and of the development tools at the end of 2026; short options mean nothing worse in those of BSD and macOS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rillet.core.tools.policy.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_of = Grammar.of
_NOTHING: Final = _of(most=0)
_WORD: Final = r"[\w.+-]+"

_GREP: Final = _of(
    "-n -i -r -E -F -G -P -w -x -c -l -L -v -o -q -s -H -h -a -I -A= -B= -C= -m= -e=! -# --line-number --ignore-case"
    " --recursive --extended-regexp --fixed-strings --perl-regexp --word-regexp --line-regexp --count"
    " --files-with-matches --files-without-match --invert-match --only-matching --no-messages --with-filename"
    " --no-filename --after-context= --before-context= --context= --max-count= --regexp=! --include= --exclude="
    " --exclude-dir= --color=?",
    texts=1,
)
_LINES: Final = _of("-n= -c= -q -v -# --lines= --bytes= --quiet --verbose")
_CHECKSUM: Final = _of("-b -t --tag")
_PYTEST: Final = _of(
    "-q -v -x -s -l -k= -m= -n= -r= --quiet --verbose --exitfirst --lf --last-failed --ff --failed-first --sw"
    " --stepwise --co --collect-only --maxfail= --tb= --durations= --no-header --no-summary --showlocals"
    " --strict-markers --strict-config --color=",
    ends=False,  # (it looks for -p behind -- as well)
)
_DIFF_OPTIONS: Final = (
    " -p -u -s -U= -M=? -C=? -S= -G= -w -b -z -i --patch --no-patch --raw --stat=? --numstat --shortstat --dirstat=?"
    " --summary --name-only --name-status --unified= --color=? --no-color --word-diff=? --color-words=? --minimal"
    " --patience --histogram --diff-filter= --find-renames=? --find-copies=? --no-renames --ignore-all-space"
    " --ignore-space-change --ignore-blank-lines --function-context --full-index --abbrev=? --no-ext-diff --no-textconv"
    " --relative=? --pickaxe-regex --check --exit-code --quiet"
)
_LOG_OPTIONS: Final = (
    " -n= -# -i -E -F --oneline --graph --decorate=? --no-decorate --all --branches=? --tags=? --remotes=? --max-count="
    " --skip= --since= --after= --until= --before= --author= --committer= --grep= --merges --no-merges --first-parent"
    " --reverse --follow --format=? --pretty=? --date= --abbrev-commit --no-abbrev-commit --date-order --topo-order"
    " --left-right --cherry-pick --cherry-mark --ancestry-path=? --full-history --simplify-by-decoration -L="
)
_CARGO: Final = _of(
    "-q -v -p= -F= -r --release --quiet --verbose --package= --features= --all-features --no-default-features"
    " --workspace --all --all-targets --lib --bins --bin= --tests --test= --examples --example= --doc --no-run"
    " --no-fail-fast --locked --offline --frozen --keep-going --message-format=",
    ends=False,
)
_GO: Final = _of(
    "-v -race -short -cover -failfast -count= -run= -skip= -bench= -benchmem -timeout= -parallel= -json -x -n -tags=",
    letters=False,
    ends=False,
)
_RUFF: Final = (
    "-q -v --quiet --verbose --statistics --preview --no-cache --output-format= --select= --ignore= --extend-select="
    " --diff --isolated --target-version= --line-length="
)

_GIT: Final[Mapping[str, Grammar]] = {
    "git add": _of("-A -u -v -n --all --update --verbose --dry-run"),
    "git blame": _of("-w -s -l -e -f -n -L= -M=? -C=? --date= --porcelain --line-porcelain"),
    "git branch": _of(
        "-a -r -v --all --remotes --verbose --show-current --color=? --no-color --sort= --format=", most=0
    ),
    "git branch --list": _of("-a -r -v --all --remotes --verbose --sort= --format=", texts=None),
    "git cat-file": _of("-p -t -s -e"),
    "git commit": _of("-m= -a -q -s -v --message= --all --quiet --signoff --verbose"),
    "git config --get": _of(texts=1, text=r"[\w.-]+", most=1),
    "git config --list": _of("--show-origin --show-scope --local --name-only", most=0),
    "git describe": _of("--tags --always --long --all --dirty=? --abbrev=? --match= --exact-match"),
    "git diff": _of(_DIFF_OPTIONS + " --cached --staged --merge-base"),
    "git grep": _of(
        "-n -i -w -l -L -c -E -F -P -v -h -H -o -A= -B= -C= -e=! -# --cached --count --heading --break --name-only"
        " --line-number --ignore-case --word-regexp --extended-regexp --fixed-strings --max-depth=",
        texts=1,
    ),
    "git log": _of(_LOG_OPTIONS + _DIFF_OPTIONS),
    "git ls-files": _of(
        "-m -o -c -d -s -u -z -t --modified --others --cached --deleted --stage --unmerged --exclude-standard"
        " --full-name --error-unmatch"
    ),
    "git ls-tree": _of("-r -t -l -d -z --name-only --long --full-tree --abbrev=?"),
    "git merge-base": _of("-a --all --is-ancestor --octopus"),
    "git reflog show": _of(_LOG_OPTIONS),
    "git remote": _of("-v --verbose", most=0),
    "git remote get-url": _of("--all --push", texts=1, text=_WORD, most=1),
    "git rev-list": _of(_LOG_OPTIONS + " --count --objects --parents"),
    "git rev-parse": _of(
        "--verify --quiet -q --short=? --abbrev-ref=? --symbolic-full-name --show-toplevel --show-prefix --show-cdup"
        " --git-dir --is-inside-work-tree --is-bare-repository"
    ),
    "git shortlog": _of("-s -n -e --summary --numbered --email --since= --until= --no-merges --all"),
    "git show": _of(_LOG_OPTIONS + _DIFF_OPTIONS),
    "git stash list": _of(_LOG_OPTIONS + _DIFF_OPTIONS, most=0),
    "git stash show": _of(_DIFF_OPTIONS),
    "git status": _of(
        "-s -b -v -z -u=? --short --branch --long --verbose --porcelain=? --untracked-files=? --ignored=? --show-stash"
        " --ahead-behind --no-ahead-behind --no-renames --column=? --no-column"
    ),
    "git tag": _of("--sort= --format= --contains= --points-at= --merged= --column=? --no-column", most=0),
    "git tag --list": _of("-n=? --sort= --format= --contains= --merged= --points-at=", texts=None),
    "git tag -l": _of("-n=? --sort= --format= --contains= --merged= --points-at=", texts=None),
}
_FILES: Final[Mapping[str, Grammar]] = {
    "cat": _of("-n -b -s -A -E -T -v -e -t --number --number-nonblank --show-all"),
    "cmp": _of("-s -l -b --silent --verbose", most=2),
    "cut": _of("-d= -f= -c= -b= -s --delimiter= --fields= --characters= --only-delimited"),
    "df": _of("-h -k -T -i --human-readable"),
    "du": _of("-s -h -a -c -k -m -d= --max-depth= --summarize --human-readable --total --all --apparent-size"),
    "egrep": _GREP,
    "fgrep": _GREP,
    "file": _of("-b -i -h --brief --mime --mime-type --mime-encoding"),
    "find": _of(
        "-name= -iname= -path= -ipath= -regex= -iregex= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -ctime="
        " -cmin= -atime= -amin= -perm= -user= -group= -empty -readable -writable -executable -not -a -o -and -or -prune"
        " -print -print0 -quit -true -false",
        letters=False,
        ends=False,
    ),
    "grep": _GREP,
    "head": _LINES,
    "ls": _of(
        "-a -A -l -h -1 -R -t -r -S -d -F -i -s -p -g -o -n -G -C -x -k -m -c -u --all --almost-all --human-readable"
        " --recursive --reverse --directory --size --inode --color=? --sort= --time= --time-style= --full-time"
        " --group-directories-first --classify=? --no-group --numeric-uid-gid"
    ),
    "md5sum": _CHECKSUM,
    "nl": _of("-b= -n= -w= -s="),
    "readlink": _of("-f -e -m -n"),
    "realpath": _of("-e -m -s --relative-to="),
    "rg": _of(
        "-n -N -i -s -S -w -x -l -c -v -F -P -U -o -q -H -I -p -g= -t= -T= -A= -B= -C= -m= -M= -r= -d= -e=! --files!"
        " --regexp=! --line-number --no-line-number --ignore-case --case-sensitive --smart-case --word-regexp"
        " --line-regexp --files-with-matches --files-without-match --count --count-matches --invert-match"
        " --fixed-strings --pcre2 --multiline --only-matching --no-filename --with-filename --heading --no-heading"
        " --column --json --stats --trim --vimgrep --color= --glob= --iglob= --type= --type-not= --after-context="
        " --before-context= --context= --max-count= --max-depth= --max-columns= --sort= --sortr=",
        texts=1,
    ),
    "sed -n": _of("-E -r", texts=1, text=r"(?:[0-9]+(?:,(?:[0-9]+|\$))?|\$)p"),
    "sha1sum": _CHECKSUM,
    "sha256sum": _CHECKSUM,
    "sort": _of("-n -r -u -f -b -h -V -g -d -M -k= -t= --numeric-sort --reverse --unique --key= --field-separator="),
    "stat": _of("-c= -f -t --format= --printf= --terse"),
    "tail": _LINES,
    "tree": _of("-a -d -f -i -h -s -p -D -C -n -F -L: -I: -P: --dirsfirst --noreport --prune --gitignore"),
    "uniq": _of("-c -d -u -i -f= -s= -w= --count --repeated --unique --ignore-case", most=1),
    "wc": _of("-l -w -c -m -L --lines --words --bytes --chars --max-line-length"),
}
_WORDS: Final[Mapping[str, Grammar]] = {
    "basename": _of("-a -s= --suffix=", texts=None),
    "date": _of("-u -R -I=? --utc --iso-8601=? --rfc-3339= --rfc-email", texts=1, text=r"\+.*", most=1),
    "dirname": _of(texts=None),
    "echo": _of("-n -e -E", texts=None),
    "id": _of("-u -g -G -n -r", most=0),
    "nproc": _of("--all", most=0),
    "ps": _of(
        "-e -f -A", most=0
    ),  # (with -x, or an argument that is wrong, -e becomes e: all variables of all programs)
    "ps aux": _NOTHING,
    "pwd": _of("-P -L", most=0),
    "tr": _of("-d -s -c -C --delete --squeeze-repeats --complement", texts=None),
    "uname": _of("-a -s -r -m -n -o -v -p -i --all", most=0),
    "which": _of("-a", texts=None, text=_WORD),
    "whoami": _NOTHING,
}
_TOOLS: Final[Mapping[str, Grammar]] = {
    "black": _of("-q -v -l= -t= --quiet --verbose --diff --check --color --line-length= --target-version="),
    "cargo build": _CARGO,
    "cargo check": _CARGO,
    "cargo clippy": _CARGO,
    "cargo doc": _of("-q -v --no-deps --quiet --verbose --locked --offline", most=0, ends=False),
    "cargo fmt": _of("-q -v -p= --all --check --quiet --verbose --package=", most=0, ends=False),
    "cargo test": _CARGO,
    "cargo tree": _of(
        "-i= -p= -d -e= --depth= --duplicates --invert= --package= --locked --offline", most=0, ends=False
    ),
    "docker images": _of("-a -q --all --quiet --no-trunc --digests", texts=1, text=r"[\w./:-]+", most=1),
    "docker ps": _of("-a -q -l -s -n= --all --quiet --latest --size --no-trunc", most=0),
    "go build": _GO,
    "go list": _of("-m -deps -json", letters=False, ends=False),
    "go test": _GO,
    "go vet": _of("-v -json -tags=", letters=False, ends=False),
    "gofmt -l": _of("-d -s -e", letters=False),
    "mypy": _of(
        "-v --strict --verbose --pretty --no-incremental --ignore-missing-imports --show-error-codes --no-error-summary"
        " --show-error-context --explicit-package-bases --python-version= --platform="
    ),
    "pip freeze": _of("--local --user", most=0),
    "pip list": _of("-e -q --editable --local --format=", most=0),
    "pip show": _of("-f --files", texts=None, text=_WORD),
    "pytest": _PYTEST,
    "python -m pytest": _PYTEST,
    "python3 -m pytest": _PYTEST,
    "ruff check": _of(_RUFF),
    "ruff check --fix": _of(_RUFF),
    "ruff format": _of("-q -v --quiet --verbose --check --diff --preview --no-cache --isolated --line-length="),
    "tsc --noEmit": _of("--pretty --strict --skipLibCheck", ends=False),
}
PROGRAMS: Final[Mapping[tuple[str, ...], Grammar]] = {
    tuple(command.split()): grammar for table in (_GIT, _FILES, _WORDS, _TOOLS) for command, grammar in table.items()
}
"""By the words that choose what is done: a program, or a program and its subcommand."""
_LONGEST: Final = max(map(len, PROGRAMS))


def known(words: Sequence[str]) -> tuple[int, Grammar] | None:
    """The grammar of the command that ``words`` begin with, and how many of them choose it; None: it is not known."""
    for size in range(min(len(words), _LONGEST), 0, -1):
        grammar = PROGRAMS.get(tuple(words[:size]))
        if grammar is not None:
            return size, grammar
    return None


def subcommands(words: Sequence[str]) -> tuple[str, ...]:
    """The known commands that begin with ``words`` and say more: ``git`` alone says nothing of what it would do."""
    begin = tuple(words)
    return tuple(" ".join(each) for each in PROGRAMS if each[: len(begin)] == begin and len(each) > len(begin))
