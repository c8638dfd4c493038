/**
 * Checks the changes in the record's stream: each entry put once, in its family's partition.
 *
 * Covers A25 and G47.
 */
import { describe, expect, test } from 'vitest';
import { archiveLineOf, asStreamed } from '../../../../../shared/adapters/dynamodb/audit/record-stream.ts';

const pid = 'a'.repeat(64);
const record = (eventName: string, pk = `coder#${pid}`, sk = 'decided', userIdentity?: object) =>
  archiveLineOf({
    eventName,
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      OldImage: { pk: { S: pk }, sk: { S: sk }, entry: { S: 'old' } },
      NewImage: { pk: { S: pk }, sk: { S: sk }, entry: { S: 'new' } },
      SequenceNumber: '7',
    },
    ...(userIdentity ? { userIdentity } : {}),
  });
const SERVICE = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

describe('a change of the record', () => {
  test.each([
    ['an entry that was written over', record('MODIFY'), 'modify'],
    ['an entry that was removed', record('REMOVE'), 'remove'],
    [
      'one that somebody removed who calls himself a service',
      record('REMOVE', undefined, undefined, { ...SERVICE, type: 'Root' }),
      'remove',
    ],
    ['an event that nobody knows', record('RENAME'), 'modify'],
    ['a vote beside the decisions', record('INSERT', `coder#${pid}`, 'vote#1'), 'misplaced'],
    ['a decision among the votes', record('INSERT', `vote/coder#${pid}`, 'decided'), 'misplaced'],
    ['an entry of no family', record('INSERT', `coder#${pid}`, 'whatever'), 'misplaced'],
    ['a family that nobody knows', record('INSERT', `other/coder#${pid}`, 'vote#1'), 'misplaced'],
  ])('is found: %s', (_, found, change) => {
    expect(found?.event).toBe(change);
  });

  test('comes with the entry as it was, and as it is now', () => {
    const keys = { pk: { S: `coder#${pid}` }, sk: { S: 'decided' } };
    expect(record('MODIFY')).toEqual({
      event: 'modify',
      seq: '7',
      before: { ...keys, entry: { S: 'old' } },
      item: { ...keys, entry: { S: 'new' } },
    });
    expect(record('REMOVE')).toEqual({ event: 'remove', seq: '7', before: { ...keys, entry: { S: 'old' } } });
  });

  test('is not what DynamoDB removes when its time is over', () => {
    expect(record('REMOVE', undefined, undefined, SERVICE)).toBeUndefined();
  });

  test.each([
    ['an entry in its family', record('INSERT', `vote/coder#${pid}`, 'vote#1')],
    ['a decision', record('INSERT', `coder#${pid}`, 'evaluated')],
  ])('is none: %s', (_, found) => {
    expect(found).toMatchObject({ event: 'insert' });
  });
});

test('a row of the table is the same as the stream brought it', () => {
  const bytes = Buffer.from([0, 1, 255]);
  const row = {
    pk: { S: 'a' },
    packed: { M: { decision: { B: new Uint8Array(bytes) }, more: { L: [{ B: bytes }] } } },
    n: { N: '1' },
  };
  expect(asStreamed(row)).toEqual({
    pk: { S: 'a' },
    packed: { M: { decision: { B: 'AAH/' }, more: { L: [{ B: 'AAH/' }] } } },
    n: { N: '1' },
  });
});
