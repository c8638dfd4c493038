/** Changes that the stream of the record tells of: entries are put once, each in the partition of its family (A25, G47). */
import { describe, expect, test } from 'vitest';
import { changeOfRecord } from '../../../../shared/adapters/dynamodb/record-stream.ts';

const pid = 'a'.repeat(64);
const record = (eventName: string, pk = `coder#${pid}`, sk = 'decided', userIdentity?: object) =>
  changeOfRecord({
    eventName,
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
    ...(userIdentity ? { userIdentity } : {}),
  });
const SERVICE = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

describe('a change of the record', () => {
  test.each([
    ['an entry that was written over', record('MODIFY'), 'modified'],
    ['an entry that was removed', record('REMOVE'), 'removed'],
    [
      'one that somebody removed who calls himself a service',
      record('REMOVE', undefined, undefined, { ...SERVICE, type: 'Root' }),
      'removed',
    ],
    ['an event that nobody knows', record('RENAME'), 'modified'],
    ['a vote beside the decisions', record('INSERT', `coder#${pid}`, 'vote#1'), 'misplaced'],
    ['a decision among the votes', record('INSERT', `vote/coder#${pid}`, 'decided'), 'misplaced'],
    ['an entry of no family', record('INSERT', `coder#${pid}`, 'whatever'), 'misplaced'],
    ['a family that nobody knows', record('INSERT', `other/coder#${pid}`, 'vote#1'), 'misplaced'],
  ])('is found: %s', (_, found, change) => {
    expect(found?.change).toBe(change);
  });

  test('is named by its key, and by nothing that it says', () => {
    expect(record('MODIFY')).toEqual({ change: 'modified', partition: `coder#${pid}`, sort: 'decided' });
  });

  test.each([
    ['an entry in its family', record('INSERT', `vote/coder#${pid}`, 'vote#1')],
    ['a decision', record('INSERT', `coder#${pid}`, 'evaluated')],
    ['what DynamoDB removes when its time is over', record('REMOVE', undefined, undefined, SERVICE)],
  ])('is none: %s', (_, found) => {
    expect(found).toBeUndefined();
  });
});
