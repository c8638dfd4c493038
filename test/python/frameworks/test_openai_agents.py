"""Checks the adapter of the OpenAI Agents SDK: state as text, resumed by new objects."""

from __future__ import annotations

import asyncio
import dataclasses
import unittest
from typing import Annotated, Any, cast

from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    Runner,
    RunState,
    ToolOutputImage,
    ToolOutputText,
    WebSearchTool,
    function_tool,
)
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from countersign import CountersignClient, InvalidSettingError, SchemaError, settings_from
from countersign.openai_agents import gated_tool, told
from countersign.openai_agents_arguments import fitting
from countersign.wire import Json
from pydantic import BaseModel, Field

from .contract import Contract, Driver, Ran, Reporting, ToolCall, client_of, redeeming

CONFIG = RunConfig(tracing_disabled=True)


class Paid(BaseModel):
    paid: float


class OpenAiDriver:
    def __init__(self, client: CountersignClient, run: str) -> None:
        self.ran: list[Json] = []
        self._client = client
        self._run = run
        self._state = ""

    def start(self, calls: list[ToolCall]) -> Ran:
        return self.start_with(
            ModelStep(output=[function_call(call.tool, call.input, call_id=call.id) for call in calls])
        )

    def start_with(self, turn: ModelStep) -> Ran:
        return asyncio.run(self._go_on(ScriptedModel([turn, DONE]), "go"))

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

    def test_arguments_that_are_no_json_end_their_call_alone(self) -> None:
        driver = OpenAiDriver(client_of(settings_from(), run := self.id()[-90:]), run)
        cut = function_call("Refund", {}, call_id="c-1").model_copy(update={"arguments": '{"orderId": "o-1", '})
        turn = [cut, function_call("Lookup", {"q": "x"}, call_id="c-2")]
        driver.start_with(ModelStep(output=turn))
        ended = driver.resume()
        assert ended.outputs["c-1"].startswith("input: is no JSON:"), ended
        assert (ended.outputs["c-2"], driver.ran) == ("Lookup x", [{"q": "x"}]), (ended, driver.ran)

    def test_a_tool_that_runs_elsewhere_is_refused_by_its_kind(self) -> None:
        guard = client_of(settings_from(), "r").guard("r")
        with self.assertRaisesRegex(InvalidSettingError, "tool: is a WebSearchTool: only a FunctionTool"):
            gated_tool(guard, WebSearchTool())  # type: ignore[arg-type]

    def test_a_name_that_no_call_may_have_is_refused_where_the_tool_is_declared(self) -> None:
        guard = client_of(settings_from(), "r").guard("r")

        @function_tool
        def lookup() -> str:
            return "found"

        for name in ("Issue refund", "Überweisung", "x" * 129, "", "constructor", "__proto__", "toString"):
            with self.assertRaisesRegex(InvalidSettingError, "is no name of a tool, and each call would be denied"):
                gated_tool(guard, dataclasses.replace(lookup, name=name))
        assert gated_tool(guard, dataclasses.replace(lookup, name="mcp__billing__issue-refund")).name
        with self.assertRaisesRegex(InvalidSettingError, "^guard: a CountersignClient is something else"):
            gated_tool(client_of(settings_from(), "r"), lookup)  # type: ignore[arg-type]

    def test_an_edit_leaves_an_image_an_image(self) -> None:
        image = ToolOutputImage(image_url="data:image/png;base64,AAAA")
        note = ToolOutputText(text="changed")
        assert told(image, "changed") == [image, note]
        text = {"type": "text", "text": "see"}
        assert told([text, image], "changed") == [text, image, note]
        assert told({"type": "invoice"}, "changed") == {"output": {"type": "invoice"}, "note": "changed"}
        assert told(image, None) is image

    def test_a_tool_with_an_output_schema_gives_words_of_the_gate_in_place_of_an_output(self) -> None:
        def paying(name: str) -> FunctionTool:
            @function_tool(name_override=name, strict_mode=False, output_type=Paid)
            def pay(orderId: str, amount: float, person: str | None = None) -> Paid:
                return Paid(paid=amount)

            return pay

        run = self.id()[-90:]
        guard = client_of(settings_from(), run).guard(run)
        tools: list[Any] = [gated_tool(guard, paying(name)) for name in ("Delete", "Refund")]
        people = {"c-1": ("Delete", "none"), "c-2": ("Refund", "rejects"), "c-3": ("Refund", "edits")}
        turn = [
            function_call(name, {**self.refund(number, person).input}, call_id=call_id)
            for number, (call_id, (name, person)) in enumerate(people.items())
        ]
        agent: Agent[None] = Agent(name="coder", model=ScriptedModel([ModelStep(output=turn), DONE, DONE]), tools=tools)

        async def whole() -> Any:
            first = await Runner.run(agent, "go", run_config=CONFIG)
            state = first.to_state()
            for item in first.interruptions:
                state.approve(item)
            return await Runner.run(agent, state, run_config=CONFIG)

        seen: list[Any] = asyncio.run(whole()).to_input_list()
        outputs = {item["call_id"]: str(item["output"]) for item in seen if item.get("type") == "function_call_output"}
        assert outputs["c-1"].startswith("Denied by the rule"), outputs
        assert "Too much for one order." in outputs["c-2"], outputs
        assert outputs["c-3"].startswith('{"paid":5'), outputs
        assert "in place of the arguments that you proposed" in outputs["c-3"], outputs

    def ended(self, client: CountersignClient, run: str, tool: FunctionTool, arguments: Json) -> dict[str, str]:
        """Runs one call of the tool to its end. Gives what the model saw, and how often people were asked."""
        model = ScriptedModel([ModelStep(output=[function_call(tool.name, arguments, call_id="c-1")]), DONE])
        agent: Agent[None] = Agent(name="coder", model=model, tools=[gated_tool(client.guard(run), tool)])
        result = asyncio.run(Runner.run(agent, "go", run_config=CONFIG))
        asked = len(result.interruptions)
        if asked:
            state = result.to_state()
            for item in state.get_interruptions():
                state.approve(item)
            result = asyncio.run(Runner.run(agent, state, run_config=CONFIG))
        outputs = [item["output"] for item in cast(Any, result.to_input_list()) if "output" in item]
        return {"asked": str(asked), "seen": "".join(map(str, outputs))}

    def test_an_edit_that_the_schema_of_the_tool_refuses_is_not_run(self) -> None:
        gate, run, ran = Reporting(), self.id()[-90:], []

        @function_tool(strict_mode=False)
        def Refund(orderId: str, amount: Annotated[float, Field(ge=10)], person: str | None = None) -> str:
            ran.append(amount)
            return "refunded"

        ended = self.ended(client_of(redeeming(), run, gate), run, Refund, self.refund(1, "edits").input)
        assert ended["asked"] == "1", ended
        assert ended["seen"].startswith("The tool was not run."), ended
        assert "amount: not what `minimum`" in ended["seen"], ended
        assert (ran, gate.statuses) == ([], []), (ran, gate.statuses)

    def test_nobody_is_asked_about_arguments_that_the_tool_refuses(self) -> None:
        run, ran = self.id()[-90:], []

        @function_tool(strict_mode=False)
        def Refund(orderId: str, amount: int, person: str | None = None) -> str:
            ran.append(amount)
            return f"refunded {amount}"

        client = client_of(settings_from(), run)
        wrong = self.ended(client, run, Refund, {**self.refund(1, "approves").input, "amount": "ten"})
        told = "The tool was not run. Call it again with arguments that fit its schema. amount: not what `type`"
        assert wrong["asked"] == "0", wrong
        assert wrong["seen"].startswith(told), wrong
        # The tool's own reader takes a number for its text, whatever its JSON schema says.
        read = self.ended(client, f"{run}2", Refund, {**self.refund(2, "approves").input, "amount": "10"})
        assert (read, ran) == ({"asked": "1", "seen": "refunded 10"}, [10]), (read, ran)

    def test_a_tool_that_reads_its_arguments_itself_is_asked_about_whatever_they_are(self) -> None:
        async def invoke(_: Any, arguments: str) -> str:
            return f"read {arguments}"

        own = FunctionTool(name="Refund", description="Refunds", params_json_schema={}, on_invoke_tool=invoke)
        run = self.id()[-90:]
        ended = self.ended(client_of(settings_from(), run), run, own, self.refund(1, "approves").input)
        assert ended["asked"] == "1", ended

    def test_an_edit_may_leave_out_what_a_strict_schema_requires_though_it_has_a_default(self) -> None:
        @function_tool
        def Lookup(q: str, limit: int = 5) -> str:
            return q

        assert fitting(Lookup, {"q": "x"}) == {"q": "x"}
        with self.assertRaisesRegex(SchemaError, "limit: not what `type`"):
            fitting(Lookup, {"q": "x", "limit": "many"})

    def test_an_agent_that_is_a_tool_under_a_permit_waits_for_people(self) -> None:
        run = self.id()[-85:]
        client, ran = client_of(redeeming(), run), []

        @function_tool(strict_mode=False)
        def Refund(orderId: str, amount: float, person: str | None = None) -> str:
            ran.append(amount)
            return "refunded"

        asked = function_call("Refund", self.refund(1, "approves").input, call_id="c-in")
        model = ScriptedModel([ModelStep(output=[asked]), DONE])
        inner: Agent[None] = Agent(name="inner", model=model, tools=[gated_tool(client.guard(f"{run}-in"), Refund)])
        look_up = gated_tool(client.guard(run), inner.as_tool("Lookup", "Looks something up"))
        calls = ModelStep(output=[function_call("Lookup", {"input": "x"}, call_id="c-out")])
        outer: Agent[None] = Agent(name="outer", model=ScriptedModel([calls, DONE]), tools=[look_up])
        ended = asyncio.run(Runner.run(outer, "go", run_config=CONFIG))
        outputs = [item["output"] for item in cast(Any, ended.to_input_list()) if "output" in item]
        assert (ended.interruptions, outputs, ran) == ([], ["done"], [25]), (ended, outputs, ran)
