"""Runs a Lambda function's execution environment as a Node process: no container, no Docker.

LocalStack keeps one executor an execution environment and calls it for one invocation at a time. What a process cannot say
of itself (that it ran out of time, that it ended) is said here, in the words that AWS uses
(docs.aws.amazon.com/lambda/latest/dg/troubleshooting-invocation.html).
"""

import datetime
import json
import logging

from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from countersign_localstack.process import Ended, RuntimeProcess, TimedOut

LOG = logging.getLogger(__name__)

# Lambda ends an initialisation that takes longer, and tries once more within the first invocation.
INIT_SECONDS = 10
# Variables of the endpoint that say where a container would find things; a process finds them elsewhere.
OF_CONTAINERS = ("LOCALSTACK_", "EDGE_PORT", "_AWS_XRAY", "LAMBDA_RUNTIME_DIR")


class NodeProcessExecutor(RuntimeExecutor):
    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self._variables = {}
        self._process = None
        self._stopped = False
        self._logs = []

    def start(self, env_vars):
        self._variables = {
            name: str(value) for name, value in env_vars.items() if not name.startswith(OF_CONTAINERS)
        }
        self._initialise(INIT_SECONDS)

    def stop(self):
        self._stopped = True
        self._end()

    def invoke(self, payload):
        request_id = payload["invoke-id"]
        seconds = self.function_version.config.timeout
        # Lambda starts the runtime anew in the same environment after a time-out, an exit or a failed initialisation.
        failure = None if self._process else self._initialise(seconds)
        started = datetime.datetime.now(datetime.UTC)
        is_error, body = True, failure
        if failure is None:
            is_error, body = self._exchange(payload, request_id, seconds)
        return InvocationResult(
            request_id=request_id,
            payload=body.encode(),
            is_error=is_error,
            logs=self._report(request_id, started),
        )

    def _exchange(self, payload, request_id, seconds):
        message = {
            "requestId": request_id,
            "arn": payload["invoked-function-arn"],
            "traceId": payload["trace-id"],
            "deadline": int((datetime.datetime.now().timestamp() + seconds) * 1000),
            "event": payload["payload"],
        }
        try:
            answer = self._process.exchange(message, seconds)
        except TimedOut:
            self._end()
            now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
            text = f"{now}Z {request_id} Task timed out after {seconds:.2f} seconds"
            self._logs.append(f"{text}\n\n")
            return True, json.dumps({"errorType": "Sandbox.Timedout", "errorMessage": text})
        except Ended as ended:
            self._end()
            text = f"RequestId: {request_id} Error: Runtime exited with error: {ended}"
            self._logs.append(f"{text}\nRuntime.ExitError\n")
            return True, json.dumps({"errorType": "Runtime.ExitError", "errorMessage": text})
        if answer["type"] == "error":
            return True, json.dumps(answer["error"])
        return False, answer["body"]

    def _initialise(self, seconds):
        """None, or what the next invocation fails with."""
        if self._stopped:
            return json.dumps({"errorType": "Sandbox.Failure", "errorMessage": "The environment was stopped"})
        self._process = RuntimeProcess(self.function_version, self._variables)
        try:
            answer = self._process.receive(seconds)
        except TimedOut:
            answer = {"type": "error", "error": {"errorType": "Sandbox.Timedout", "errorMessage": "Init timed out"}}
        except Ended as ended:
            text = f"Error: Runtime exited with error: {ended}"
            answer = {"type": "error", "error": {"errorType": "Runtime.ExitError", "errorMessage": text}}
        if answer["type"] == "ready":
            return None
        self._end()
        return json.dumps(answer["error"])

    def _end(self):
        process, self._process = self._process, None
        if process:
            process.end()
            self._logs.append(process.take_logs())

    def _report(self, request_id, started):
        if self._process:
            self._logs.append(self._process.take_logs())
        written, self._logs = "".join(self._logs), []
        lasted = (datetime.datetime.now(datetime.UTC) - started).total_seconds() * 1000
        memory = self.function_version.config.memory_size
        return (
            f"START RequestId: {request_id} Version: {self.function_version.id.qualifier}\n{written}"
            f"END RequestId: {request_id}\n"
            f"REPORT RequestId: {request_id}\tDuration: {lasted:.2f} ms\tBilled Duration: {int(lasted) + 1} ms"
            f"\tMemory Size: {memory} MB\tMax Memory Used: {memory} MB\n"
        )

    def get_address(self):
        return "127.0.0.1"

    def get_endpoint_from_executor(self):
        return "localhost"

    def get_runtime_endpoint(self):
        return ""

    def get_logs(self):
        return "".join(self._logs)

    @classmethod
    def prepare_version(cls, function_version):
        function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        """The code stays: a version that differs in its configuration only has the same, and LocalStack removes what nobody uses."""
