"""Runs a function in one Node process, over two pipes.

Ends the process with everything that it started.
"""

import fcntl
import json
import os
import pathlib
import selectors
import signal
import subprocess
import time

BOOTSTRAP = pathlib.Path(__file__).parents[2] / "bootstrap.mjs"
CHUNK = 1 << 16


class TimedOut(Exception):
    """No answer within its time."""


class Ended(Exception):
    """The process ended instead of answering; says with what."""


class RuntimeProcess:
    def __init__(self, function_version, variables):
        code = function_version.config.code.get_unzipped_code_location()
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        # Nothing of the endpoint's own environment but where programs, packages of the runtime and buckets are, and whom to trust.
        names = ("PATH", "NODE_PATH", "AWS_ENDPOINT_URL_S3", "NODE_EXTRA_CA_CERTS")
        inherited = {name: os.environ[name] for name in names}
        self._process = subprocess.Popen(
            [os.environ["COUNTERSIGN_NODE"], str(BOOTSTRAP)],
            cwd=code,
            env={
                **inherited,
                **variables,
                "LAMBDA_TASK_ROOT": str(code),
                "COUNTERSIGN_RUNTIME_PIPES": f"{requests},{answers}",
                "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(requests, answers),
        )
        os.close(requests)
        os.close(answers)
        self._output = self._process.stdout.fileno()
        self._logs = bytearray()
        self._received = bytearray()
        for descriptor in (self._output, self._answers):
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_NONBLOCK)

    def exchange(self, message, seconds):
        """Sends one message and waits for its answer. Raises TimedOut or Ended."""
        try:
            with os.fdopen(os.dup(self._requests), "wb") as pipe:
                pipe.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            raise Ended(self._how()) from None
        return self.receive(seconds)

    def receive(self, seconds):
        """Waits for one answer and keeps what the process prints meanwhile. Raises TimedOut or Ended."""
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            selector.register(self._answers, selectors.EVENT_READ)
            while b"\n" not in self._received:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimedOut()
                for key, _ in selector.select(left):
                    chunk = self._read(key.fd)
                    if chunk == b"" and key.fd == self._answers:
                        raise Ended(self._how())
                    if chunk == b"":
                        selector.unregister(key.fd)
                    elif chunk and key.fd == self._answers:
                        self._received += chunk
                    elif chunk:
                        self._logs += chunk
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return json.loads(line)

    def take_logs(self):
        """What was printed since the last call: Node writes to pipes at once, so nothing is under way any more."""
        while chunk := self._read(self._output):
            self._logs += chunk
        written, self._logs = self._logs.decode(errors="replace"), bytearray()
        return written

    def end(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        for descriptor in (self._requests, self._answers):
            os.close(descriptor)

    def _how(self):
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "exit status 1"
        return f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"

    @staticmethod
    def _read(descriptor):
        """b'' at the end, None if nothing is there now."""
        try:
            return os.read(descriptor, CHUNK)
        except BlockingIOError:
            return None
