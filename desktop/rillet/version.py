"""Which Rillet this is: below everything, for it is said to servers as well as to people."""

from typing import Final

__version__: Final = "0.1.0"
