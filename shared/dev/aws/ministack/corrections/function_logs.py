"""Returns what an invocation wrote as its log, without a wait.

AWS: what a handler writes until it answers stands between the START and END lines of its own request
(docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html). MiniStack waits up to 50 ms for a first line, 5 ms for a next,
and so adds 50 ms to every silent invocation and gives a late line to the next one. Here the worker marks the end.
"""

import queue
import time

from ministack.core import lambda_runtime

_END = "\x00end of invocation"
_LONGEST_WAIT_SECONDS = 0.25
_SUCCESS = 'status: "ok", result: res'


def apply() -> None:
    # Runs after function_errors, whose failures carry `status: "ok"` too.
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if _SUCCESS not in script:
        raise RuntimeError(f"MiniStack's Node worker no longer holds {_SUCCESS!r}")
    # Written before the answer; both pipes are synchronous (nodejs.org/api/process.html#a-note-on-process-io).
    mark = 'function _marked(status) { process.stderr.write("\\u0000end of invocation\\n"); return status; }\n'
    lambda_runtime._NODEJS_WORKER_SCRIPT = mark + script.replace('status: "ok", result:', 'status: _marked("ok"), result:')
    lambda_runtime.Worker._drain_stderr_bounded = _until_the_end(lambda_runtime.Worker._drain_stderr_bounded)


def _until_the_end(original):
    def drain(self, *args, **kwargs):
        if not str(self.config.get("Runtime", "")).startswith("nodejs"):
            return original(self, *args, **kwargs)
        lines = []
        deadline = time.monotonic() + _LONGEST_WAIT_SECONDS
        try:
            while not (line := self._stderr_queue.get(timeout=max(0.0, deadline - time.monotonic()))).endswith(_END):
                lines.append(line)
            if line != _END:
                lines.append(line.removesuffix(_END))  # the handler's last line had no end
        except queue.Empty:
            pass  # a worker that died marked no end
        return "\n".join(lines)

    return drain
