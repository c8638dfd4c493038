"""Makes a second start of an execution the same execution, and checks its name.

AWS: "StartExecution is idempotent for STANDARD workflows [...] if you call StartExecution with the same name and input
as a running execution, the call succeeds and return the same response as the original request. If the execution is
closed or if the input is different, it returns a 400 ExecutionAlreadyExists"; a name has 1 to 80 characters without
white space, brackets, wildcards and some others, `:` among them
(docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html). MiniStack refuses the second call
always, and takes any name.
"""

import json
import re

from ministack.core.responses import error_response_json, get_account_id, get_region, json_response
from ministack.services import stepfunctions

_REFUSED = re.compile(r"[\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f]")


def apply() -> None:
    stepfunctions._start_execution = _idempotent(stepfunctions._start_execution)


def _idempotent(original):
    def start(data):
        name = data.get("name")
        if name is not None and (not 1 <= len(name) <= 80 or _REFUSED.search(name)):
            return error_response_json("InvalidName", f"Invalid Name: '{name}'", 400)
        running = _running(data, name) if name else None
        return running or original(data)

    return start


def _running(data: dict, name: str):
    machine = stepfunctions._state_machines.get(stepfunctions._resolve_state_machine_arn(data.get("stateMachineArn", "")))
    arn = f"arn:aws:states:{get_region()}:{get_account_id()}:execution:{(machine or {}).get('name')}:{name}"
    execution = stepfunctions._executions.get(arn)
    if not execution or execution["status"] != "RUNNING":
        return None
    if json.loads(execution["input"]) != json.loads(data.get("input", "{}")):
        return None
    return json_response({"executionArn": arn, "startDate": execution["startDate"]})
