"""The cells of a workbook as comma-separated values, sheet by sheet: xlsx, xlsm, xlsb, xls and ods.

python-calamine reads them, in Rust: an order of magnitude faster than what is written in Python, without entities, and
the older format too. Only ``extractor`` imports this: its memory is capped there. Above: ``caps``, ``problems``.
"""

from __future__ import annotations

import csv
import io
from datetime import datetime, time
from typing import TYPE_CHECKING, Any

import python_calamine

from rillet.core.attachments.caps import LEFT_OUT
from rillet.core.attachments.packed import Packed
from rillet.core.attachments.problems import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.attachments.caps import Caps


def pieces(data: bytes, caps: Caps) -> Iterator[str]:
    """The text, in pieces of a few rows each; a sheet begins with its name.

    Raises:
        Unreadable: it is damaged, has a password, or is made to do harm.
    """
    if data.startswith(b"PK"):
        Packed(data, caps)
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            hidden = {
                each.name for each in book.sheets_metadata if each.visible != python_calamine.SheetVisibleEnum.Visible
            }
            for name in book.sheet_names:
                if name not in hidden:
                    yield from _sheet(name, book.get_sheet_by_name(name), caps)
    except python_calamine.PasswordError as error:
        raise Unreadable("password") from error
    except (python_calamine.CalamineError, OSError) as error:
        raise Unreadable("broken") from error


def _sheet(name: str, sheet: python_calamine.CalamineSheet, caps: Caps) -> Iterator[str]:
    yield f"## {name}\n\n"
    rows = 0
    for row in sheet.iter_rows():
        if rows == caps.rows:
            left = (sheet.end[0] + 1 if sheet.end else rows) - rows
            yield f"[… {left:,} more rows of this sheet were {LEFT_OUT}\n"
            break
        rows += 1
        yield _line(row, caps)
    if not rows:
        yield "(empty)\n"
    yield "\n"


def _line(row: list[Any], caps: Caps) -> str:
    cells = [_cell(value) for value in row[: caps.columns]]
    while cells and not cells[-1]:
        cells.pop()
    if len(row) > caps.columns:
        cells.append(f"[… {len(row) - caps.columns:,} more columns {LEFT_OUT}")
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(sep=" ")
        case _:
            return str(value)
