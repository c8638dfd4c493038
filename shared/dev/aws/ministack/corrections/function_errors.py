"""Reports a function that fails by the name of its error, and keeps its environment.

AWS: a thrown error is `{errorType: error.name, errorMessage, trace}` (docs.aws.amazon.com/lambda/latest/dg/
nodejs-exceptions.html), and Step Functions matches `Catch` and `Retry` on that name (docs.aws.amazon.com/
step-functions/latest/dg/concepts-error-handling.html). An execution environment ends by an exit, a time-out or a failed
init, not by a handler's error (docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html).
MiniStack calls every error `Runtime.HandlerError` and ends the process.
"""

import contextvars

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

_failure: contextvars.ContextVar[dict | None] = contextvars.ContextVar("countersign_function_failure", default=None)

# The two places where MiniStack's Node worker answers with an error. An answer that is not "error" keeps the process;
# the failure travels beside it and becomes an error again in `_invoke`.
_ANSWERS = {
    'status: "error", error: String(err.message || err), trace: err.stack || ""': "err",
    'status: "error", error: e.message, trace: e.stack': "e",
}
_FAILURE = (
    'status: "ok", result: null, failure: {{ errorType: String({0} && {0}.name || "Error"), '
    'errorMessage: String({0} && {0}.message || {0}), trace: String({0} && {0}.stack || "").split("\\n") }}'
)


def apply() -> None:
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    for answer, variable in _ANSWERS.items():
        if answer not in script:
            raise RuntimeError(f"MiniStack's Node worker no longer holds {answer!r}")
        script = script.replace(answer, _FAILURE.format(variable))
    # A worker must not outlive a MiniStack that was killed.
    lambda_runtime._NODEJS_WORKER_SCRIPT = script + '\nrl.on("close", () => process.exit(0));\n'

    lambda_runtime.Worker.invoke = _invoke(lambda_runtime.Worker.invoke)
    lambda_svc._execute_function_warm = _execute(lambda_svc._execute_function_warm)


def _invoke(original):
    def invoke(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        failure = result.pop("failure", None)
        _failure.set(failure)
        if failure:
            result.update(status="error", error=failure["errorMessage"], trace="\n".join(failure["trace"]))
        return result

    return invoke


def _execute(original):
    def execute(func, event, request_id):
        _failure.set(None)
        result = original(func, event, request_id)
        failure = _failure.get()
        return {**result, "body": failure} if failure and result.get("error") else result

    return execute
