"""Starts LocalStack as the local AWS endpoint, corrected where it departs from AWS.

Run as `python launcher.py`, as the leader of a process group of its own, with a pipe on stdin that nobody writes to: when
the pipe ends, the parent is gone, however it died, and so is everything started here.
"""

import importlib.metadata
import os
import pathlib
import shutil
import signal
import sys
import threading

PINNED = next(
    line.strip().partition("==")[2]
    for line in (pathlib.Path(__file__).parents[1] / "requirements.txt").read_text().splitlines()
    if line.startswith("localstack-core")
)


def refuse_another_version() -> None:
    """The corrections replace functions by name: with another version they could silently correct nothing."""
    installed = importlib.metadata.version("localstack-core")
    if installed != PINNED:
        sys.exit(f"The corrections are written for LocalStack {PINNED}, but this is {installed}.")


def leave_nothing() -> None:
    """Ends LocalStack, DynamoDB Local and the functions' processes, which are its process group, and removes its files."""
    root = os.environ.get("FILESYSTEM_ROOT")
    if root:
        shutil.rmtree(root, ignore_errors=True)
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

    from countersign_localstack.corrections import apply_all
    from countersign_localstack.process_group import keep_together

    keep_together()
    # Without them LocalStack is as it comes, for what is said of it alone.
    if os.environ.get("COUNTERSIGN_CORRECTIONS") != "none":
        apply_all()

    from localstack.runtime.main import main as run

    try:
        run()
    finally:
        leave_nothing()


if __name__ == "__main__":
    main()
