"""Checks the adapter of the OpenAI Agents SDK: state as text, resumed by new objects."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from agents import Agent, RunConfig, Runner, RunState, ToolOutputImage, ToolOutputText, function_tool
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from countersign import CountersignClient
from countersign.openai_agents import gated_tool, told
from countersign.wire import Json

from .contract import Contract, Driver, Ran, ToolCall

CONFIG = RunConfig(tracing_disabled=True)


class OpenAiDriver:
    def __init__(self, client: CountersignClient, run: str) -> None:
        self.ran: list[Json] = []
        self._client = client
        self._run = run
        self._state = ""

    def start(self, calls: list[ToolCall]) -> Ran:
        turn = [function_call(call.tool, call.input, call_id=call.id) for call in calls]
        return asyncio.run(self._go_on(ScriptedModel([ModelStep(output=turn), DONE]), "go"))

    def resume(self) -> Ran:
        return asyncio.run(self._resume())

    async def _resume(self) -> Ran:
        model = ScriptedModel([DONE])
        state = await RunState.from_string(self._agent(model), self._state)
        for item in state.get_interruptions():
            state.approve(item, always_approve=True)
        return await self._go_on(model, state)

    async def _go_on(self, model: ScriptedModel, given: Any) -> Ran:
        result = await Runner.run(self._agent(model), given, run_config=CONFIG)
        if result.interruptions:
            self._state = result.to_state().to_string()
        seen: list[Any] = list(result.to_input_list())
        items: list[Any] = list(result.interruptions)
        outputs = {
            str(item["call_id"]): str(item["output"]) for item in seen if item.get("type") == "function_call_output"
        }
        return Ran({str(item.raw_item.call_id) for item in items}, outputs)

    def _agent(self, model: ScriptedModel) -> Agent[None]:
        guard = self._client.guard(self._run)

        @function_tool(strict_mode=False)
        def Refund(orderId: str, amount: float, person: str | None = None) -> str:
            given = {"orderId": orderId, "amount": amount}
            self.ran.append(given)
            return f"Refund {orderId}: {amount:g}"

        @function_tool
        def Lookup(q: str) -> str:
            if q == "fails":
                raise RuntimeError("the index is down")
            self.ran.append({"q": q})
            return f"Lookup {q}"

        @function_tool
        def Delete(all: str) -> str:
            self.ran.append({"all": all})
            return "deleted"

        return Agent(name="coder", model=model, tools=[gated_tool(guard, tool) for tool in (Refund, Lookup, Delete)])


DONE = ModelStep(output=[assistant_message("done")])


class OpenAiAgents(Contract, unittest.TestCase):
    def driver(self, client: CountersignClient, run: str) -> Driver:
        return OpenAiDriver(client, run)

    def test_an_edit_leaves_an_image_an_image(self) -> None:
        image = ToolOutputImage(image_url="data:image/png;base64,AAAA")
        note = ToolOutputText(text="changed")
        assert told(image, "changed") == [image, note]
        text = {"type": "text", "text": "see"}
        assert told([text, image], "changed") == [text, image, note]
        assert told({"type": "invoice"}, "changed") == {"output": {"type": "invoice"}, "note": "changed"}
        assert told(image, None) is image
