/**
 * Puts several people in front of the same cards of the deployed stack.
 *
 * Each has a column of one browser window (D31, A9, G20, G26).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { entriesOf, waiting } from '../harness/rows.ts';
import { CREW, cardOf, cardSays, cardsOf, DANA, ERIN, FRANK, GUS, LEADS, LENA, OLGA } from '../harness/slack.ts';
import { waitedFor } from '../harness/time.ts';
import { until } from '../harness/until.ts';
import { openWindow, type Window } from '../harness/window.ts';

const MINUTE = 60_000;
let crafter: Agent;
let window: Window;
beforeAll(async () => {
  [crafter, window] = await Promise.all([agentNamed('crafter'), openWindow()]);
});
afterAll(() => window?.close());

async function asked(command: string): Promise<{ id: string; pid: string }> {
  const id = await crafter.run(command);
  await cardOf(crafter.pid(id));
  return { id, pid: crafter.pid(id) };
}

it('two people agree: each vote shows on every copy, and what does not count is told to one person alone', async () => {
  await window.show(CREW, ERIN, FRANK, OLGA);
  const { id, pid } = await asked('terraform apply -auto-approve');
  await window.press(OLGA, pid, 'Approve');
  await window.reads(OLGA, 'You own crafter');
  await window.press(ERIN, pid, 'Approve');
  await window.reads(FRANK, '1 so far (Erin Engineer)', pid);
  // The same person again, as in a double click.
  await window.press(ERIN, pid, 'Approve');
  await window.reads(ERIN, 'You approved this');
  for (const secret of ['You own crafter', 'You approved this']) expect(await window.sees(FRANK, secret)).toBe(false);
  await window.picture('quorum-one-of-two');

  await window.press(FRANK, pid, 'Approve');
  for (const user of [ERIN, FRANK, OLGA]) await window.reads(user, 'Erin Engineer, Frank Engineer', pid);
  expect(await crafter.wait(id)).toMatchObject({
    outcome: 'approved',
    decidedBy: { type: 'human', id: 'T0E2E/U0ERIN,T0E2E/U0FRANK' },
  });
  await window.picture('quorum-approved');
  expect(await entriesOf('crafter', pid, 'click')).toMatchObject([
    { reasonCode: 'owner_cannot_approve' },
    { reasonCode: 'already_voted' },
  ]);
});

it('two stages: the second group has the card when the first has approved, and not before', async () => {
  await window.show(CREW, FRANK, LENA);
  const { id, pid } = await asked('alembic upgrade head');
  await window.press(LENA, pid, 'Approve');
  await window.reads(LENA, 'You are not in the group');
  await window.press(FRANK, pid, 'Approve');
  await window.reads(FRANK, 'crew approved (Frank Engineer)', pid);
  await window.of(LENA).getByRole('button', { name: '# leads' }).click();
  await window.reads(LENA, 'stage 2 of 2, after crew', pid);
  await window.picture('stage-two');
  await window.press(LENA, pid, 'Approve');
  await window.reads(FRANK, 'Frank Engineer, Lena Lead', pid);
  expect(await crafter.wait(id)).toMatchObject({
    outcome: 'approved',
    decidedBy: { id: 'T0E2E/U0FRANK,T0E2E/U0LENA' },
  });
  expect(new Set((await cardSays(pid, 'Approved')).map(({ channel }) => channel))).toEqual(new Set([CREW, LEADS]));
});

it('time: the channel is reminded, then the next group is asked as well, each told once', async () => {
  await window.show(CREW, ERIN, LENA);
  const { id, pid } = await asked('helm rollback shop');
  await waitedFor(pid, 6 * MINUTE);
  await window.reads(ERIN, 'reminded 1 time', pid);
  await window.reads(ERIN, 'Reminder for crew: helm rollback shop of crafter still waits');
  const { slack } = await e2eGate();
  // Reads the thread of this approval alone: the reconciler reminds people of questions of other files, too.
  const { ts } = await cardOf(pid);
  const inThread = slack.messages(CREW).filter(({ thread_ts }) => thread_ts === ts);
  const reminders = inThread.filter(({ text }) => text.includes('Reminder for crew'));
  expect(reminders).toMatchObject([{ subtype: 'thread_broadcast' }]);
  expect(JSON.stringify(reminders[0]?.blocks)).toContain('<!date^');
  await waitedFor(pid, 21 * MINUTE);
  await window.reads(ERIN, 'leads are asked too', pid);
  await window.of(LENA).getByRole('button', { name: '# leads' }).click();
  await window.reads(LENA, 'crew did not answer in time', pid);
  await window.reads(ERIN, 'crew did not answer in time: leads are asked as well');
  // The other channel gets its card, and no other message.
  expect(slack.messages(LEADS).filter(({ text }) => text.includes('did not answer'))).toEqual([]);
  await window.picture('escalated');
  await window.press(LENA, pid, 'Approve');
  await window.reads(ERIN, 'Lena Lead', pid);
  expect(await crafter.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0LENA' } });
  expect(await entriesOf('crafter', pid, 'stage')).toMatchObject([
    { reasonCode: 'reminded' },
    { reasonCode: 'escalated' },
  ]);
});

it('a delegate votes in the place of another person, once; one whose time is over does not', async () => {
  await window.show(CREW, DANA, ERIN, GUS);
  const { id, pid } = await asked('terraform apply delegated');
  await window.press(GUS, pid, 'Approve');
  await window.reads(GUS, 'You are not in the group');
  await window.press(DANA, pid, 'Approve');
  await window.reads(ERIN, '1 so far (Dana Delegate)', pid);
  await window.press(ERIN, pid, 'Approve');
  const refused = () => entriesOf('crafter', pid, 'click');
  await until('both refusals', async () => (await refused()).length === 2);
  expect(await refused()).toMatchObject([{ reasonCode: 'not_in_group' }, { reasonCode: 'already_voted' }]);
  await window.picture('delegate');
  await window.show(CREW, DANA, FRANK);
  await window.press(FRANK, pid, 'Approve');
  await window.reads(DANA, 'Dana Delegate for Erin Engineer', pid);
  const decision = await crafter.wait(id);
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0DANA,T0E2E/U0FRANK' } });
});

it('identical calls share a card, and each gets a decision of its own (A24)', async () => {
  await window.show(CREW, ERIN, FRANK);
  const { id, pid } = await asked('docker push same');
  const other = await crafter.run('docker push same');
  await waiting(crafter.pid(other));
  await window.press(ERIN, pid, 'Approve');
  await window.reads(FRANK, 'Approved, waits to run', pid);
  const [one, two] = [await crafter.wait(id), await crafter.wait(other)];
  expect([one.outcome, two.outcome]).toEqual(['approved', 'approved']);
  expect(one.calls[0]?.permit?.permitId).not.toBe(two.calls[0]?.permit?.permitId);
  expect(await cardsOf(crafter.pid(other))).toEqual([]);
});
