"""Checks the adapter of LangGraph: state in a checkpointer, resumed by a new graph on it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import unittest
from types import SimpleNamespace
from typing import Annotated, Any, cast
from unittest.mock import patch

from botocore.exceptions import ClientError
from countersign import Call, CountersignClient, StoppedError, settings_from
from countersign.aws import AwsGate
from countersign.errors import InvalidSettingError, SchemaError
from countersign.langgraph import gated_calls, gated_calls_async
from countersign.langgraph_edit import fitting, misfit
from countersign.langgraph_told import has_failed, told_in
from countersign.wire import Json
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, Send
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from .contract import Contract, Driver, Ran, ToolCall, client_of, redeeming


class LangGraphDriver:
    def __init__(self, client: CountersignClient, run: str) -> None:
        self.ran: list[Json] = []
        self._client = client
        self._config: Any = {"configurable": {"thread_id": run}}
        self._saver = InMemorySaver()
        self._checkpoint: Any = None

    def start(self, calls: list[ToolCall]) -> Ran:
        turn = [{"name": call.tool, "args": call.input, "id": call.id} for call in calls]
        message = AIMessage("", tool_calls=turn)
        ran = self._ended(self._graph().invoke({"messages": [message]}, self._config))
        # The checkpoint in which it is suspended: whoever resumes it twice begins there twice.
        self._checkpoint = self._graph().get_state(self._config).config
        return ran

    def resume(self) -> Ran:
        graph = self._graph()
        interrupts = graph.get_state(self._checkpoint).interrupts
        answers = {interrupt.id: "approved" for interrupt in interrupts}
        return self._ended(graph.invoke(Command(resume=answers), self._checkpoint))

    def _ended(self, state: Any) -> Ran:
        pending = state.get("__interrupt__", [])
        suspended = {interrupt.value["countersign"].rsplit(":", 1)[-1] for interrupt in pending}
        messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
        return Ran(suspended, {message.tool_call_id: str(message.content) for message in messages})

    def _graph(self) -> Any:
        @tool
        def Refund(orderId: str, amount: float, person: str | None = None) -> str:
            """Refunds an order."""
            self.ran.append({"orderId": orderId, "amount": amount})
            return f"Refund {orderId}: {amount:g}"

        @tool
        def Lookup(q: str) -> str:
            """Looks something up."""
            if q == "fails":
                raise RuntimeError("the index is down")
            self.ran.append({"q": q})
            return f"Lookup {q}"

        @tool
        def Delete(all: str) -> str:
            """Deletes something."""
            self.ran.append({"all": all})
            return "deleted"

        def each_call(state: MessagesState) -> list[Send]:
            last = state["messages"][-1]
            calls = last.tool_calls if isinstance(last, AIMessage) else []
            return [Send("tools", [{**call, "type": "tool_call"}]) for call in calls]

        tools = ToolNode([Refund, Lookup, Delete], wrap_tool_call=gated_calls(self._client), handle_tool_errors=True)
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {})
        graph.add_node("tools", tools)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", each_call, ["tools"])
        graph.add_edge("tools", END)
        return graph.compile(checkpointer=self._saver)


class OneNode:
    """A graph whose plain `ToolNode` runs the calls of a turn as one task."""

    def __init__(self, client: CountersignClient, run: str, **more: Any) -> None:
        self.ran: list[Json] = []
        self.config: Any = {"configurable": {"thread_id": run}}

        @tool
        def Refund(orderId: str, amount: int, person: str | None = None) -> str:
            """Refunds an order."""
            self.ran.append({"orderId": orderId, "amount": amount})
            return f"Refund {orderId}: {amount}"

        @tool
        def Lookup(q: str) -> str:
            """Looks something up."""
            self.ran.append({"q": q})
            return f"Lookup {q}"

        @tool
        async def Slow(q: str) -> str:
            """Looks something up, in an event loop alone."""
            self.ran.append({"q": q})
            return f"Slow {q}"

        tools = ToolNode(
            [Refund, Lookup, Slow],
            wrap_tool_call=gated_calls(client),
            awrap_tool_call=gated_calls_async(client),
            **more,
        )
        self._saver = InMemorySaver()
        graph = StateGraph(MessagesState)
        self._tools = tools
        graph.add_node("tools", tools)
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        self.graph: Any = graph.compile(checkpointer=self._saver)

    def sending(self, sent: Send) -> Any:
        """A graph with an edge that sends all calls at once."""
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {})
        graph.add_node("tools", self._tools)
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", lambda state: [sent], ["tools"])
        graph.add_edge("tools", END)
        return graph.compile(checkpointer=self._saver)

    @staticmethod
    def turn(calls: list[ToolCall]) -> Any:
        made = [{"name": call.tool, "args": call.input, "id": call.id} for call in calls]
        return {"messages": [AIMessage("", tool_calls=made)]}

    def resume(self, state: Any) -> Command[Any]:
        return Command(resume={interrupt.id: True for interrupt in state["__interrupt__"]})

    @staticmethod
    def outputs(state: Any) -> Json:
        messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
        return {message.tool_call_id: message.content for message in messages}


class LangGraph(Contract, unittest.TestCase):
    def driver(self, client: CountersignClient, run: str) -> Driver:
        return LangGraphDriver(client, run)

    def one_node(self, kind: str = "") -> OneNode:
        run = f"{self.id()[-80:]}{kind}"
        return OneNode(client_of(settings_from(), run), run)

    def mixed(self, kind: str = "") -> list[ToolCall]:
        people = ("approves", "rejects", "edits")
        asked = [self.refund(number, person) for number, person in enumerate(people, 4 if kind == "calls" else 1)]
        return [*asked, ToolCall("c-l" if kind else "c-4", "Lookup", {"q": "x"})]

    def assert_each_ran_once(self, node: OneNode, state: Any) -> None:
        outputs = node.outputs(state)
        assert outputs["c-1"] == f"Refund {self.order(1)}: 25", outputs
        assert "Too much" in outputs["c-2"], outputs
        assert outputs["c-3"].startswith(f"Refund {self.order(3)}: 5\n"), outputs
        assert outputs["c-4"] == "Lookup x", outputs
        ran = sorted(str(given.get("amount", given.get("q"))) for given in node.ran)
        assert ran == ["25", "5", "x"], node.ran

    def test_of_calls_that_a_node_runs_as_one_task_each_runs_once(self) -> None:
        node = self.one_node()
        suspended = node.graph.invoke(node.turn(self.mixed()), node.config)
        assert node.ran == [], node.ran
        self.assert_each_ran_once(node, node.graph.invoke(node.resume(suspended), node.config))

    def test_of_calls_that_a_node_runs_in_an_event_loop_each_runs_once(self) -> None:
        node = self.one_node()
        suspended = asyncio.run(node.graph.ainvoke(node.turn(self.mixed()), node.config))
        assert node.ran == [], node.ran
        self.assert_each_ran_once(node, asyncio.run(node.graph.ainvoke(node.resume(suspended), node.config)))

    def test_a_graph_that_its_event_loop_cannot_interrupt_waits_for_people(self) -> None:
        node = self.one_node()
        with patch("countersign.langgraph._LOOPS_SUSPEND", False):
            ended = asyncio.run(node.graph.ainvoke(node.turn(self.mixed()), node.config))
        self.assert_each_ran_once(node, ended)

    def test_a_task_is_resumed_by_a_plain_value_as_well(self) -> None:
        node = self.one_node()
        node.graph.invoke(node.turn(self.mixed()), node.config)
        self.assert_each_ran_once(node, node.graph.invoke(Command(resume=True), node.config))

    def test_a_tool_of_an_event_loop_runs_there(self) -> None:
        node = self.one_node()
        ended = asyncio.run(node.graph.ainvoke(node.turn([ToolCall("c-1", "Slow", {"q": "x"})]), node.config))
        assert node.outputs(ended) == {"c-1": "Slow x"}, ended

    def test_an_edit_that_the_schema_of_the_tool_refuses_is_not_run(self) -> None:
        node = self.one_node()
        call = ToolCall("c-1", "Refund", {"orderId": {"not": "text"}, "amount": 25, "person": "edits"})
        turn = [call, ToolCall("c-2", "Lookup", {"q": "x"})]
        suspended = node.graph.invoke(node.turn(turn), node.config)
        outputs = node.outputs(node.graph.invoke(node.resume(suspended), node.config))
        assert outputs["c-1"].startswith("The tool was not run."), outputs
        assert "orderId" in outputs["c-1"], outputs

    def test_nobody_is_asked_about_arguments_that_the_tool_refuses(self) -> None:
        node = self.one_node()
        call = ToolCall("c-1", "Refund", {**self.refund(1, "approves").input, "amount": "ten"})
        ended = node.graph.invoke(node.turn([call]), node.config)
        assert "__interrupt__" not in ended, ended
        told = node.outputs(ended)["c-1"]
        assert told.startswith("The tool was not run. Call it again"), told
        assert "amount: Input should be a valid integer" in told, told

    def test_nobody_is_asked_about_a_tool_that_the_model_made_up(self) -> None:
        node = self.one_node()
        ended = node.graph.invoke(node.turn([ToolCall("c-1", "Vanish", {"q": "x"})]), node.config)
        assert "__interrupt__" not in ended, ended
        told = node.outputs(ended)["c-1"]
        assert told == "Nothing was run: there is no tool of the name Vanish. Call one that you were given.", told

    def test_arguments_are_read_as_the_tool_reads_them(self) -> None:
        class Order(BaseModel):
            order_id: str = Field(alias="orderId")
            amount: int

            @field_validator("amount")
            @classmethod
            def small(cls, amount: int) -> int:
                if amount > 10:
                    raise ValueError("too much")
                return amount

        pay = StructuredTool.from_function(lambda **given: "paid", name="Pay", description="Pays", args_schema=Order)
        assert misfit(pay, {"orderId": "o-1", "amount": 5}) is None
        assert fitting(pay, {"orderId": "o-1", "amount": 5}) == {"orderId": "o-1", "amount": 5}
        with self.assertRaisesRegex(SchemaError, "amount: .*too much"):
            fitting(pay, {"orderId": "o-1", "amount": 50})
        with self.assertRaisesRegex(SchemaError, "orderId: Field required"):
            fitting(pay, {"amount": 5})
        assert misfit(None, {}) is None

    def test_what_langgraph_adds_to_arguments_is_not_missed(self) -> None:
        class Plain(BaseModel):
            order_id: str = Field(alias="orderId")
            state: Annotated[Json, InjectedState]

        class Limited(BaseModel):
            state: Annotated[Json, InjectedState]
            amount: int

            @field_validator("amount")
            @classmethod
            def small(cls, amount: int, info: ValidationInfo) -> int:
                if amount > info.data["state"]["most"]:
                    raise ValueError("too much")
                return amount

        def described(schema: type[BaseModel]) -> BaseTool:
            return StructuredTool.from_function(
                lambda **given: "paid", name="Pay", description="Pays", args_schema=schema
            )

        assert misfit(described(Plain), {"orderId": "o-1"}) is None
        assert "orderId: Field required" in (misfit(described(Plain), {}) or "")
        # Its validator needs what is added: the tool alone can tell.
        assert misfit(described(Limited), {"amount": 5}) is None
        assert fitting(described(Limited), {"amount": 50}) == {"amount": 50}

    def test_a_graph_that_is_a_tool_under_a_permit_waits_for_people(self) -> None:
        run = self.id()[-90:]
        client = client_of(redeeming(), run)
        inner = OneNode(client, run)

        @tool("Lookup")
        def look_up(q: str) -> str:
            """Has another graph look it up."""
            ended = inner.graph.invoke(
                inner.turn([self.refund(1, "approves")]), {"configurable": {"thread_id": f"{run}-in"}}
            )
            return str(inner.outputs(ended)["c-1"])

        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode([look_up], wrap_tool_call=gated_calls(client)))
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        outer: Any = graph.compile(checkpointer=InMemorySaver())
        ended = outer.invoke(inner.turn([ToolCall("c-0", "Lookup", {"q": "x"})]), inner.config)
        assert OneNode.outputs(ended) == {"c-0": f"Refund {self.order(1)}: 25"}, ended
        assert len(inner.ran) == 1, inner.ran

    def test_of_calls_that_one_send_makes_a_task_each_runs_once(self) -> None:
        for kind in ("state", "calls"):
            node = self.one_node(kind)
            sent = Send("tools", node.turn(self.mixed(kind)))
            if kind == "calls":
                sent = Send("tools", [{**each, "type": "tool_call"} for each in sent.arg["messages"][0].tool_calls])
            state = node.sending(sent).invoke(node.turn(self.mixed(kind)), node.config)
            assert node.ran == [], node.ran
            node.sending(sent).invoke(node.resume(state), node.config)
            ran = sorted(str(given.get("amount", given.get("q"))) for given in node.ran)
            assert ran == ["25", "5", "x"], (kind, node.ran)

    def test_of_a_task_whose_notes_cannot_be_read_nothing_runs(self) -> None:
        node, turn = self.one_node(), self.mixed()
        suspended = node.graph.invoke(node.turn(turn), node.config)
        unread = patch("countersign.langgraph_task._is_resumed", return_value=False)
        # The task is interrupted again where another call finds the answer first.
        with unread, contextlib.suppress(InvalidSettingError):
            node.graph.invoke(node.resume(suspended), node.config)
        assert node.ran == [], node.ran

    def test_a_gate_that_is_away_is_told_without_the_words_of_aws(self) -> None:
        class Away(AwsGate):
            def publish(self, queue_url: str, body: str, agent: str) -> None:
                raise ClientError({"Error": {"Code": "AccessDenied", "Message": "arn:aws:iam::1:x"}}, "SendMessage")

        run = self.id()[-90:]
        node = OneNode(client_of(settings_from(), run, Away()), run, handle_tool_errors=True)
        ended = node.graph.invoke(node.turn([ToolCall("c-1", "Lookup", {"q": "x"})]), node.config)
        told = node.outputs(ended)["c-1"]
        assert "could not be reached (AccessDenied)" in told, told
        assert "arn" not in told, told

    def test_an_invocation_without_a_thread_is_told_so(self) -> None:
        request = ToolCallRequest(
            *cast(Any, ({"name": "x", "args": {}, "id": "c"}, None, {}, SimpleNamespace(config={})))
        )
        with self.assertRaisesRegex(InvalidSettingError, "thread_id"):
            gated_calls(client_of(settings_from(), "s"))(request, lambda _: ToolMessage("ran", tool_call_id="c"))

    def test_a_stop_ends_the_waits_of_a_graph_whose_threads_see_no_interrupt(self) -> None:
        run, stop = self.id()[-90:], threading.Event()
        client = client_of(settings_from(), run)
        call = {"name": "Refund", "args": {"orderId": self.order(1)}, "id": "c-1", "type": "tool_call"}
        asked = Call("Refund", {"orderId": self.order(1)}, call_id="c-1")
        assert client.guard(run).asks(asked)
        runtime = SimpleNamespace(config={"configurable": {"thread_id": run}})
        request = ToolCallRequest(*cast(Any, (call, SimpleNamespace(args_schema=None), {}, runtime)))
        gated = gated_calls(client, stop=stop)
        # As after a resume, which comes before people have answered.
        with patch("countersign.langgraph_call.look_again"), self.assertRaises(StoppedError):
            threading.Timer(0.3, stop.set).start()
            gated(request, lambda _: ToolMessage("ran", tool_call_id="c-1"))
        assert client.wait(client.guard(run).proposal_id(asked), timeout=10).outcome == "cancelled"
        with self.assertRaisesRegex(InvalidSettingError, "on_abort"):
            gated_calls(client, on_abort="cancle")  # type: ignore[arg-type]

    def test_a_result_of_several_parts_stays_as_it_is(self) -> None:
        parts: Any = [{"type": "text", "text": "a chart"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
        gated = gated_calls(client_of(settings_from(), self.id()[-90:]))
        call = {"name": "Lookup", "args": {"q": "x"}, "id": "c-1", "type": "tool_call"}
        runtime = SimpleNamespace(config={"configurable": {"thread_id": self.id()[-90:]}})
        request = ToolCallRequest(*cast(Any, (call, SimpleNamespace(args_schema=None), {}, runtime)))
        result = gated(request, lambda _: ToolMessage(parts, tool_call_id="c-1"))
        assert isinstance(result, ToolMessage)
        assert result.content == parts, result.content

    def test_of_a_command_the_message_of_the_call_tells_of_a_failure(self) -> None:
        done, failed = ToolMessage("done", tool_call_id="c-0"), ToolMessage("no", tool_call_id="c-1", status="error")
        command: Command[Any] = Command(update={"messages": [done, failed]})
        assert has_failed(command, "c-1")
        assert not has_failed(command, "c-0")
        assert not has_failed(Command(goto="end"), "c-1")

    def test_of_a_command_the_message_of_the_call_tells_of_an_edit(self) -> None:
        messages = [ToolMessage("done", tool_call_id=call_id) for call_id in ("c-0", "c-1")]
        result = told_in(Command(update={"messages": messages, "paid": 5}), "c-1", "changed")
        assert isinstance(result, Command)
        told = [message.content for message in cast(Any, result.update)["messages"]]
        assert told == ["done", "done\n\nchanged"], told
        assert cast(Any, result.update)["paid"] == 5, result
