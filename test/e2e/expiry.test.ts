/** Nobody answers: the workflow's own timer ends the wait (A7, G21). */
import { beforeAll, expect, it } from 'vitest';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { historyOf, statusOf } from './harness/executions.ts';
import { approvalOf, entriesOf, sortsOf } from './harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf, told, toldSoFar } from './harness/slack.ts';
import { until } from './harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

it('an approval that nobody answers expires by its workflow, never before its time, and is no refusal', async () => {
  const expiresAt = soon(5_000);
  const id = await builder.run('git push origin late', { expiresAt });
  const pid = builder.pid(id);
  const card = await cardOf(pid);
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

it('a click after the time and before the timer has fired is late', async () => {
  // The click carries a time of its own: Slack's clock does not matter, the row's end does.
  const id = newId();
  await builder.run('git push origin close', { proposalId: id, expiresAt: soon(4_000) });
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  const { approval } = (await approvalOf(pid)) ?? {};
  await until('the end of the time', () => Date.now() >= Date.parse(approval?.expiresAt ?? ''));
  const before = await toldSoFar(ALICE);
  await approve(ALICE, card);
  expect(await told(ALICE, before)).toContain('The time to answer was over');
  expect(await builder.wait(id)).toMatchObject({ outcome: 'expired' });
});
