from collections.abc import Iterator

from pygments.token import _TokenType

class Lexer:
    name: str
    aliases: list[str]
    def get_tokens(self, text: str, unfiltered: bool = ...) -> Iterator[tuple[_TokenType, str]]: ...
