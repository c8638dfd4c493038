"""Tells a gated call whether it is made within the tool of another one."""

from __future__ import annotations

import contextvars
import threading

#: Seconds after which the end of another event is noticed.
_LOOK = 0.2


class Until(threading.Event):
    """Is set by itself, or once one of the others is."""

    def __init__(self, *others: threading.Event | None) -> None:
        super().__init__()
        self._others = [other for other in others if other is not None]

    def is_set(self) -> bool:
        return super().is_set() or any(other.is_set() for other in self._others)

    def wait(self, timeout: float | None = None) -> bool:
        while not self.is_set() and (timeout is None or timeout > 0):
            slice_ = _LOOK if timeout is None else min(_LOOK, timeout)
            super().wait(slice_)
            timeout = None if timeout is None else timeout - slice_
        return self.is_set()


class OuterRun(Until):
    """The run of a tool under a redeemed permit, which cannot begin anew: set once it is over."""

    def __init__(self, tool: str) -> None:
        around = outer_run()
        super().__init__(around)
        #: The tools that run: this one, and those around it. Each takes up one of its calls until it ends.
        self.tools: frozenset[str] = frozenset({tool}) | (around.tools if around else frozenset())


_OUTER: contextvars.ContextVar[OuterRun | None] = contextvars.ContextVar("countersign_outer", default=None)


def outer_run() -> OuterRun | None:
    """Where the caller is itself a tool under a redeemed permit, as an agent is that is the tool of another one."""
    return _OUTER.get()


def within(run: OuterRun) -> contextvars.Context:
    """The context variables of the caller, for the tool of the run."""
    context = contextvars.copy_context()
    context.run(_OUTER.set, run)
    return context


def until_outer(stop: threading.Event | None) -> threading.Event:
    """A call within a tool ends with it: nobody would get its output."""
    around = outer_run()
    return Until(stop, around) if around else stop or threading.Event()
