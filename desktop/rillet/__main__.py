"""The command ``rillet``: decides what to run, and loads nothing else.

The child of the built-in model, the wardens of commands, the searches in files and the readers of pages and documents
come through here as well (a frozen program has no other entrance), so that Qt, httpx and asyncio stay unimported until
the choice is made. Below: ``app/cli``, ``app/doctor``, ``app/instance``, ``app/main``, ``core/providers/local_child``,
``core/tools/warden``, ``core/tools/files/search``, ``core/tools/readable``, ``core/attachments/extractor``,
``core/attachments/folder_scan``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with ``argv`` (without its name; None: the process's own) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--local-server"]:
        from rillet.core.providers.local_child import main as serve

        return serve()
    if arguments[:1] == ["--warden"]:
        if sys.platform == "win32":
            from rillet.core.tools.warden_windows import main as watch
        else:
            from rillet.core.tools.warden import main as watch
        return watch(arguments[1:])
    if arguments == ["--search"]:
        from rillet.core.tools.files.search import main as search

        return search()
    if arguments[:1] == ["--readable"]:
        from rillet.core.tools.readable import main as convert

        return convert(arguments[1:])
    if arguments == ["--list-folder"]:
        from rillet.core.attachments.folder_scan import main as list_folder

        return list_folder()
    if arguments == ["--extract"]:
        from rillet.core.attachments.extractor import main as extract

        return extract()
    if arguments:
        options = _parse(arguments)
        if options.ask is not None:
            from rillet.app.cli import Question, ask

            return ask(Question(options.ask, options.file, options.model, options.json))
        if options.doctor is not None:
            from rillet.app.doctor import diagnose

            return diagnose(options.doctor, options.model)
    return _show()


def _show() -> int:
    """Open the window, or bring the one forward that is open already."""
    from rillet.app.instance import Instance

    try:
        instance = Instance.claim()
    except TimeoutError:
        sys.stderr.write("Rillet is running already, but does not answer.\n")
        return 1
    if instance is None:
        return 0
    import gc

    gc.disable()  # the program collects by itself (app/garbage); while it is imported, collecting costs 8 ms
    from rillet.app.crash.log import CrashLog
    from rillet.core.config.paths import paths
    from rillet.version import __version__

    log = CrashLog.begin(paths().log, __version__, alone=instance.alone)
    try:
        from rillet.app.main import main as show

        code = show(instance, log)
        log.end()
    except BaseException as error:  # (also an exit: it is written down, and goes on)
        from rillet.app.crash.scrub import described

        log.note("it could not go on", *described(error))
        raise
    finally:
        log.close()
        instance.close()
    return code


def _parse(arguments: list[str]) -> argparse.Namespace:
    """The options. Exits by itself for ``--version``, ``--help`` and what it does not know."""
    import argparse

    from rillet.version import __version__

    parser = argparse.ArgumentParser(prog="rillet", description="Chat with language models.")
    parser.add_argument("--version", action="version", version=f"rillet {__version__}")
    parser.add_argument(
        "--ask",
        metavar="TEXT",
        help='answer one question in the terminal; what is piped in goes along, "-" is just that',
    )
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="with --ask: send this file along")
    parser.add_argument("--json", action="store_true", help="with --ask: print events as lines of JSON")
    parser.add_argument("--doctor", metavar="URL", help="say which hop to a provider (an address or an id) fails")
    parser.add_argument("--model", metavar="NAME", help="the model, a provider's id, or both as PROVIDER/MODEL")
    parser.add_argument("--local-server", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.ask is None and (options.file or options.json):
        parser.error("--file and --json go with --ask")
    return options


if __name__ == "__main__":
    sys.exit(main())
