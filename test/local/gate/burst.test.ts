/**
 * Checks a card that lists several calls, on a gate in memory with the real listeners.
 *
 * Each call is read, then decided in its own form.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLS, PERSON, PREPARED, REASON } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';
import { pidOf } from '../../../shared/domain/digest.ts';

const [ALICE, BOB, OLGA, CHANNEL] = ['U0ALICE', 'U0BOB', 'U0OLGA', 'C0APPROVALS'];

const POLICY = loadPolicy(
  `
people:
  alice: { team: T0ROOM, user: ${ALICE}, name: Alice Approver }
  bob: { team: T0ROOM, user: ${BOB}, name: Bob Approver }
  olga: { team: T0ROOM, user: ${OLGA}, name: Olga Owner }
agents:
  builder: { owner: olga, projectRoot: /workspace/app }
  writer: { owner: olga }
channels:
  approvals: { team: T0ROOM, id: ${CHANNEL} }
approvers:
  platform: { members: [alice, bob, olga], channel: approvals }
approvals: { approvers: platform, timeout: 1h, newCards: { burst: 50, perMinute: 600 } }
rules:
  ask: ['Bash(git push:*)', Write]
`,
  'burst.yaml',
);

let room: MemoryWorkspace;
beforeAll(async () => {
  room = await startMemoryWorkspace(POLICY, { postIntervalMs: 10 });
});
const clientOf = (agent: string) =>
  new CountersignClient({ ...room.gate.agentSide(agent), queueUrl: 'memory', auditTable: 'memory' });
afterAll(async () => room?.stop());

const push = (branch: string) => ({ toolName: 'Bash', input: { command: `git push origin ${branch}` } });
const messages = () => room.slack.messages(CHANNEL).filter(({ thread_ts }) => thread_ts === undefined);
const listIn = () => messages().findLast(({ blocks }) => JSON.stringify(blocks).includes('Read, then decide'));
const shown = async (text: RegExp) =>
  expect.poll(() => text.test(JSON.stringify(messages())), { timeout: 10_000, message: `${text}` }).toBe(true);
const view = (user: string) => room.slack.views(user).at(-1);

/** Presses the button of one call of the list. */
async function read(user: string, proposalId: string, agent = 'builder') {
  const found = await room.gate.parts.approvals.read(pidOf('memory', agent, proposalId));
  const { pid = '', question } = found?.approval ?? {};
  const value = JSON.stringify({ approval: pid, digest: question?.digest });
  const ts = listIn()?.ts ?? '';
  return room.slack.click({ user, channel: CHANNEL, ts, actionId: ACTIONS.viewAll, shown: value });
}
const press = (user: string, actionId: string, value?: string) =>
  room.slack.click({ user, viewId: view(user)?.id ?? '', actionId, ...(value === undefined ? {} : { value }) });
const submit = (user: string, values = {}) => room.slack.submitView({ user, viewId: view(user)?.id ?? '', values });

it('lists calls, and decides each of them in the form that shows all of it', async () => {
  const client = clientOf('builder');
  for (const name of ['one', 'two', 'three', 'four', 'five']) await client.propose({ ...push(name), proposalId: name });
  const pair = ['six', 'seven'].map((name) => ({ id: name, ...push(name) }));
  await client.proposeAll(pair, { proposalId: 'pair' });
  await shown(/wants to run 5 more calls/);
  expect(messages()).toHaveLength(3);

  await read(ALICE, 'three');
  expect(JSON.stringify(view(ALICE)?.content)).toContain('git push origin three');
  await submit(ALICE);
  expect((await client.wait('three')).outcome).toBe('approved');
  await shown(/Approved, waits to run · Alice Approver · `git push origin three`/);

  await read(BOB, 'four');
  await press(BOB, ACTIONS.reject);
  await submit(BOB, {
    [PREPARED.block]: { [PREPARED.action]: 'Not now' },
    [REASON.block]: { [REASON.action]: 'later' },
  });
  const rejected = await client.wait('four');
  expect(rejected.outcome).toBe('denied');
  expect(rejected.message).toContain('Not now: later');

  await read(ALICE, 'five');
  await press(ALICE, ACTIONS.more, ACTIONS.pass);
  await submit(ALICE, { [PERSON.block]: { [PERSON.action]: BOB } });
  await read(BOB, 'five');
  await submit(BOB);
  expect((await client.wait('five')).outcome).toBe('approved');

  await read(ALICE, 'pair');
  await press(ALICE, 'countersign_view_all_each');
  await submit(ALICE, { [CALLS.block]: { [CALLS.action]: ['six'] } });
  const { calls } = await client.wait('pair');
  expect(calls.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['six', 'approved'],
    ['seven', 'denied'],
  ]);
  await shown(/Nothing waits any more: 5 calls of builder/);
}, 60_000);

it('opens no form for the owner of the agent, whose vote does not count', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await clientOf('writer').propose({ ...push(name), proposalId: name });
  await shown(/wants to run 2 more calls/);
  await read(OLGA, 'c', 'writer');
  await press(OLGA, ACTIONS.reject);
  expect(JSON.stringify(view(OLGA)?.content)).toMatch(/own/i);
  await room.slack.closeView({ user: OLGA, viewId: view(OLGA)?.id ?? '' });
  expect((await room.gate.parts.approvals.read(pidOf('memory', 'writer', 'c')))?.approval.votes).toEqual([]);
});
