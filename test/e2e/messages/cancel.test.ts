/** Checks how an agent withdraws a proposal: before it is read, while it waits, once decided (D35). */
import { beforeAll, expect, it } from 'vitest';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { statusOf } from '../harness/executions.ts';
import { approvalOf, recordsOf, sortsOf } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf, told, toldSoFar } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let writer: Agent;
beforeAll(async () => {
  [builder, writer] = await Promise.all([agentNamed('builder'), agentNamed('writer')]);
});

it('a cancel ends the wait: one decision, the card says so, the workflow ends, a click comes too late', async () => {
  const id = await builder.run('git push origin cancelled');
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  await builder.client.cancel(id, 'The user changed their mind.');
  expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
  await cardSays(pid, 'Cancelled');
  await until('the end of the workflow', async () => (await statusOf(pid)) === 'SUCCEEDED');

  const before = await toldSoFar(ALICE);
  await approve(ALICE, card);
  expect(await told(ALICE, before)).toContain('The agent withdrew this before your click');
  expect((await approvalOf(pid))?.approval.status).toBe('cancelled');
  expect(await sortsOf('builder', pid)).toEqual(['cancel', 'click', 'decided', 'evaluated']);
});

it('a cancel that overtakes its proposal is its decision: the proposal is not evaluated when it comes', async () => {
  const id = newId();
  await builder.client.cancel(id);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled' });
  await builder.run('git push origin overtaken', { proposalId: id });
  // A later message is read later: when the marker is decided, the proposal has been met.
  await builder.wait(await builder.run('git status'));
  expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled' });
  expect(await cardsOf(builder.pid(id))).toEqual([]);
  expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
});

it('a cancel after the decision changes nothing', async () => {
  const id = await builder.run('git status --long');
  const decision = await builder.wait(id);
  await builder.client.cancel(id);
  await builder.wait(await builder.run('git status'));
  expect(await builder.wait(id)).toEqual(decision);
});

it('an agent cannot cancel what another one proposed', async () => {
  const id = await builder.run('git push origin mine');
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  await writer.client.cancel(id);
  // The writer's cancel is filed under its own name: a tombstone for a proposal that it never made.
  expect(await writer.wait(id)).toMatchObject({ outcome: 'cancelled' });
  expect((await approvalOf(pid))?.approval.status).toBe('pending');
  expect(await recordsOf('builder', pid)).toHaveLength(1);
  await approve(ALICE, card);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
});
