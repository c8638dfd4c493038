"""Applies a Succeed state's Output.

AWS: in a JSONata state machine "Output" shapes what a Succeed state returns (docs.aws.amazon.com/step-functions/latest/
dg/state-succeed.html, "Field availability in JSONata"). MiniStack passes the input on.
"""

from ministack.services import stepfunctions


def apply() -> None:
    stepfunctions._apply_output_path = _with_output(stepfunctions._apply_output_path)


def _with_output(original):
    def output(state_def, data, ctx=None):
        if state_def.get("Type") == "Succeed" and stepfunctions._state_query_language(state_def, ctx) == "JSONata":
            return stepfunctions._apply_jsonata_output(state_def, data, ctx, default=data)
        return original(state_def, data, ctx)

    return output
