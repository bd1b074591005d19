"""The window, driven as a person would: keys, clicks, and what is to be seen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QToolButton

from rillet.app.models.picker import ModelPicker
from rillet.app.sizes import FRAME
from rillet.app.window import FIRST_SIZE, MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.types import ChatMessage, FilePart, ImagePart
from rillet.widgets import FileViewer, ImageViewer
from rillet.widgets.blocks.file_chip import FileChip
from rillet.widgets.blocks.image import ImageBlock
from support.chatting import ask, talk_to, wait_for_end
from support.fake_server import FakeServer, answer, close, hold, refused_port, respond, sse_end, sse_text, stream
from support.pictures import picture

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.theme.palette import Theme


def shown_error(handle: MessageHandle) -> str:
    return handle.entry.foot.error


def test_a_question_typed_is_answered(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("Hello", " there")) as server:
        talk_to(services, server)
        ask(window, "Hi")
        wait_for_end(window, qtbot)
        assert server.requests[0].json["model"] == "m"
    assert [message.text for message in window.view.history()] == ["Hi", "Hello there"]


def test_the_conversation_goes_along_with_the_next_question(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        for text in ("first", "second"):
            ask(window, text)
            wait_for_end(window, qtbot)
        contents = [message["content"] for message in server.requests[1].json["messages"]]
    assert contents == ["first", "one", "second"]


def test_stop_keeps_what_has_arrived_and_closes_the_connection(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(stream(sse_text("kept"), hold)) as server:
        talk_to(services, server)
        ask(window, "Hi")
        qtbot.waitUntil(lambda: window.view.history()[-1].text == "kept")
        button = next(each for each in window.findChildren(QToolButton) if each.accessibleName() == "Stop")
        assert button.isEnabled()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        handle = wait_for_end(window, qtbot)
        assert server.wait_closed()
    assert handle.entry.foot.note == "Stopped by you"
    assert window.view.history()[-1].text == "kept"


def test_a_new_model_is_used_from_the_next_message_on(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("slow"), gate)) as first, FakeServer(answer("quick")) as second:
        talk_to(services, first.url)
        ask(window, "a")
        qtbot.waitUntil(lambda: window.view.history()[-1].text == "slow")
        window.sessions.current.picker.choose(services.enter_endpoint(f"{second.url}/v1", None, "m"))
        assert window.view.composer.isBusy()
        gate.set()
        wait_for_end(window, qtbot)
        ask(window, "b")
        wait_for_end(window, qtbot)
    assert window.view.history()[-1].text == "quick"


def test_an_answer_goes_on_while_another_chat_is_shown(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    release = threading.Event()
    with FakeServer(
        stream(sse_text("text"), lambda exchange: exchange.wait(release), sse_text(" goes on"), sse_end())
    ) as server:
        talk_to(services, server)
        ask(window, "Hi")
        qtbot.waitUntil(lambda: len(window.view.history()) == 2)
        chat = window.sessions.current.chat_id
        assert chat is not None
        window.newChat()
        assert window.view.history() == []
        assert not window.view.composer.isBusy()
        assert services.library.is_answering(chat)
        release.set()
        qtbot.waitUntil(lambda: not services.library.is_answering(chat))
        window.sessions.open(chat)
        assert window.view.history()[-1].text == "text goes on"


HTML = "<html><head><title>Sign in</title></head><body>…</body></html>"
BAD = {
    "wrong key": (respond(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}), "key"),
    "wrong model": (
        respond(404, {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}),
        "Choose another model",
    ),
    "a web page": (respond(200, HTML, {"Content-Type": "text/html"}), "web page"),
    "an error inside a 200": (
        respond(200, {"error": {"message": "no credits", "type": "insufficient_quota"}}),
        "quota",
    ),
    "a truncated stream": (stream(sse_text("kept"), close), "broke off"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_answer_is_a_sentence_under_the_kept_text_with_a_retry(
    case: str, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    script, expected = BAD[case]
    with FakeServer(script, answer("better")) as server:
        talk_to(services, server, "key")
        ask(window, "Hi")
        handle = wait_for_end(window, qtbot)
        assert expected in shown_error(handle), shown_error(handle)
        assert "Traceback" not in shown_error(handle)
        assert handle.entry.foot.retry
        if case == "a truncated stream":
            assert window.view.history()[-1].text == "kept"
        window.view.retryRequested.emit(handle)
        wait_for_end(window, qtbot)
    assert [message.text for message in window.view.history()] == ["Hi", "better"]


NETWORK: dict[str, tuple[dict[str, str], str, str]] = {
    "nobody listens": ({}, "", "connection"),
    "certificates nowhere": ({"SSL_CERT_FILE": "/nowhere/ca.pem"}, "https://127.0.0.1:9", "SSL_CERT_FILE"),
    "a proxy that is none": ({"HTTPS_PROXY": "socks4a://127.0.0.1:9"}, "https://models.example", "HTTPS_PROXY"),
}


@pytest.mark.parametrize("case", NETWORK)
def test_a_bad_network_is_a_sentence(
    case: str, window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables, url, expected = NETWORK[case]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    talk_to(services, url or f"http://127.0.0.1:{refused_port()}")
    ask(window, "Hi")
    handle = wait_for_end(window, qtbot)
    assert expected in shown_error(handle), shown_error(handle)


def test_the_built_in_model_missing_says_how_to_get_it(
    window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(services.local_server), "missing", property(lambda _: "its engine is not installed"))
    ask(window, "Hi")
    handle = wait_for_end(window, qtbot)
    assert "engine is not installed" in shown_error(handle)
    assert "packaging/dev.py run" in shown_error(handle)


def test_the_window_comes_back_where_it_was(state: WindowState, theme: Theme, qtbot: QtBot) -> None:
    first = MainWindow(state, theme)
    qtbot.addWidget(first)
    first.show()
    first.resize(777, 555)
    first.close()
    second = MainWindow(WindowState(paths().window), theme)
    qtbot.addWidget(second)
    assert second.size() == QSize(777, 555)


def test_a_window_that_comes_back_narrow_leaves_its_room_to_the_chat(
    state: WindowState, theme: Theme, qtbot: QtBot
) -> None:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.resize(400, 480)
    window.show()
    assert not window._side.isVisible()
    window.resize(1000, 480)
    qtbot.waitUntil(window._side.isVisible)


@pytest.mark.parametrize("width", [600, 480, 400])
def test_the_list_of_chats_that_is_opened_in_a_narrow_window_lies_under_nothing(
    width: int, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(width, 480)
    window.toggleSidebar()
    side = window._side
    qtbot.waitUntil(lambda: side.isVisible() and window._header.x() == side.geometry().right() + 1, timeout=30_000)
    assert window.view.x() == window._header.x()
    assert window._header.geometry().right() == window.width() - 1 == width - 1


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00", b"[General]\ngeometry=nonsense", b"geometry=@ByteArray(x)"])
def test_a_damaged_state_is_forgotten(damage: bytes, theme: Theme, qtbot: QtBot) -> None:
    paths().window.parent.mkdir(parents=True, exist_ok=True)
    paths().window.write_bytes(damage)
    window = MainWindow(WindowState(paths().window), theme)
    qtbot.addWidget(window)
    room = window.screen().availableSize()
    assert not window.size().isEmpty()
    assert window.size() == FIRST_SIZE.boundedTo(room - FRAME), "what is beyond the edge of the screen is out of reach"


def test_a_question_sent_before_the_window_is_served_is_asked_then(
    state: WindowState, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    with FakeServer(answer("Hello")) as server:
        talk_to(services, server)
        window = MainWindow(state, theme)
        qtbot.addWidget(window)
        window.show()
        ask(window, "Hi")
        window.serve(services)
        wait_for_end(window, qtbot)
        window.close()
    assert [message.text for message in window.view.history()] == ["Hi", "Hello"]


def test_before_it_is_served_the_window_shows_the_last_choice(state: WindowState, theme: Theme, qtbot: QtBot) -> None:
    state.choice_label = "some-model"
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    assert window._picker is not None
    assert window._picker.text() == "some-model"
    window.stop()
    window.newChat()


def test_escape_leads_back_to_the_composer(window: MainWindow, qtbot: QtBot) -> None:
    field = window.view.composer.focusProxy()
    assert field is not None
    window._header.new_chat.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(field.hasFocus)


def test_a_long_name_of_a_model_does_not_widen_the_window(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    window.resize(400, 360)
    services.choose(services.enter_endpoint("http://localhost:1/v1", None, f"a-model-{'x' * 90}"))
    picker = window.findChild(ModelPicker)
    assert picker is not None
    qtbot.waitUntil(lambda: picker.width() > 120)
    assert window.width() == 400
    assert picker.mapTo(window, picker.rect().topRight()).x() < 400 - 60


@pytest.mark.parametrize(
    ("address", "opened"),
    [
        ("https://example.org/a?b", True),
        ("HTTP://example.org", True),
        ("mailto:someone@example.org", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("ms-msdt:/id", False),
        ("rillet-image:https://example.org", False),
        ("https://a@b@example.org", False),
        ("/etc/passwd", False),
        ("", False),
    ],
)
def test_only_web_and_mail_are_handed_to_the_desktop(
    *, address: str, opened: bool, state: WindowState, theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", handed.append)
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.view.linkActivated.emit(QUrl(address))
    window.view.imageRequested.emit(QUrl(address))
    assert handed == [QUrl(address)] * 2 * opened


def test_an_image_is_shown_large_in_a_window_that_escape_closes(window: MainWindow, qtbot: QtBot) -> None:
    window.view.addMessage(ChatMessage.user("Look", ImagePart(picture(60, 40))))
    block = window.view.findChild(ImageBlock)
    assert block is not None
    QTest.keyClick(block, Qt.Key.Key_Return)
    viewer = window.findChild(ImageViewer)
    assert viewer is not None
    qtbot.waitUntil(viewer.isActiveWindow)
    QTest.keyClick(viewer.canvas, Qt.Key.Key_Escape)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(ImageViewer) is None


def test_a_file_is_shown_as_text_in_a_window_that_escape_closes(window: MainWindow, qtbot: QtBot) -> None:
    window.view.addMessage(ChatMessage.user("Look", FilePart(b"a,b", media_type="text/csv", name="a.csv")))
    chip = window.view.findChild(FileChip)
    assert chip is not None
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    viewer = window.findChild(FileViewer)
    assert viewer is not None
    qtbot.waitUntil(viewer.isActiveWindow)
    assert [view.toPlainText() for view in viewer.findChildren(QPlainTextEdit)] == ["a,b"]
    QTest.keyClick(viewer, Qt.Key.Key_Escape)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(FileViewer) is None


def test_a_zoom_holds_for_every_chat_and_after_a_restart(
    window: MainWindow, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        ask(window, "first")
        wait_for_end(window, qtbot)
        first = window.view
        window.newChat()
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        assert window.view is not first
        assert (window.view.zoom(), first.zoom()) == (1.1, 1.1)
    window.close()
    later = MainWindow(WindowState(paths().window), theme)
    qtbot.addWidget(later)
    assert later.view.zoom() == 1.1


@pytest.mark.parametrize("damage", ["99", "-1", "nan", "inf", "x", ""])
def test_a_zoom_that_somebody_wrote_into_the_file_is_none(damage: str) -> None:
    state = WindowState(paths().window)
    state._file.setValue("zoom", damage)
    assert state.zoom == 1.0


def test_tab_goes_along_the_composer_the_chats_and_the_header_and_leaves_nothing_out(window: MainWindow) -> None:
    window.view.setFocus()
    visited = []
    for _ in range(18):
        now = QApplication.focusWidget()
        assert now is not None
        visited.append(now.accessibleName())
        QTest.keyClick(now, Qt.Key.Key_Tab)
    assert visited[:3] == ["Message", "Attach files or a folder", "Tools of this chat: No tools"]
    assert visited[3].startswith("Model: ")
    assert visited[4].startswith("Parameters of this chat")
    assert visited[5:14] == [
        "Start a new chat",
        "Start a temporary chat, of which nothing is saved",
        "Search chats and messages",
        "Chats",
        "Open the settings",
        "Show the archive",
        "Show the trash",
        "Show or hide the list of chats",
        "Start a new chat",
    ]
    assert [each.split(":")[0] for each in visited[14:17]] == ["Write"] * 3
    assert visited[17] == "Message"
