/**
 * Runs Tenor's four examples as policies of the deployed gate.
 *
 * Parts: an agent's loop over the escrow contract, clicks in Slack, a model over its wire format.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionSpace, AgentSnapshot } from '../../shared/contract/index.ts';
import { choiceDigest } from '../../shared/domain/digest.ts';
import { EscrowContract } from '../examples/escrow.ts';
import { runUntilIdle } from '../examples/policies/setting.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { journalOf, recordsOf } from './harness/rows.ts';
import { ALICE, approve, BOB, cardOf, cardSays, OLGA, reject, substitute, told, toldSoFar } from './harness/slack.ts';

let seller: Agent;
beforeAll(async () => {
  seller = await agentNamed('seller');
});

/** The gate as a policy whose proposals the test knows, so that it can click their cards; one entry a cycle: who answers how. */
function clicked(policy: string, people: readonly ((pid: string) => Promise<unknown>)[]) {
  const ids: string[] = [];
  return {
    ids,
    async choose(space: ActionSpace, snapshot: AgentSnapshot) {
      const proposalId = newId();
      const act = people[ids.length];
      ids.push(proposalId);
      const chosen = seller.client.choose(policy, space, snapshot, { proposalId, timeout: 150_000 });
      if (act) await Promise.all([chosen, act(seller.pid(proposalId))]);
      return chosen;
    },
  };
}
const says = async (pid: string) => approve(ALICE, await cardOf(pid));
const refuses = async (pid: string) => reject(BOB, await cardOf(pid), 'Not before the carrier was asked.');

describe("Tenor's examples", () => {
  it('fully autonomous: a model chooses until nothing is left; tokens and cost are on the record', async () => {
    const contract = new EscrowContract(
      { Order: 'pending_standard', Escrow: 'held' },
      { carrier_scan: 'delivered', prefers: ['release_escrow', 'update_status'], garbles: 1 },
    );
    const policy = clicked('fully-autonomous', []);
    expect(await runUntilIdle(contract, policy)).toEqual(['update_status', 'update_status', 'release_escrow']);
    const pid = seller.pid(policy.ids[0] ?? '');
    const [record] = await recordsOf('seller', pid);
    expect(record?.entry.choice).toMatchObject({
      policy: 'fully-autonomous',
      stages: [{ place: 'llm', outcome: 'chosen', flowId: 'update_status', usage: { calls: 2 } }],
      usage: { calls: 2, models: ['claude/claude-sonnet-4-20250514'] },
      exchanges: [{ place: 'llm' }, { asked: expect.stringContaining('Your response was invalid'), place: 'llm' }],
    });
    expect(record?.entry.choice?.usage?.costMicroUsd).toBeGreaterThan(0);
    expect((await journalOf(pid)).filter(({ type }) => type === 'model').map(({ round }) => round)).toEqual([0, 1]);
  });

  it('fully autonomous on Bedrock: the role of the function signs, no key is read, and cost is on the record', async () => {
    const contract = new EscrowContract(
      { Order: 'pending_standard', Escrow: 'held' },
      { prefers: ['update_status'], garbles: 1 },
    );
    const proposalId = newId();
    const chosen = await seller.client.choose('by-bedrock', contract.actionSpace('ops'), contract.snapshot(), {
      proposalId,
      timeout: 150_000,
    });
    expect(chosen?.flow_id).toBe('update_status');
    const { bedrock, model } = await e2eGate();
    expect(bedrock.requests.map(({ model: id, scope }) => [id, scope.service, scope.region])).toEqual([
      ['eu.amazon.nova-lite-v1:0', 'bedrock', 'eu-west-1'],
      ['eu.amazon.nova-lite-v1:0', 'bedrock', 'eu-west-1'],
    ]);
    expect(model.requests.some(({ body }) => body.model.includes('nova'))).toBe(false);
    const [record] = await recordsOf('seller', seller.pid(proposalId));
    expect(record?.entry.choice).toMatchObject({
      usage: { calls: 2, models: ['aws/eu.amazon.nova-lite-v1:0'] },
      stages: [{ place: 'llm', outcome: 'chosen', flowId: 'update_status' }],
    });
    expect(record?.entry.choice?.usage?.costMicroUsd).toBeGreaterThan(0);
  });

  it('human-supervised: each action waits for a person, and a refusal idles the loop (R0-103)', async () => {
    const contract = new EscrowContract(
      { Order: 'shipped', Escrow: 'held' },
      { prefers: ['update_status', 'cancel_order'] },
    );
    contract.observe({ complaint: true, carrier_scan: 'delivered', prefers: ['update_status', 'issue_refund'] });
    const policy = clicked('human-supervised', [says, refuses]);
    expect(await runUntilIdle(contract, policy)).toEqual(['update_status']);
    const refused = await seller.wait(policy.ids[1] ?? '');
    expect(refused).toMatchObject({ outcome: 'denied', reasonCode: 'rejected', decidedBy: { id: 'T0E2E/U0BOB' } });
    expect(refused.message).toContain('Not before the carrier was asked.');
  });

  it('risk-based: routine flows pass, money waits for a person (R0-104)', async () => {
    const contract = new EscrowContract(
      { Order: 'shipped', Escrow: 'held' },
      { carrier_scan: 'delivered', prefers: ['release_escrow', 'update_status'] },
    );
    const policy = clicked('risk-based', [async () => undefined, says]);
    expect(await runUntilIdle(contract, policy)).toEqual(['update_status', 'release_escrow']);
    expect(await seller.wait(policy.ids[0] ?? '')).toMatchObject({ decidedBy: { type: 'policy' } });
    expect(await seller.wait(policy.ids[1] ?? '')).toMatchObject({ decidedBy: { type: 'human', id: 'T0E2E/U0ALICE' } });
  });

  it('state-dependent: a large order asks, a standard one does not', async () => {
    const standard = new EscrowContract({ Order: 'pending_standard', Escrow: 'held' }, {});
    const [space, snapshot] = [standard.actionSpace('ops'), standard.snapshot()];
    expect((await seller.client.choose('state-dependent', space, snapshot, { timeout: 150_000 }))?.flow_id).toBe(
      'update_status',
    );
    const large = new EscrowContract({ Order: 'pending_large', Escrow: 'held' }, {});
    const asked = clicked('state-dependent', [says]);
    expect((await asked.choose(large.actionSpace('ops'), large.snapshot()))?.flow_id).toBe('update_status');
  });
});

describe('a person in front of the card', () => {
  const contract = new EscrowContract({ Order: 'pending_standard', Escrow: 'held' }, {});
  const ask = async (policy: string): Promise<string> => {
    const id = newId();
    return seller.client.proposeChoice(policy, contract.actionSpace('ops'), contract.snapshot(), { proposalId: id });
  };

  it('puts another action of the space in the place of the proposed one', async () => {
    const id = await ask('attended');
    const card = await cardOf(seller.pid(id));
    expect(JSON.stringify(card.blocks)).toContain('update_status');
    const index = contract.actionSpace('ops').actions.findIndex(({ flow_id }) => flow_id === 'cancel_order');
    await substitute(ALICE, card, index, 'The buyer called.');
    const decision = await seller.wait(id);
    const cancel = contract.actionSpace('ops').actions[index] as Action;
    expect(decision).toMatchObject({
      outcome: 'answered',
      reasonCode: 'substituted',
      answer: cancel,
      actionDigest: choiceDigest(cancel),
    });
    await cardSays(seller.pid(id), 'Another action runs instead');
  });

  it('may not be the owner of the agent', async () => {
    const id = await ask('attended');
    const before = await toldSoFar(OLGA);
    await approve(OLGA, await cardOf(seller.pid(id)));
    expect(await told(OLGA, before)).not.toBe('');
    await says(seller.pid(id));
    expect(await seller.wait(id)).toMatchObject({ outcome: 'answered', decidedBy: { id: 'T0E2E/U0ALICE' } });
  });

  it('is followed by a model, which is asked once, in a function of its own', async () => {
    contract.observe({ prefers: ['update_status'], order: newId() });
    const id = await ask('reviewed');
    const { model } = await e2eGate();
    const about = () =>
      model.requests.filter(({ body }) =>
        body.messages[0]?.content.includes(String(contract.snapshot().facts['order'])),
      ).length;
    expect(about()).toBe(0);
    await says(seller.pid(id));
    expect(await seller.wait(id)).toMatchObject({
      outcome: 'answered',
      reasonCode: 'chosen',
      decidedBy: { type: 'human' },
    });
    expect(about()).toBe(1);
  });

  it('is followed by a model that is told of a snapshot over 8 KB', async () => {
    contract.observe({ prefers: ['update_status'], order: newId(), notes: 'x'.repeat(9_000) });
    const id = await ask('reviewed');
    await says(seller.pid(id));
    expect(await seller.wait(id)).toMatchObject({ outcome: 'answered', decidedBy: { type: 'human' } });
  });
});

it('a choice that names no declared policy, or holds an action twice, is refused with the place', async () => {
  const contract = new EscrowContract({ Order: 'shipped', Escrow: 'held' }, {});
  const space = contract.actionSpace('ops');
  await expect(seller.client.choose('astrology', space, contract.snapshot(), { timeout: 150_000 })).rejects.toThrow(
    /no agent policy named astrology; declared are .*risk-based/,
  );
  const twice = { ...space, actions: [...space.actions, ...space.actions] };
  await expect(seller.client.choose('attended', twice, contract.snapshot(), { timeout: 150_000 })).rejects.toThrow(
    `actionSpace.actions[${space.actions.length}]: is identical to actions[0]`,
  );
});
