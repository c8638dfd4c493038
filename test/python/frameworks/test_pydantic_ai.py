"""Checks the adapter of Pydantic AI: messages as JSON, resumed by new objects with approvals by id."""

from __future__ import annotations

import unittest

from countersign import CountersignClient
from countersign.pydantic_ai import GatedToolset, told
from countersign.wire import Json
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, FunctionToolset, ToolReturn
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from .contract import Contract, Driver, Ran, ToolCall


class PydanticDriver:
    def __init__(self, client: CountersignClient, run: str) -> None:
        self.ran: list[Json] = []
        self._client = client
        self._run = run
        self._messages = b""
        self._suspended: set[str] = set()

    def start(self, calls: list[ToolCall]) -> Ran:
        turn = [ToolCallPart(call.tool, call.input, tool_call_id=call.id) for call in calls]
        return self._ended(self._agent(turn).run_sync("go"))

    def resume(self) -> Ran:
        history = ModelMessagesTypeAdapter.validate_json(self._messages)
        approvals = DeferredToolResults(approvals=dict.fromkeys(self._suspended, True))
        return self._ended(self._agent([]).run_sync(message_history=history, deferred_tool_results=approvals))

    def _ended(self, result: object) -> Ran:
        output, messages = result.output, result.all_messages()  # type: ignore[attr-defined]
        suspended: set[str] = set()
        if isinstance(output, DeferredToolRequests):
            suspended = {call.tool_call_id for call in output.approvals}
            self._messages = ModelMessagesTypeAdapter.dump_json(messages)
            self._suspended = suspended
        outputs = {
            part.tool_call_id: str(part.content)
            for message in messages
            if isinstance(message, ModelRequest)
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        }
        return Ran(suspended, outputs)

    def _agent(self, turn: list[ToolCallPart]) -> Agent[None, str | DeferredToolRequests]:
        def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            is_first = not any(isinstance(message, ModelResponse) for message in messages)
            return ModelResponse(parts=turn if is_first else [TextPart("done")])

        tools: FunctionToolset[None] = FunctionToolset()

        @tools.tool_plain
        def Refund(orderId: str, amount: float, person: str | None = None) -> ToolReturn:
            self.ran.append({"orderId": orderId, "amount": amount})
            # The framework takes such a result as it is, and refuses one within another.
            return ToolReturn(f"Refund {orderId}: {amount:g}")

        @tools.tool_plain
        def Lookup(q: str) -> str:
            self.ran.append({"q": q})
            return f"Lookup {q}"

        @tools.tool_plain
        def Delete(all: str) -> str:
            self.ran.append({"all": all})
            return "deleted"

        gated = GatedToolset(tools, self._client.guard(self._run))
        return Agent(FunctionModel(answer), toolsets=[gated], output_type=[str, DeferredToolRequests])


class PydanticAi(Contract, unittest.TestCase):
    def driver(self, client: CountersignClient, run: str) -> Driver:
        return PydanticDriver(client, run)

    def test_an_edit_leaves_an_image_an_image(self) -> None:
        image = BinaryContent(b"x", media_type="image/png")
        assert told(image, "changed") == [image, "changed"]
        assert told(["see", image], "changed") == ["see", image, "changed"]
        assert told(["a", "b"], "changed") == {"output": ["a", "b"], "note": "changed"}
        assert told(image, None) is image
