/** Tests commands about sessions of which one cannot be read, as after a newer release was taken back. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { newSession } from '../../../../shared/domain/session.ts';
import { type FakeAws, fakeAws } from '../fake-aws.ts';
import { cli, NOW } from '../run-cli.ts';

const env = { COUNTERSIGN_STATE_TABLE: 'state' };
const rule = { effect: 'allow', source: 'session', by: 'oncall', pattern: 'Read' } as const;

let aws: FakeAws | undefined;
afterEach(() => aws?.close());

const item = (sessionId: string, more: object) => {
  const updatedAt = new Date(NOW - 60_000).toISOString();
  const session = { ...newSession('builder', sessionId), version: 1, updatedAt, ...more };
  return marshall({ pk: 'session', sk: sessionId, session });
};
const later = item('later', { mode: 'a mode of the next release' });

async function run(command: string, items: readonly object[], ...more: string[]) {
  aws = await fakeAws({ Query: () => ({ Items: items }), GetItem: () => ({}) });
  const ran = await cli([...command.split(' '), '--agent', 'builder', ...more], { env });
  await aws.close();
  return ran;
}

test.each(['sessions list', 'grants list'])('%s shows the others, and ends with the problem', async (command) => {
  const ran = await run(command, [later, item('main', { rules: [rule] })], '--json');
  expect(ran.lines).toMatchObject([{ sessionId: 'main' }]);
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('1 session is left out') });
  const alone = await run(command, [later]);
  expect([alone.out, alone.code === 0]).toEqual(['', false]);
});

test('sessions show shows another, and knows nothing of one that it does not find', async () => {
  const items = [later, item('main', { mode: 'plan' })];
  const main = await run('sessions show main', items, '--json');
  expect(main).toMatchObject({ code: 0, lines: [{ sessionId: 'main' }] });
  const missing = await run('sessions show later', items);
  expect(missing.code).not.toBe(0);
  expect(missing.err).not.toContain('nothing is remembered');
});
