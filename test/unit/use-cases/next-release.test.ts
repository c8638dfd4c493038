/** Rows that the next release wrote, with fields that this one does not know: decided, expired and counted as its own (A7, G27). */
import { expect, test } from 'vitest';
import { bash, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** As many as may wait of one agent. */
const MOST = 20;

/** Every row and every card gains a field, at each depth where the next release may add one. */
function upgraded({ gate }: World): void {
  const { approvals } = gate.parts.state;
  for (const [pid, row] of approvals) {
    const { json } = row.approval as { readonly json: string };
    const approval = JSON.parse(json) as { readonly question: object; readonly votes: readonly object[] };
    const next = {
      ...approval,
      urgency: 'next week',
      question: { ...approval.question, tone: 'calm' },
      votes: approval.votes.map((one) => ({ ...one, device: 'phone' })),
    };
    approvals.set(pid, { ...row, approval: { json: JSON.stringify(next) } });
  }
}

test('such an approval is decided by a click, keeps what it holds, and its agent reads the decision', async () => {
  const world = new World();
  await world.send(bash('p1'));
  upgraded(world);
  await world.click('p1', 'alice');
  await world.clock.advance(2 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
  expect((await world.row('p1')).approval).toMatchObject({ urgency: 'next week', question: { tone: 'calm' } });
  expect(world.faults).toEqual([]);
});

test('all that one agent may have waiting expire, and their places are free for the next', async () => {
  const world = new World();
  for (let index = 0; index < MOST; index++) await world.send(bash(`p${index}`, `git push ${index}`));
  upgraded(world);
  expect(world.waiting('agent', 'coder')).toBe(MOST);
  await world.clock.advance(HOUR + 3 * MINUTE);
  for (let index = 0; index < MOST; index++)
    expect(await world.decided(`p${index}`)).toMatchObject({ outcome: 'expired' });
  expect(world.waiting('agent', 'coder')).toBe(0);
  expect(world.waiting('group', 'platform')).toBe(0);
  await world.send(bash('after', 'git push after'));
  expect((await world.row('after')).approval.status).toBe('pending');
  expect(world.faults).toEqual([]);
});
