"""Starts MiniStack as the local AWS endpoint, corrected where it departs from AWS.

Run by start-ministack.ts as `python launcher.py`, as the leader of a process group of its own, with a pipe on stdin
that nobody writes to: when the pipe ends, the parent is gone, however it died, and so is everything started here.
"""

import gc
import importlib.metadata
import os
import pathlib
import shutil
import signal
import sys
import threading

PINNED = next(
    line.strip().removeprefix("ministack==")
    for line in (pathlib.Path(__file__).parent / "requirements.txt").read_text().splitlines()
    if line.startswith("ministack==")
)


def refuse_another_version() -> None:
    """The corrections replace functions by name: with another version they could silently correct nothing."""
    try:
        installed = importlib.metadata.version("ministack")
    except importlib.metadata.PackageNotFoundError:
        installed = "not installed"
    if installed != PINNED:
        sys.exit(f"The corrections are written for MiniStack {PINNED}, but this is {installed}.")


def leave_nothing() -> None:
    """Ends MiniStack and the functions' processes, which are its process group, and removes its files."""
    runtime = sys.modules.get("ministack.core.lambda_runtime")
    for worker in [worker for pool in list(runtime._workers.values()) for worker in pool] if runtime else []:
        process = worker._proc
        if process:
            # Waited for, so that no zombie is left to an init that collects none.
            process.kill()
            process.wait()
    state = os.environ.get("STATE_DIR")
    if state:
        shutil.rmtree(state, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def end_with_parent() -> None:
    """Blocks until the parent's end of the pipe closes, which the kernel does even for `kill -9`."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    leave_nothing()


def main() -> None:
    refuse_another_version()
    threading.Thread(target=end_with_parent, daemon=True, name="end-with-parent").start()

    from corrections import apply_all

    # Without them MiniStack is as it comes, for what is said of it alone.
    if os.environ.get("COUNTERSIGN_CORRECTIONS") != "none":
        apply_all()
    if log := os.environ.get("COUNTERSIGN_RIGHTS_LOG"):
        import rights_log

        rights_log.apply(f"{log}.{os.getpid()}")

    from ministack import app

    # What is imported stays, and each request leaves hundreds of objects that need no collection: a twelfth of all time.
    gc.freeze()
    gc.set_threshold(50_000)

    # MiniStack would also open 443 if it may: a test endpoint takes no port but the one it was given.
    app._port_is_bindable = lambda _host, _port: False
    sys.argv = sys.argv[:1]
    try:
        app.main()
    finally:
        leave_nothing()


if __name__ == "__main__":
    main()
