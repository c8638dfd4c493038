"""Checks which rows of a restored table the published program puts back."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

FILE = Path(__file__).resolve().parents[3] / "docs/examples/copy_rows.py"
SPEC = importlib.util.spec_from_file_location("copy_rows", FILE)
assert SPEC and SPEC.loader
copy_rows = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(copy_rows)

Row = dict[str, Any]


class Taken(Exception):
    pass


class Tables:
    """DynamoDB, of which only what the program calls is there."""

    exceptions = SimpleNamespace(ConditionalCheckFailedException=Taken)

    def __init__(self, tables: dict[str, list[Row]]) -> None:
        self.tables = {name: {copy_rows.key_of(row): row for row in rows} for name, rows in tables.items()}

    def describe_table(self, TableName: str) -> Row:
        of = {"restored": "state", "restored-audit": "audit"}.get(TableName, TableName)
        table: Row = {"TableArn": TableName, "KeySchema": []}
        if of != TableName:
            table["RestoreSummary"] = {"SourceTableArn": of}
        if TableName == "audit":
            table["LatestStreamArn"] = "stream"
        return {"Table": table}

    def get_paginator(self, operation: str) -> Any:
        """One row a page: whoever reads the first page alone misses the others."""

        def paginate(TableName: str, ExpressionAttributeValues: Row | None = None, **_: Any) -> list[Row]:
            rows = self.tables[TableName].items()
            if operation == "scan":
                return [{"Items": [row]} for _, row in rows]
            wanted = (ExpressionAttributeValues or {})[":pk"]["S"]
            return [{"Items": [row]} for (pk, _), row in rows if pk == wanted]

        return SimpleNamespace(paginate=paginate)

    def put_item(self, TableName: str, Item: Row, ConditionExpression: str | None = None) -> None:
        if ConditionExpression and copy_rows.key_of(Item) in self.tables[TableName]:
            raise Taken
        self.tables[TableName][copy_rows.key_of(Item)] = Item


def row(pk: str, sk: str = "row", **more: Any) -> Row:
    return {"pk": {"S": pk}, "sk": {"S": sk}, **more}


def question(pid: str, version: int) -> Row:
    approval = {"agent": {"S": "billing"}, "pid": {"S": pid}, "version": {"N": str(version)}}
    return row(f"approval#{pid}", version={"N": str(version)}, approval={"M": approval})


def ran(tables: Tables, restored: str, table: str, **options: Any) -> str:
    out = io.StringIO()
    given = {"record": "audit", "replace": False, "write": True, **options}
    with mock.patch("boto3.client", lambda _: tables), contextlib.redirect_stdout(out):
        copy_rows.copy(restored, table, **given)
    return out.getvalue().strip()


class CopyRows(unittest.TestCase):
    def test_rows_that_are_gone_come_back_and_others_stay(self) -> None:
        now = {"state": [row("grant#1", by={"S": "now"})], "audit": []}
        tables = Tables({**now, "restored": [row("grant#1"), row("grant#2"), row("grant#3", ttl={"N": "1"})]})
        counted = "would put: 1; left out: 0 the same, 1 that differ, 1 expired, 0 behind the record"
        self.assertEqual(ran(tables, "restored", "state", write=False), counted)
        self.assertEqual(ran(tables, "restored", "state"), counted.replace("would put", "put"))
        self.assertEqual(list(tables.tables["state"].values()), [row("grant#1", by={"S": "now"}), row("grant#2")])
        ran(tables, "restored", "state", replace=True)
        self.assertEqual(list(tables.tables["state"].values()), [row("grant#1"), row("grant#2")])

    def test_a_question_that_the_record_is_ahead_of_is_left_out(self) -> None:
        record = [row("billing#decided", "decided"), row("vote/billing#voted", "vote#2")]
        voted = [question("decided", 1), question("voted", 1), question("seen", 2), question("open", 0)]
        tables = Tables({"state": [], "audit": [*record, row("vote/billing#seen", "vote#2")], "restored": voted})
        self.assertIn("put: 2; ", ran(tables, "restored", "state"))
        self.assertEqual([pk for pk, _ in tables.tables["state"]], ["approval#seen", "approval#open"])

    def test_a_question_goes_on_behind_the_reminders_that_were_sent_since(self) -> None:
        record = [row("billing#open", sort) for sort in ("evaluated", "stage#9", "stage#10")]
        tables = Tables({"state": [], "audit": record, "restored": [question("open", 8)]})
        for options in ({}, {"replace": True}):
            ran(tables, "restored", "state", **options)
            self.assertEqual(list(tables.tables["state"].values()), [question("open", 10)])
        self.assertIn("put: 0; left out: 1 the same", ran(tables, "restored", "state", replace=True))

    def test_entries_of_the_record_come_back_and_none_is_replaced(self) -> None:
        tables = Tables({"state": [], "audit": [row("a#1", x={"S": "1"})], "restored-audit": [row("a#1"), row("a#2")]})
        self.assertIn(
            "put: 1; left out: 0 the same, 1 that differ", ran(tables, "restored-audit", "audit", record=None)
        )
        with self.assertRaisesRegex(SystemExit, "entries of the record are never replaced"):
            ran(tables, "restored-audit", "audit", replace=True)

    def test_the_wrong_tables_are_refused(self) -> None:
        tables = Tables({"state": [], "audit": [], "restored": [], "restored-audit": []})
        for restored, table in (("restored-audit", "state"), ("restored", "audit"), ("state", "state")):
            with self.assertRaisesRegex(SystemExit, "was not restored from"):
                ran(tables, restored, table)
        with self.assertRaisesRegex(SystemExit, "--record: name the table"):
            ran(tables, "restored", "state", record=None)


if __name__ == "__main__":
    unittest.main()
