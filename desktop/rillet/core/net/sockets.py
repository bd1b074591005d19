"""The sockets below httpcore: its own, with what every read brings joined, and closed when a handshake is abandoned.

Above: ``chunks``. Below: ``transport`` gives it to its pools. Knows no requests; a write is taken for one, because an
answer of HTTP/1.1 comes to its end before the next request is written.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

import httpcore

from rillet.core.net.chunks import ChunkJoiner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from httpcore import SOCKET_OPTION


class Sockets(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """See httpcore."""
        return _Stream(await self._backend.connect_tcp(host, port, timeout, local_address, socket_options))

    async def sleep(self, seconds: float) -> None:
        """See httpcore."""
        await self._backend.sleep(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    """One connection, or the TLS inside one."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._joiner = ChunkJoiner()
        self._tls: ssl.SSLObject | None = stream.get_extra_info("ssl_object")
        self._failure: ssl.SSLError | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._failure is not None:
            raise self._failure
        while True:
            data = await self._stream.read(max_bytes, timeout)
            if data and self._tls is not None:
                data += self._decrypted(self._tls, max_bytes - len(data))
            joined = self._joiner.feed(data)
            if joined or not data:
                return joined

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._joiner.expect_head()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            return _Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except BaseException:  # httpcore forgets the socket of a handshake that is cancelled
            await self._stream.aclose()
            raise

    def _decrypted(self, tls: ssl.SSLObject, room: int) -> bytes:
        """What else has arrived. One read of TLS gives one record, and a provider sends one for every token.

        An error is kept for the next read: OpenSSL names it once, and takes the connection for closed afterwards.
        """
        records = []
        while room > 0:
            try:
                record = tls.read(room)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError as error:
                self._failure = error
                break
            if not record:
                break  # the end, which the next read meets again
            records.append(record)
            room -= len(record)
        return b"".join(records)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
