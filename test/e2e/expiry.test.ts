/** Checks that the workflow's own timer ends a wait that nobody answers (A7, G21). */
import { beforeAll, expect, it } from 'vitest';
import { type Agent, agentNamed } from './harness/agents.ts';
import { historyOf, statusOf } from './harness/executions.ts';
import { quiet } from './harness/queues.ts';
import { approvalOf, entriesOf, sortsOf } from './harness/rows.ts';
import { ALICE, approve, type Card, cardOf, cardSays, cardsOf, told, toldSoFar } from './harness/slack.ts';
import { until } from './harness/until.ts';

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

let builder: Agent;
let expiresAt: string;
let clicked: { readonly id: string; readonly pid: string; readonly card: Card };
let ignored: typeof clicked;

/** Two approvals that end at the same time; their cards are there before. */
beforeAll(async () => {
  builder = await agentNamed('builder');
  await builder.wait(await builder.run('git status'));
  await quiet('Cards');
  expiresAt = soon(9_000);
  const ids = await Promise.all(
    ['timed', 'timed-out'].map((name) => builder.run(`git push origin ${name}`, { expiresAt })),
  );
  const [one = '', two = ''] = ids;
  const asked = async (id: string) => ({ id, pid: builder.pid(id), card: await cardOf(builder.pid(id)) });
  [clicked, ignored] = await Promise.all([asked(one), asked(two)]);
});

it('a click after the time is late, whether or not the timer has fired', async () => {
  await until('the end of the time', () => Date.now() >= Date.parse(expiresAt));
  const before = await toldSoFar(ALICE);
  await approve(ALICE, clicked.card);
  expect(await told(ALICE, before)).toContain('The time to answer was over');
  expect(await builder.wait(clicked.id)).toMatchObject({ outcome: 'expired' });
  expect(await entriesOf('builder', clicked.pid, 'vote')).toEqual([]);
});

it('an approval that nobody answers expires by its workflow, never before its time, and is no refusal', async () => {
  const { id, pid, card } = ignored;
  const decision = await builder.wait(id);
  expect(decision).toMatchObject({ outcome: 'expired', decidedBy: { type: 'system' } });
  expect(decision.message).toContain('This is not a refusal');
  expect(Date.parse(decision.decidedAt)).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  await cardSays(pid, 'Expired');

  await until('the end of the workflow', async () => (await statusOf(pid)) === 'SUCCEEDED');
  const events = await historyOf(pid);
  // AWS calls the event TaskTimedOut, the local endpoint TaskFailed; the error is the same.
  const errors = events.map((event) => (event.taskTimedOutEventDetails ?? event.taskFailedEventDetails)?.error);
  expect(errors).toContain('States.Timeout');
  expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated']);

  const before = await toldSoFar(ALICE);
  await approve(ALICE, card);
  expect(await told(ALICE, before)).toContain('The time to answer was over');
  expect((await approvalOf(pid))?.decision).toEqual(decision);
  expect(await entriesOf('builder', pid, 'click')).toMatchObject([{ accepted: false, reasonCode: 'expired' }]);
});

it('a proposal that is met after its time is expired unevaluated, and nobody is asked', async () => {
  const id = await builder.run('git push origin past', { expiresAt: soon(-1_000) });
  expect(await builder.wait(id)).toMatchObject({ outcome: 'expired', calls: [] });
  expect(await cardsOf(builder.pid(id))).toEqual([]);
  expect(await approvalOf(builder.pid(id))).toBeUndefined();
});
