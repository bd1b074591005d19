"""The log of errors: a paragraph for each run, and whether it ended well."""

from __future__ import annotations

import os
import stat
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rillet.app.crash.log import KEPT_SECONDS, LARGEST, MOST, CrashLog
from rillet.app.crash.report import last_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "rillet.log"


def run(path: Path, *notes: str, ends: bool = True) -> CrashLog:
    log = CrashLog.begin(path, "1.0")
    for note in notes:
        log.note(note)
    if ends:
        log.end()
    log.close()
    return log


def test_the_first_run_and_one_after_a_good_end_have_nothing_to_tell(path: Path) -> None:
    assert run(path).last_ended_well
    assert run(path).last_ended_well
    assert path.read_text().count("=== Rillet 1.0 began") == 2


def test_a_run_that_did_not_end_is_told_of_once(path: Path) -> None:
    run(path, "all is well")
    run(path, "error", ends=False)
    after = run(path)
    assert not after.last_ended_well
    report = last_run(path, after.before)
    assert report.startswith("=== Rillet 1.0 began")
    assert report.splitlines()[1].endswith(" error")
    assert "all is well" not in report
    assert run(path).last_ended_well


def test_a_crash_after_the_end_is_one_as_well(path: Path) -> None:
    log = CrashLog.begin(path, "1.0")
    log.end()
    assert log._file is not None
    log._file.write(b"Fatal Python error: Segmentation fault\n")
    log.close()
    assert not run(path).last_ended_well


def test_a_run_writes_so_much_and_no_more(path: Path) -> None:
    run(path, *["x" * 1000] * (MOST // 500))
    text = path.read_text()
    assert len(text) < MOST + 2000
    assert text.count("(there was more)") == 1
    assert text.endswith(" ended\n")


def test_a_large_log_is_begun_anew_and_one_is_kept(path: Path) -> None:
    for _ in range(1 + LARGEST // (MOST - 10_000)):
        run(path, *["x" * 1000] * (MOST // 1000))
    assert path.stat().st_size > LARGEST
    assert run(path).last_ended_well
    assert path.stat().st_size < 1000
    assert path.with_suffix(".old.log").stat().st_size > LARGEST


def test_what_went_wrong_last_is_not_put_away_before_it_was_told(path: Path) -> None:
    for _ in range(1 + LARGEST // (MOST - 10_000)):
        run(path, *["x" * 1000] * (MOST // 1000))
    run(path, "error", ends=False)
    after = run(path)
    assert last_run(path, after.before).endswith("error")


@pytest.mark.skipif(sys.platform == "win32", reason="its folders keep nobody out")
def test_only_the_person_can_read_it(path: Path) -> None:
    run(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_where_nothing_can_be_written_the_program_runs_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = run(tmp_path / "file" / "rillet.log", "error")
    assert log.last_ended_well
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_report_that_cannot_be_read_is_empty(path: Path) -> None:
    assert last_run(path, 100) == ""


def test_who_may_not_be_alone_takes_nobody_for_crashed_and_has_a_file_of_its_own(path: Path) -> None:
    first = CrashLog.begin(path, "1.0", alone=False)
    first.note("of the first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 7)
        second = CrashLog.begin(path, "1.0", alone=False)
    assert second.last_ended_well
    second.note("of the second")
    for log in (first, second):
        log.end()
        log.close()
    assert (path.parent / "rillet.7.log").read_text().count("of the second") == 1
    assert "of the second" not in first.path.read_text()
    assert not path.exists()
    assert run(path).last_ended_well


def test_the_files_of_those_who_were_not_alone_go_after_a_while(path: Path) -> None:
    run(path)
    old = time.time() - KEPT_SECONDS - 60
    for name in ("rillet.7.log", "rillet.old.log", "rillet.8.log"):
        (path.parent / name).write_text("")
        if name != "rillet.8.log":
            os.utime(path.parent / name, (old, old))
    run(path)
    assert sorted(each.name for each in path.parent.iterdir()) == ["rillet.8.log", "rillet.log", "rillet.old.log"]
