"""Handing things to the desktop: the one place where an address or a folder leaves the program to be opened.

Above: ``widgets/links``. Below: ``window`` and pages that show links. Guarantee: of addresses only those of the web and
of mail are handed over, of folders only the program's own; nothing is ever run by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl

if TYPE_CHECKING:
    from pathlib import Path


def open_address(address: str | QUrl) -> bool:
    """Open an address of the web or of mail; whether it is one."""
    from PySide6.QtGui import QDesktopServices  # (after the first paint)

    from rillet.widgets.links import allowed

    url = QUrl(address)
    return bool(allowed(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))) and QDesktopServices.openUrl(url)


def open_own_folder(folder: Path) -> bool:
    """Show a folder of the program in the file manager."""
    from PySide6.QtGui import QDesktopServices

    return folder.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
