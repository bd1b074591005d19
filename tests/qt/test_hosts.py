"""The contract in whole programs of their own: with and without widgets, run by qasync, and their exits."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from support.fake_server import FakeServer, answer, hold, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

PRELUDE = """
    import sys, threading
    from rillet import ChatMessage, ChatRequest, Cancelled
    from rillet.qt import Engine, LlmClient, StreamingListener
    url = sys.argv[1] + "/v1"
    request = ChatRequest([ChatMessage.user("Hi")], model="m")

    class Printer(StreamingListener):
        def onContentDelta(self, textDelta):
            assert threading.current_thread() is threading.main_thread()
            print("delta", textDelta, flush=True)
"""


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answer("a", "b")) as server:
        yield server


@pytest.fixture
def stalled() -> Iterator[FakeServer]:
    with FakeServer(stream(sse_text("a"), hold)) as server:
        yield server


def run(program: str, server: FakeServer) -> str:
    """Run a program and return what it printed; it must end well, and say nothing on stderr."""
    code = textwrap.dedent(PRELUDE) + textwrap.dedent(program)
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-W", "default::ResourceWarning", "-c", code, server.url],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_a_plain_application_without_qasync(server: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtWidgets import QApplication
        app = QApplication([])
        client = LlmClient.localOpenAiCompatible(url)
        client.chatStream(request, Printer()).onResult(lambda value, error: (print("result", value.text), app.quit()))
        assert "qasync" not in sys.modules
        app.exec()
        """,
        server,
    )
    assert printed.split("\n")[:3] == ["delta a", "delta b", "result ab"]


def test_an_application_without_widgets(server: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        print(LlmClient.localOpenAiCompatible(url).chatStream(request, Printer()).get(20).text)
        assert "PySide6.QtGui" not in sys.modules
        """,
        server,
    )
    assert printed.split() == ["delta", "a", "delta", "b", "ab"]


def test_await_in_an_application_run_by_qasync(server: FakeServer) -> None:
    printed = run(
        """
        import asyncio, qasync
        from PySide6.QtWidgets import QApplication

        async def main():
            client = LlmClient.localOpenAiCompatible(url)
            resource = client.chatStream(request, Printer())
            try:
                resource.get()
            except RuntimeError as error:
                print("refused", "await" in str(error))
            print((await resource).text)
            print((await resource).text)

        app = QApplication([])
        loop = qasync.QEventLoop(app)
        with loop:
            loop.run_until_complete(main())
        """,
        server,
    )
    assert printed.split("\n") == ["refused True", "delta a", "delta b", "ab", "ab", ""]


def test_await_under_qasync_run_whose_policy_makes_every_loop_one_of_qt(server: FakeServer) -> None:
    printed = run(
        """
        import qasync
        from PySide6.QtWidgets import QApplication

        async def main():
            print((await LlmClient.localOpenAiCompatible(url).chatStream(request, Printer())).text)

        app = QApplication([])
        qasync.run(main())
        """,
        server,
    )
    assert printed.split("\n") == ["delta a", "delta b", "ab", ""]


def test_ctrl_c_ends_the_waiting_of_a_script_and_not_the_stream(stalled: FakeServer) -> None:
    printed = run(
        """
        import signal
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        arrived = threading.Event()

        class Listener(Printer):
            def onContentDelta(self, textDelta):
                super().onContentDelta(textDelta)
                arrived.set()

        def press():
            arrived.wait()
            while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "_turn_events":
                pass  # (an interrupt inside the listener would be the listener's)
            signal.raise_signal(signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        resource = LlmClient.localOpenAiCompatible(url).chatStream(request, Listener())
        try:
            resource.get()
        except KeyboardInterrupt:
            print("interrupted", resource)
        thread.join()
        print(resource.cancel())
        """,
        stalled,
    )
    assert printed.split("\n") == ["delta a", "interrupted <AsyncResource pending>", "True", ""]


def test_cancelling_the_awaiting_task_cancels_the_stream(stalled: FakeServer) -> None:
    printed = run(
        """
        import asyncio, qasync
        from PySide6.QtWidgets import QApplication

        async def main():
            got = asyncio.Event()
            class Listener(Printer):
                def onContentDelta(self, textDelta):
                    got.set()
            resource = LlmClient.localOpenAiCompatible(url).chatStream(request, Listener())
            async def wait():
                await resource
            task = asyncio.ensure_future(wait())
            await got.wait()
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                print("task cancelled", resource.isCancelled())
            try:
                await resource
            except Cancelled as error:
                print("resource", error.partial.text)

        app = QApplication([])
        loop = qasync.QEventLoop(app)
        with loop:
            loop.run_until_complete(main())
        """,
        stalled,
    )
    assert printed.split("\n")[:2] == ["task cancelled True", "resource a"]


def test_awaiting_where_no_qt_events_turn_is_refused(server: FakeServer) -> None:
    printed = run(
        """
        import asyncio
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        resource = LlmClient.localOpenAiCompatible(url).chatStream(request, Printer())
        async def main():
            try:
                await resource
            except RuntimeError as error:
                print("refused", "qasync" in str(error))
        asyncio.run(main())
        resource.cancel()
        """,
        server,
    )
    assert printed == "refused True\n"


def test_awaiting_on_a_loop_of_another_thread(server: FakeServer) -> None:
    printed = run(
        """
        import asyncio
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        resource = LlmClient.localOpenAiCompatible(url).chatStream(request, StreamingListener())
        async def main():
            print((await resource).text)
        thread = threading.Thread(target=lambda: asyncio.run(main()))
        thread.start()
        resource.onResult(lambda value, error: app.quit())
        app.exec()
        thread.join(10)
        """,
        server,
    )
    assert printed == "ab\n"


@pytest.mark.parametrize("leave", ["quit", "exit"])
def test_quitting_ends_every_stream_and_get(leave: str, stalled: FakeServer) -> None:
    printed = run(
        f"leave = {leave!r}\n"
        + textwrap.dedent("""
        from PySide6.QtWidgets import QApplication
        app = QApplication([])
        client = LlmClient.localOpenAiCompatible(url)
        resources = [client.chatStream(request, StreamingListener()) for _ in range(5)]
        resources[0].except_(lambda error: print("callback", type(error).__name__, error.partial.text))

        class Quitter(Printer):
            def onContentDelta(self, textDelta):
                super().onContentDelta(textDelta)
                getattr(app, leave)()
                try:
                    resources[1].get()
                except Cancelled:
                    print("get cancelled")

        client.chatStream(request, Quitter())
        app.exec()
        print("after", all(resource.isDone() for resource in resources))
        print("threads", [thread.name for thread in threading.enumerate() if thread.name == "rillet-engine"])
        """),
        stalled,
    )
    lines = printed.split("\n")
    assert "get cancelled" in lines
    assert "callback Cancelled a" in lines or "callback Cancelled " in lines
    assert lines[-3:] == ["after True", "threads []", ""]


def test_quitting_while_get_turns_the_only_event_loop_ends_it(stalled: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])

        class Quitter(Printer):
            def onContentDelta(self, textDelta):
                app.exit()  # quit() does nothing where exec() does not run

        resource = LlmClient.localOpenAiCompatible(url).chatStream(request, Quitter())
        try:
            resource.get()
        except Cancelled:
            print("cancelled", resource.isCancelled())
        """,
        stalled,
    )
    assert printed == "cancelled True\n"


def test_a_request_after_the_event_loop_has_ended_starts_a_fresh_thread(server: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtCore import QCoreApplication, QTimer
        app = QCoreApplication([])
        client = LlmClient.localOpenAiCompatible(url)
        for _ in range(2):
            client.chatStream(request, StreamingListener()).ready(lambda response: (print(response.text), app.quit()))
            app.exec()
        print(client.chat(request).get(30).text)
        """,
        server,
    )
    assert printed.split() == ["ab", "ab", "ab"]


def test_a_program_that_never_runs_an_event_loop_exits_with_streams_alive(stalled: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        client = LlmClient.localOpenAiCompatible(url)
        resources = [client.chatStream(request, Printer()) for _ in range(3)]
        try:
            resources[0].get(0.5)
        except TimeoutError:
            print("leaving")
        """,
        stalled,
    )
    assert printed.split("\n")[-2] == "leaving"


def test_without_an_application_a_client_is_refused(server: FakeServer) -> None:
    printed = run(
        """
        try:
            LlmClient.localOpenAiCompatible(url)
        except RuntimeError as error:
            print(error)
        """,
        server,
    )
    assert "QCoreApplication" in printed


def test_emitting_ten_thousand_signals_loses_no_reference(server: FakeServer) -> None:
    printed = run(
        """
        from PySide6.QtCore import QCoreApplication, QObject, Signal
        class Emitter(QObject):
            signal = Signal(str)
        app = QCoreApplication([])
        emitter = Emitter()
        before = sys.getrefcount(None), sys.getrefcount(True)
        for _ in range(10_000):
            emitter.signal.emit("x")
            emitter.setObjectName("x")
        lost = [old - new for old, new in zip(before, (sys.getrefcount(None), sys.getrefcount(True)))]
        print(max(lost) < 1000)
        """,
        server,
    )
    assert printed == "True\n"


@pytest.mark.parametrize("end", ["app.shutdown()", "shiboken6.delete(app)"])
def test_an_application_destroyed_before_it_quit_ends_streams_and_thread_and_the_next_begins_anew(
    end: str, server: FakeServer
) -> None:
    printed = run(
        f"""
        import shiboken6
        from PySide6.QtCore import QCoreApplication
        app = QCoreApplication([])
        client = LlmClient.localOpenAiCompatible(url)
        print(client.chatStream(request, StreamingListener()).get(30).text)
        pending = client.chatStream(request, StreamingListener())
        pending.onResult(lambda value, error: print("ended", bool(value) != bool(error)))
        {end}
        print(pending.isDone(), [thread.name for thread in threading.enumerate() if thread.name == "rillet-engine"])
        client = None
        app = QCoreApplication([])
        print(LlmClient.localOpenAiCompatible(url).chatStream(request, StreamingListener()).get(20).text)
        """,
        server,
    )
    assert printed.split("\n") == ["ab", "ended True", "True []", "ab", ""]


def test_a_ctrl_c_in_an_idle_event_loop_does_not_silence_what_comes_after_it(server: FakeServer) -> None:
    printed = run(
        """
        import io, os, signal
        from PySide6.QtCore import QCoreApplication, QEventLoop
        from rillet.qt.mailbox import Mailbox
        app = QCoreApplication([])
        sys.stderr = io.StringIO()  # where PySide prints the KeyboardInterrupt
        loop = QEventLoop()

        def receive(number, event):
            print(event)
            if event == "last":
                loop.quit()

        def interrupt():
            while not loop.isRunning():
                pass
            os.kill(os.getpid(), signal.SIGINT)
            mailbox.post(1, ["first"])
            mailbox.post(1, ["last"])

        mailbox = Mailbox(receive)
        thread = threading.Thread(target=interrupt)
        thread.start()
        loop.exec()
        thread.join()
        """,
        server,
    )
    assert printed == "first\nlast\n"
