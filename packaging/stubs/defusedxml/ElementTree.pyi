from collections.abc import Iterator, Sequence
from typing import IO
from xml.etree.ElementTree import Element

def iterparse(
    source: IO[bytes], events: Sequence[str] | None = ..., *, forbid_dtd: bool = ...
) -> Iterator[tuple[str, Element]]: ...
