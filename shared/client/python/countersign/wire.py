"""Checks JSON as the gate does, writes its canonical form, and makes digests and proposals of it."""

from __future__ import annotations

import calendar
import hashlib
import json
import math
import re
import sys
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from .errors import InvalidProposalError

Json = dict[str, Any]

VERSION = "2026-11-01"
MAX_MESSAGE_BYTES = 256 * 1024
MAX_DEPTH = 64
MAX_SAFE_INTEGER = 2**53 - 1

IDENTIFIER = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
_INSTANT = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d)(\.\d+)?Z", re.ASCII)
_RESERVED = ("slack:", "unreadable:")
_IDENTIFIERS = ("proposalId", "cancels", "sessionId", "idempotencyKey")
_URGENCIES = ("low", "normal", "high", "critical")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
#: Guardrail settings that one call may tighten for itself: least, most, and whether it is a whole number.
LIMITS = {
    "timeoutMs": (0, 604_800_000, False),
    "maxRetries": (0, 20, True),
    "maxRetryTotalMs": (0, 604_800_000, False),
    "ratePerSecond": (1e-6, 1_000_000, False),
    "burst": (0, 1_000_000, True),
    "maxConcurrent": (0, 1_000_000, True),
    "maxQueue": (0, 1_000, True),
    "timeMsPerMinute": (0, 1_000_000_000_000, True),
    "costPerDay": (0, 1_000_000_000, False),
    "deadlineAt": (0, 8_640_000_000_000_000, False),
}
MAY_BE_ZERO = ("maxRetries", "maxQueue", "deadlineAt")
#: Fewest and most characters, each code point one.
_TEXTS = {
    "title": (0, 200),
    "description": (0, 3000),
    "reason": (0, 3000),
    "question": (1, 3000),
    "state": (0, 4096),
}


def checked_json(value: object, path: str = "", above: tuple[int, ...] = ()) -> Any:
    """A copy of `value` that has one JSON text for every reader. Raises InvalidProposalError that names the rest.

    `above`: the objects around the value, by their ids.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return _checked_text(cast(str, value), path)
    if kind is int or kind is float:
        return _checked_number(cast("int | float", value), path)
    if kind not in (dict, list, tuple):
        raise InvalidProposalError("not_json", path, f"is of the type {kind.__name__}, {_why_refused(value)}")
    if id(value) in above:
        raise InvalidProposalError("not_json", path, "contains itself, which JSON cannot hold: leave it out there")
    if len(above) >= MAX_DEPTH:
        problem = f"is nested deeper than {MAX_DEPTH} levels: make it flatter"
        # One of 65 names would hide the problem that follows it.
        raise InvalidProposalError("too_deep", "".join(re.split(r"(?=[.\[])", path)[:4]), problem)
    within = (*above, id(value))
    if kind is not dict:
        items = cast(Sequence[object], value)
        return [checked_json(item, f"{path}[{index}]", within) for index, item in enumerate(items)]
    return _checked_fields(cast("dict[object, object]", value), path, within)


def _checked_fields(fields: Mapping[object, object], path: str, within: tuple[int, ...]) -> Json:
    copy: Json = {}
    for key, field in fields.items():
        if type(key) is not str:
            problem = f"has a key of the type {type(key).__name__}: keys have to be texts"
            raise InvalidProposalError("not_json", path, problem)
        at = _below(path, key)
        _checked_text(key, at)
        if key == "__proto__" or (key in ("constructor", "prototype") and type(field) is dict):
            raise InvalidProposalError("forbidden_key", at, "this key is not allowed")
        copy[key] = checked_json(field, at, within)
    return copy


def _why_refused(value: object) -> str:
    for plain in (dict, list, tuple, str, int, float):
        # json.dumps takes these. A class of its own may show other contents to each reader.
        if isinstance(value, plain):
            return f"a subclass of {plain.__name__}: pass a plain {plain.__name__}"
    return "which JSON cannot hold: pass its text or its fields"


def _below(path: str, key: str) -> str:
    name = re.sub(r"[^\x20-\x7e]", "?", key[:60])
    return f"{path}.{name}" if path else name


def is_well_formed(text: str) -> bool:
    """Whether the text has bytes: half of a surrogate pair has none."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _checked_text(text: str, path: str) -> str:
    if not is_well_formed(text):
        raise InvalidProposalError("lone_surrogate", path, "holds half of a surrogate pair")
    return text


def _checked_number(number: int | float, path: str) -> int | float:
    # An integer beyond every double has no finite form to ask for.
    if isinstance(number, float) and not math.isfinite(number):
        raise InvalidProposalError(
            "not_json", path, f"is {number}, which JSON cannot hold: pass a finite number, a text or null"
        )
    if abs(number) > MAX_SAFE_INTEGER:
        problem = "is a number outside the range that JSON readers agree on (±(2^53 \u2212 1))"
        raise InvalidProposalError("unsafe_number", path, problem)
    return number


def json_text(value: object, sort_keys: bool = False) -> str:
    """The JSON text of a checked value, with numbers as every JSON reader of the gate writes them (RFC 8785)."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return _number_text(value)
    if isinstance(value, list):
        return f"[{','.join(json_text(item, sort_keys) for item in value)}]"
    if not isinstance(value, dict):
        raise TypeError(f"a {type(value).__name__} has no JSON text")
    # UTF-16 code units decide the order of keys, and not code points.
    keys = sorted(value, key=lambda key: key.encode("utf-16-be")) if sort_keys else value
    return f"{{{','.join(f'{json_text(key)}:{json_text(value[key], sort_keys)}' for key in keys)}}}"


def _number_text(number: int | float) -> str:
    """As ECMAScript's Number::toString, which RFC 8785 prescribes."""
    if isinstance(number, int):
        if abs(number) > MAX_SAFE_INTEGER:
            raise ValueError("an integer beyond 2^53 has no text that JSON readers agree on")
        return str(number)
    if not math.isfinite(number):
        raise ValueError("an infinite number has no JSON text")
    if number == 0:
        return "0"
    sign, parts, exponent = Decimal(repr(number)).as_tuple()
    whole = "".join(map(str, parts))
    digits = whole.rstrip("0")
    point = len(whole) + cast(int, exponent)
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if sign else text


def canonical_json(value: object) -> str:
    """The RFC 8785 text of a checked value."""
    return json_text(value, sort_keys=True)


def sha256_hex(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _length_delimited(*fields: str) -> str:
    return "".join(f"{len(field.encode())}:{field}" for field in fields)


def pid_of(deployment: str, agent: str, proposal_id: str) -> str:
    """The key of a proposal in the record."""
    return sha256_hex(_length_delimited(deployment, agent, proposal_id))


def idempotency_key_of(permit_id: str) -> str:
    """Names every run of one call: a service that takes such a key does its work once."""
    return sha256_hex(_length_delimited("idempotency", permit_id))[:32]


def action_digest(
    tool_name: str, action_input: object, cwd: str | None = None, starts: Mapping[str, str] | None = None
) -> str:
    """Binds decision and permit to exactly this call."""
    action: Json = {"tool": tool_name, "input": action_input, "cwd": cwd}
    return sha256_hex(canonical_json({**action, "starts": dict(starts)} if starts else action))


def proposal_body(message: Json) -> tuple[str, Json]:
    """The bytes of a proposal, and the message that the gate reads in them.

    Raises InvalidProposalError if the gate would refuse it.
    """
    try:
        checked: Json = checked_json(message)
    except InvalidProposalError as error:
        raise InvalidProposalError(error.code, _field_of_call(error.field), error.problem) from None
    _check_envelope(checked)
    for call in checked.get("calls", []):
        _check_identifier(call.get("id", _ABSENT), "toolCallId")
        # A longer one makes the message too large.
        _check_length(call.get("toolName", _ABSENT), "toolName", 1, sys.maxsize)
        _check_length(call.get("cwd", ""), "cwd", 0, 4096)
        _check_object(call.get("input", _ABSENT), "input")
        _check_annotations(call.get("annotations", {}))
    body = json_text(checked)
    if len(body.encode()) > MAX_MESSAGE_BYTES:
        raise _too_large(checked)
    # The parsed form of the bytes, and no object of the caller's, which may change later.
    return body, json.loads(body)


def _field_of_call(path: str) -> str:
    return "toolCallId" if path == "calls[0].id" else path.removeprefix("calls[0].")


def _too_large(message: Json) -> InvalidProposalError:
    """Names the innermost part that has over half of the bytes."""
    field = _field_of_call(_largest_part(message, "", len(json_text(message).encode()) / 2))
    size = f"has more than {MAX_MESSAGE_BYTES} bytes: shorten it, or send it in parts"
    return InvalidProposalError("too_large", field, f"has most of the bytes, and the message {size}" if field else size)


def _largest_part(value: object, path: str, half: float) -> str:
    parts = list(value.items()) if isinstance(value, dict) else []
    items = list(enumerate(value)) if isinstance(value, list) else []
    for at, part in [(_below(path, key), part) for key, part in parts] + [(f"{path}[{n}]", part) for n, part in items]:
        if len(json_text(part).encode()) > half:
            return _largest_part(part, at, half)
    return path


def _check_envelope(message: Json) -> None:
    for field in _IDENTIFIERS:
        if field in message:
            _check_identifier(message[field], field)
    if message["proposalId"].startswith(_RESERVED) or message.get("cancels", "").startswith(_RESERVED):
        field = "proposalId" if message["proposalId"].startswith(_RESERVED) else "cancels"
        raise InvalidProposalError("reserved_id", field, "is an id that the gate makes itself: choose another one")
    for field, (least, most) in _TEXTS.items():
        if field in message:
            _check_length(message[field], field, least, most)
    if message.get("urgency", "low") not in _URGENCIES:
        raise _invalid("urgency", f"must be one of {', '.join(_URGENCIES)}")
    if "starts" in message:
        _check_starts(message["starts"])
    if "choices" in message:
        _check_choices(message["choices"])
    try:
        instant_seconds(cast(str, message.get("expiresAt", message["sentAt"])))
    except (TypeError, ValueError):
        raise _invalid("expiresAt", "must be a time like 2026-11-21T09:30:00Z") from None


def _check_starts(starts: Json) -> None:
    _check_object(starts, "starts")
    for name in ("agentId", "sessionId"):
        _check_identifier(starts.get(name, _ABSENT), f"starts.{name}")
    for name in starts:
        if name not in ("agentId", "sessionId"):
            raise _unknown(f"starts.{name}")


def _check_annotations(annotations: Json) -> None:
    _check_object(annotations, "annotations")
    for name, value in annotations.items():
        if name == "title":
            _check_length(value, "annotations.title", 0, 200)
        elif name not in _HINTS:
            raise _unknown(f"annotations.{name}")
        elif not isinstance(value, bool):
            raise _invalid(f"annotations.{name}", "must be true or false")


def _check_object(value: object, field: str) -> None:
    if not isinstance(value, dict):
        raise _invalid(field, "is missing" if value is _ABSENT else "must be an object")


#: In the place of a field that is not stated: JSON's null is a value.
_ABSENT: object = object()


def _invalid(field: str, problem: str) -> InvalidProposalError:
    return InvalidProposalError("invalid_proposal", field, problem)


def _unknown(field: str) -> InvalidProposalError:
    return InvalidProposalError("unknown_field", field, "is not a field of this message")


def _check_choices(choices: object) -> None:
    if not isinstance(choices, list):
        raise _invalid("choices", "must be a list")
    if not 1 <= len(choices) <= 20:
        raise _invalid("choices", "must have at most 20 entries" if choices else "must not be empty")
    for index, choice in enumerate(choices):
        _check_length(choice, f"choices[{index}]", 1, 75)


def _check_identifier(value: object, field: str) -> None:
    _check_length(value, field, 1, 128)
    if IDENTIFIER.fullmatch(cast(str, value)) is None:
        raise _invalid(field, "may hold only A-Z a-z 0-9 . _ : -")


def _check_length(value: object, field: str, least: int, most: int) -> None:
    if not isinstance(value, str):
        raise _invalid(field, "is missing" if value is _ABSENT else "must be text")
    if len(value) < least:
        raise _invalid(field, "must not be empty")
    if len(value) > most:
        raise _invalid(field, f"must have at most {most} characters")


def instant_seconds(text: str) -> float:
    """Seconds since 1970 of a time like 2026-11-21T09:30:00Z."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is no time")
    return calendar.timegm(time.strptime(match[1], "%Y-%m-%dT%H:%M:%S")) + float(match[2] or 0)


def instant_text(seconds: float) -> str:
    """The time in UTC, with milliseconds."""
    millis = round(seconds * 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(millis // 1000))}.{millis % 1000:03d}Z"
