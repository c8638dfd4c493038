/**
 * Checks that a look at what waits reads little, and reads a person's own first.
 *
 * Reads stay small however much waits.
 */
import { BatchGetItemCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { pendingApprovals } from '../../../../../shared/adapters/dynamodb/approvals/pending-approvals.ts';
import { type Item, toItem } from '../../../../../shared/adapters/dynamodb/items.ts';
import { approvalFields } from '../../../../../shared/adapters/dynamodb/pack.ts';
import { LOOK_INDEX, lookOf } from '../../../../../shared/adapters/dynamodb/reconcile-index.ts';
import { inputSource } from '../../slack/surfaces.ts';

const pidOf = (index: number) => index.toString(16).padStart(64, '0');

const ABOVE = { agents: ['lead'], owners: [], requesters: [] };

/** A table in which `count` approvals wait, every tenth of them for the group `release`. */
function tableOf(count: number) {
  const { approval } = inputSource('May I?', undefined);
  const rows = Array.from({ length: count }, (_, index) => {
    const pid = pidOf(index);
    const group = index % 10 === 9 ? 'release' : 'platform';
    const at = lookOf('approvals', 1_000 + index, pid);
    return toItem({
      pk: `approval#${pid}`,
      sk: 'row',
      counted: `coder#${group}`,
      ...at,
      ...approvalFields({ ...approval, pid, above: ABOVE }),
    });
  });
  const byKey = new Map(rows.map((row) => [row['pk']?.S, row]));
  const sent: string[] = [];
  let keysRead = 0;
  const send = async (command: unknown) => {
    if (command instanceof QueryCommand) {
      sent.push('query');
      const { IndexName, ExpressionAttributeValues: values = {} } = command.input;
      const found = rows.filter((row) => IndexName === LOOK_INDEX && row['look']?.S === values[':partition']?.S);
      return { Items: found.map(({ approval: _, ...key }) => key) };
    }
    if (!(command instanceof BatchGetItemCommand)) throw new Error('an unexpected command');
    sent.push('get');
    const [[table, { Keys = [], ProjectionExpression = '' }] = ['', {}]] = Object.entries(
      command.input.RequestItems ?? {},
    );
    keysRead += Keys.length;
    const names = ProjectionExpression.split(', ');
    const project = (row: Item = {}): Item =>
      Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
    return { Responses: { [table]: Keys.map((key) => project(byKey.get(key['pk']?.S))) } };
  };
  return { client: { send } as unknown as DynamoDBClient, sent, keysRead: () => keysRead };
}

test('ten thousand that wait cost one page of each partition and five batches of rows', async () => {
  const { client, sent, keysRead } = tableOf(10_000);
  const { approvals, hasMore } = await pendingApprovals(client, 'state', ['platform']);
  expect(sent.filter((one) => one === 'query')).toHaveLength(17);
  expect(sent.filter((one) => one === 'get')).toHaveLength(5);
  expect(keysRead()).toBe(500);
  expect(approvals).toHaveLength(500);
  expect(hasMore).toBe(true);
});

test('those of the person’s own groups come before others whose time is nearer', async () => {
  const { client } = tableOf(1_000);
  const { approvals } = await pendingApprovals(client, 'state', ['release'], 120);
  const wanted = Array.from({ length: 100 }, (_, index) => pidOf(10 * index + 9));
  expect(new Set(approvals.slice(0, 100).map(({ pid }) => pid))).toEqual(new Set(wanted));
  expect(approvals.slice(100).map(({ pid }) => pid)).toEqual(
    Array.from({ length: 22 }, (_, index) => pidOf(index)).filter((pid) => !wanted.includes(pid)),
  );
});

test('each is whole, with the fields that stand beside it for the previous release', async () => {
  const { client } = tableOf(3);
  const { approvals } = await pendingApprovals(client, 'state', []);
  expect(approvals.map(({ above }) => above)).toEqual([ABOVE, ABOVE, ABOVE]);
});

test('what is read whole says so', async () => {
  const { client } = tableOf(30);
  const { approvals, hasMore } = await pendingApprovals(client, 'state', []);
  expect(approvals).toHaveLength(30);
  expect(hasMore).toBe(false);
});
