"""Copies rows of a restored table back into a table of the gate.

Usage: python3 copy_rows.py RESTORED-TABLE TABLE [--record AUDIT-TABLE] [--replace] [--write]

Without --write it only counts. Rows that TABLE has are left as they are, unless --replace puts the restored ones in
their place; rows that RESTORED-TABLE lacks stay. The state table needs --record: a question that people have voted on
since is left out, for the record has their votes. The entries of the record are never replaced. Needs Python 3.8 or
newer, boto3, and an administrator's credentials, since no role of the gate may do this. It may be run again.
"""
import argparse, time

import boto3
from botocore.exceptions import BotoCoreError, ClientError

def rows_of(dynamodb, table):
    for page in dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True): yield from page["Items"]

def key_of(row): return row["pk"]["S"], row["sk"]["S"]

def has_expired(row):
    # DynamoDB would remove it again, but late: until then a reader may meet it.
    return "ttl" in row and float(row["ttl"].get("N", "inf")) <= time.time()

def entries_of(dynamodb, record, partition):
    """The names of the entries that the record has there, such as `vote#3` of what made a question's version 3."""
    pages = dynamodb.get_paginator("query").paginate(
        TableName=record, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": {"S": partition}},
        ConsistentRead=True)
    return [row["sk"]["S"] for page in pages for row in page["Items"]]

def versions(entries, *words):
    named = [entry.split("#") for entry in entries]
    return [int(number) for word, *numbers in named if word in words for number in numbers]

def beside_record(dynamodb, record, row):
    """The row as it can go on. None for a question that lacks votes or a decision of the record: it could end no more."""
    if row["sk"]["S"] != "row" or "approval" not in row or "decision" in row: return row
    approval = row["approval"]["M"]
    version = int(approval["version"]["N"])
    proposal = f'{approval["agent"]["S"]}#{approval["pid"]["S"]}'
    voted = versions(entries_of(dynamodb, record, f"vote/{proposal}"), "vote", "pass")
    entries = entries_of(dynamodb, record, proposal)
    if "decided" in entries or max(voted, default=0) > version: return None
    # Under its old version the next reminder or escalation would meet the entry of one that was sent since.
    newest = {"N": str(max([version, *versions(entries, "stage")]))}
    return {**row, "version": newest, "approval": {"M": {**approval, "version": newest}}}

def put(dynamodb, table, row, replace):
    """Whether the row was put: no write comes between the look and the put."""
    condition = {} if replace else {"ConditionExpression": "attribute_not_exists(pk)"}
    try: dynamodb.put_item(TableName=table, Item=row, **condition)
    except dynamodb.exceptions.ConditionalCheckFailedException: return False
    return True

def copy(restored, table, record, replace, write):
    dynamodb = boto3.client("dynamodb")
    about, own = [dynamodb.describe_table(TableName=name)["Table"] for name in (restored, table)]
    is_record = "LatestStreamArn" in own
    source = about.get("RestoreSummary", {}).get("SourceTableArn", own["TableArn"])
    if source != own["TableArn"] or about["KeySchema"] != own["KeySchema"] or restored == table:
        raise SystemExit(f"{restored} was not restored from {table}: nothing was copied")
    if is_record and replace: raise SystemExit("--replace: entries of the record are never replaced")
    if not is_record and not record: raise SystemExit("--record: name the table of the record, COUNTERSIGN_AUDIT_TABLE")
    there = {key_of(row): row for row in rows_of(dynamodb, table)}
    counts = dict.fromkeys(("put", "different", "same", "expired", "behind"), 0)
    for row in rows_of(dynamodb, restored):
        stands = there.get(key_of(row))
        if has_expired(row): kind = "expired"
        elif stands is not None and (stands == row or not replace): kind = "same" if stands == row else "different"
        else:
            own = row if is_record else beside_record(dynamodb, record, row)
            if own is None or own == stands: kind = "same" if own else "behind"
            else: kind = "different" if write and not put(dynamodb, table, own, replace) else "put"
        counts[kind] += 1
    print(f'{"put" if write else "would put"}: {counts["put"]}; left out: {counts["same"]} the same, '
          f'{counts["different"]} that differ, {counts["expired"]} expired, {counts["behind"]} behind the record')

if __name__ == "__main__":
    reader = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1])
    reader.add_argument("restored")
    reader.add_argument("table")
    reader.add_argument("--record")
    reader.add_argument("--replace", action="store_true")
    reader.add_argument("--write", action="store_true")
    try: copy(**vars(reader.parse_args()))
    except (ClientError, BotoCoreError) as error: raise SystemExit(str(error))
