"""Has the calls that wait for one tool come again one after the other."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


class Lines:
    """The lines of one client, by what is waited for. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str, list[object]] = {}

    @contextlib.contextmanager
    def place_in(self, name: str) -> Iterator[Callable[[], bool]]:
        """Joins the line at its end, and leaves it at the end of the block.

        Yields a function that tells whether nobody stands before.
        """
        own = object()
        with self._lock:
            self._lines.setdefault(name, []).append(own)
        try:
            yield lambda: self._first_of(name) is own
        finally:
            with self._lock:
                self._lines[name].remove(own)
                if not self._lines[name]:
                    del self._lines[name]

    def _first_of(self, name: str) -> object:
        with self._lock:
            return self._lines[name][0]
