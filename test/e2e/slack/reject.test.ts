/** A person refuses: the reason that the modal asks for reaches the model. */
import { beforeAll, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { sortsOf } from '../harness/rows.ts';
import { ALICE, BOB, cardOf, cardSays, reject } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

it('a rejection tells the agent who refused and why, and the card says the same', async () => {
  const id = await builder.run('git push --force origin main');
  const pid = builder.pid(id);
  const result = await reject(ALICE, await cardOf(pid), 'Force pushes are for people. Open a pull request.');
  expect(result.ok).toBe(true);

  const decision = await builder.wait(id);
  expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'rejected', decidedBy: { id: 'T0E2E/U0ALICE' } });
  expect(decision.message).toContain(`${ALICE} refused this call: Force pushes are for people.`);
  expect(decision.calls[0]).not.toHaveProperty('permit');
  const [card] = await cardSays(pid, 'Rejected');
  expect(JSON.stringify(card?.blocks)).toContain('Force pushes are for people.');
  expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
});

it('a rejection needs no words', async () => {
  const id = await builder.run('git push origin wordless');
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  expect((await reject(BOB, card, '   ')).ok).toBe(true);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
});

it('a modal that is submitted after somebody else decided says so, and changes nothing', async () => {
  const { slack } = await e2eGate();
  const id = await builder.run('git push origin decided-before');
  const pid = builder.pid(id);
  const { channel, ts } = await cardOf(pid);
  await slack.click({ user: ALICE, channel, ts, actionId: ACTIONS.reject });
  const view = await until('the modal', () => slack.views(ALICE).at(-1));
  await slack.click({ user: BOB, channel, ts, actionId: ACTIONS.approve });
  const late = await slack.submitView({
    user: ALICE,
    viewId: view.id,
    values: { countersign_reason_text: 'Too late.' },
  });
  await slack.closeView({ user: ALICE, viewId: view.id });
  expect(late).toMatchObject({ ok: false, errors: { countersign_reason: expect.stringContaining('decided before') } });
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
  expect(await sortsOf('builder', pid)).toEqual(['click', 'decided', 'evaluated', 'vote']);
});
