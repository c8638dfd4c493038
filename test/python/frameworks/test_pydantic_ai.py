"""Checks the adapter of Pydantic AI: messages as JSON, resumed by new objects with approvals by id."""

from __future__ import annotations

import unittest
from datetime import datetime, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Annotated, Any

from countersign import CountersignClient, SchemaError, settings_from
from countersign.pydantic_ai import GatedToolset, edit_by, told
from countersign.pydantic_ai_shown import shown
from countersign.wire import Json
from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    Field,
    RootModel,
    SecretStr,
    TypeAdapter,
    field_serializer,
    field_validator,
)
from pydantic_ai import (
    Agent,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ModelRetry,
    ToolReturn,
)
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
from typing_extensions import TypedDict

from .contract import Contract, Driver, Ran, ToolCall, client_of

InCents = Annotated[int, AfterValidator(lambda amount: amount * 100)]


class Small(TypedDict):
    amount: Annotated[int, Field(le=5)]


class Cents(TypedDict):
    amount: InCents


class Masked(BaseModel):
    to: str

    @field_serializer("to")
    def masked(self, _: str) -> str:
        return "***"


class Left(BaseModel):
    to: str = Field(exclude=True)


class Order(BaseModel):
    order_id: int = Field(alias="orderId")
    cents: InCents


class Split(BaseModel):
    names: list[str]

    @field_validator("names", mode="before")
    @classmethod
    def split(cls, text: str) -> list[str]:
        return text.split(",")


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
            if q == "fails":
                raise ModelRetry("the index is down")
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

    def test_arguments_that_a_validator_converts_run_as_people_saw_them(self) -> None:
        ran: list[int] = []
        tools: FunctionToolset[None] = FunctionToolset()

        @tools.tool_plain
        def Lookup(amount: InCents) -> str:
            ran.append(amount)
            return "found"

        def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            is_first = not any(isinstance(message, ModelResponse) for message in messages)
            return ModelResponse(parts=[ToolCallPart("Lookup", {"amount": 2}) if is_first else TextPart("done")])

        run = self.id()[-90:]
        gated = GatedToolset(tools, client_of(settings_from(), run).guard(run))
        Agent(FunctionModel(answer), toolsets=[gated]).run_sync("go")
        assert ran == [200], ran

    def test_arguments_that_people_would_not_see_whole_end_their_call_alone(self) -> None:
        ran: list[Any] = []

        def Lookup(way: Any) -> str:
            ran.append(way)
            return "found"

        to = ({"to": "mallory"}, "input.way.to")
        hidden = (to, to, ("mallory", "input.way"), ("/////w==", "input"))
        for kind, (given, place) in zip((Masked, Left, SecretStr, Base64Bytes), hidden, strict=True):
            Lookup.__annotations__["way"] = kind
            tools: FunctionToolset[None] = FunctionToolset([Lookup])
            turn = [ToolCallPart("Lookup", {"way": given}, tool_call_id="c-1")]

            def answer(messages: list[ModelMessage], _: AgentInfo, turn: list[ToolCallPart] = turn) -> ModelResponse:
                is_first = not any(isinstance(message, ModelResponse) for message in messages)
                return ModelResponse(parts=turn if is_first else [TextPart("done")])

            gated = GatedToolset(tools, client_of(settings_from(), place).guard(f"{self.id()[-80:]}{place}"))
            ended = Agent(FunctionModel(answer), toolsets=[gated]).run_sync("go")
            parts = [part for message in ended.all_messages() for part in message.parts]
            (told,) = [part.content for part in parts if isinstance(part, ToolReturnPart)]
            assert str(told).startswith(f"{place}: "), told
        assert ran == [], ran

    def test_values_that_their_json_shows_whole_are_proposed_as_that_json(self) -> None:
        at, order = datetime(2026, 11, 21, tzinfo=timezone.utc), Order(orderId=7, cents=2)
        given = {"at": at, "sum": Decimal("1.50"), "orders": [order], "set": {1}, "tuple": (1, None)}
        text = {"at": "2026-11-21T00:00:00Z", "sum": "1.50", "orders": [{"orderId": 7, "cents": 200}]}
        assert shown(given) == {**text, "set": [1], "tuple": [1, None]}, shown(given)
        # Their validators do not take their own results.
        once = {"split": Split.model_validate({"names": "a,b"}), "root": RootModel[list[Order]]([order])}
        assert shown(once) == {"split": {"names": ["a", "b"]}, "root": [{"orderId": 7, "cents": 200}]}, shown(once)

    def test_an_edit_that_the_validator_refuses_or_converts_is_no_edit(self) -> None:
        def tool(kind: Any) -> Any:
            return SimpleNamespace(args_validator=TypeAdapter(kind).validator)

        small, cents = tool(Small), tool(Cents)
        assert edit_by(small, {"amount": 5}) == {"amount": 5}
        for refusing, problem in ((small, "amount: Input should be less"), (cents, "converts arguments")):
            with self.assertRaisesRegex(SchemaError, problem):
                edit_by(refusing, {"amount": 50})
        with self.assertRaisesRegex(SchemaError, "converts arguments"):
            edit_by(tool(Split), {"names": "a,b"})
        # What it makes of 5,000 it leaves as it is: nobody saw that amount.
        at_most = tool(dict[str, Annotated[int, AfterValidator(lambda amount: min(amount, 100))]])
        assert edit_by(at_most, {"amount": 50}) == {"amount": 50}
        with self.assertRaisesRegex(SchemaError, "converts arguments"):
            edit_by(at_most, {"amount": 5_000})
