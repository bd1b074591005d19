"""What is said about a store or a key store that cannot be used.

Pure but for the translation. Above: ``core/store/trouble`` and ``core/config/keychain`` say it in English; every fixed
sentence of theirs passes through the application's translators here. Below: ``notices``, the pages of the settings.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

if TYPE_CHECKING:
    from rillet.core.config.keychain import KeychainError
    from rillet.core.store.trouble import StoreError

translate = QCoreApplication.translate

_STORE = (
    QT_TRANSLATE_NOOP("StoreError", "Start Rillet again."),
    QT_TRANSLATE_NOOP("StoreError", "Everything is kept in memory and saved as soon as the disk allows it."),
    QT_TRANSLATE_NOOP(
        "StoreError",
        "Chats can be read. Make room on the disk, or make it writable: until then, what is new is in memory only.",
    ),
    QT_TRANSLATE_NOOP("StoreError", "A backup can be restored in the settings."),
    QT_TRANSLATE_NOOP("StoreError", "Nothing can be changed until Rillet is updated; everything can be read."),
    QT_TRANSLATE_NOOP("StoreError", "Nothing was changed."),
    QT_TRANSLATE_NOOP("StoreError", "It may have been deleted in the meantime."),
    QT_TRANSLATE_NOOP("StoreError", "The disk is full"),
    QT_TRANSLATE_NOOP("StoreError", "The disk is read-only, or the file belongs to somebody else"),
    QT_TRANSLATE_NOOP("StoreError", "The disk reports an error"),
    QT_TRANSLATE_NOOP("StoreError", "The file cannot be opened"),
    QT_TRANSLATE_NOOP("StoreError", "The file belongs to somebody else"),
    QT_TRANSLATE_NOOP("StoreError", "Another program holds the file"),
    QT_TRANSLATE_NOOP("StoreError", "There is no memory left"),
    QT_TRANSLATE_NOOP("StoreError", "The folder with all chats cannot be used"),
    QT_TRANSLATE_NOOP("StoreError", "The copy that comes before a change of the file cannot be made"),
    QT_TRANSLATE_NOOP("StoreError", "A damaged file cannot be set aside"),
    QT_TRANSLATE_NOOP("StoreError", "The file with all chats is damaged"),
    QT_TRANSLATE_NOOP("StoreError", "A newer version of Rillet has changed the file with all chats"),
    QT_TRANSLATE_NOOP("StoreError", "A newer version of Rillet has made this backup"),
    QT_TRANSLATE_NOOP("StoreError", "This is no backup of Rillet"),
    QT_TRANSLATE_NOOP("StoreError", "The backup could not be written"),
    QT_TRANSLATE_NOOP("StoreError", "This is the file with all chats itself"),
    QT_TRANSLATE_NOOP("StoreError", "The backup could not be put in the place of the file"),
    QT_TRANSLATE_NOOP("StoreError", "The backup is in the place of the file, but cannot be opened"),
    QT_TRANSLATE_NOOP("StoreError", "This chat does not exist"),
    QT_TRANSLATE_NOOP("StoreError", "This message does not exist"),
    QT_TRANSLATE_NOOP("StoreError", "This message is not in this chat"),
    QT_TRANSLATE_NOOP("StoreError", "The message before this one is not in this chat"),
    QT_TRANSLATE_NOOP("StoreError", "The store is closed"),
    QT_TRANSLATE_NOOP("StoreError", "The store was closed before this could be written"),
)
_KEYS = (
    QT_TRANSLATE_NOOP("KeychainError", "Keys are kept until you quit."),
    QT_TRANSLATE_NOOP("KeychainError", "The keys in it are not lost: unlock it, then try again."),
    QT_TRANSLATE_NOOP(
        "KeychainError", "The keys in it are not lost: look for a window that asks for its password, then try again."
    ),
    QT_TRANSLATE_NOOP("KeychainError", "It is not used unless you say so; keys are kept until you quit."),
    QT_TRANSLATE_NOOP("KeychainError", "The key store did not keep the key"),
    QT_TRANSLATE_NOOP("KeychainError", "The key store of this system does not answer"),
    QT_TRANSLATE_NOOP("KeychainError", "This system has no key store, or none that runs"),
    QT_TRANSLATE_NOOP("KeychainError", "The key store is locked"),
    QT_TRANSLATE_NOOP("KeychainError", "The key store did not do what it was asked to"),
    QT_TRANSLATE_NOOP("KeychainError", "The key store {store} is none of the operating system's and may not encrypt"),
)


def of_store(error: StoreError) -> str:
    """What happened, and what to do."""
    return error.told(partial(translate, "StoreError"))


def happened(error: StoreError) -> str:
    """What happened, without what the system says to it and what to do."""
    return f"{translate('StoreError', error.summary).rstrip('.')}."


def of_keys(error: KeychainError) -> str:
    """What happened, and what follows."""
    return error.told(partial(translate, "KeychainError"))
