"""Proposes three commands, runs what is approved, and reads what is refused: a sample agent.

Run it with the variables COUNTERSIGN_… that the stack's outputs give, and AWS credentials of the agent's role. The
argument names the conversation: run again under the same one, it asks nobody twice.
"""

import json
import sys

from countersign import Call, CountersignClient, NotApprovedError, RunContext, with_change

COMMANDS = ("git status --short", "git push origin python", "rm -rf build")


def play(action_input: dict[str, str], context: RunContext) -> str:
    """Stands in for a shell: tells what it would run, and changes nothing on this machine."""
    return str(with_change(f"(played, not run) {action_input['command']}", context.change))


guard = CountersignClient.from_environment().guard(sys.argv[1])
for number, command in enumerate(COMMANDS):
    call = Call("Bash", {"command": command}, call_id=f"c-{number}", reason="The tests pass.")
    try:
        told = {"outcome": "approved", "message": guard.run(call, play, timeout=600)}
    except NotApprovedError as refusal:
        # The text is written for the model that asked.
        told = {"outcome": refusal.code, "message": str(refusal)}
    print(json.dumps({"proposalId": guard.proposal_id(call), **told}))
