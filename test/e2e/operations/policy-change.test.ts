/** Checks a new policy that is deployed while approvals of the old one wait (A17). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { EscrowContract } from '../../examples/escrow.ts';
import { e2eGate, LATER_POLICY, POLICY } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { approvalOf } from '../harness/rows.ts';
import { ALICE, approve, BOB, type Card, cardOf, cardSays, ERIN, reject } from '../harness/slack.ts';

const versionOf = (file: string) => loadPolicy(readFileSync(file, 'utf8'), file).policyVersion;

interface Asked {
  readonly id: string;
  readonly card: Card;
}

let builder: Agent;
let push: Asked;
let plan: Asked;
let release: Asked;
let refusedRelease: Asked;
let migration: Asked;
let seller: Agent;
let moved: Asked;
let stayed: Asked;

beforeAll(async () => {
  const gate = await e2eGate();
  builder = await agentNamed('builder');
  const ask = async (command: string): Promise<Asked> => {
    const id = await builder.run(command);
    return { id, card: await cardOf(builder.pid(id)) };
  };
  push = await ask('git push origin frozen');
  plan = await ask('terraform plan -out plan.bin');
  release = await ask('npm publish --tag next');
  refusedRelease = await ask('npm publish --tag latest');
  migration = await ask('alembic upgrade head');
  seller = await agentNamed('seller');
  const contract = new EscrowContract({ Order: 'shipped', Escrow: 'held' }, {});
  const choose = async (policy: string): Promise<Asked> => {
    const id = await seller.client.proposeChoice(policy, contract.actionSpace('ops'), contract.snapshot());
    return { id, card: await cardOf(seller.pid(id)) };
  };
  moved = await choose('moving');
  stayed = await choose('attended');
  await gate.deploy(LATER_POLICY);
});
afterAll(async () => {
  const gate = await e2eGate();
  await gate.deploy(gate.policyFile);
});

it('what the new policy denies is denied, although people approved it, and the answer says that the policy changed', async () => {
  await approve(ALICE, push.card);
  const decision = await builder.wait(push.id);
  expect(decision).toMatchObject({
    outcome: 'denied',
    reasonCode: 'policy_changed',
    policyVersion: versionOf(LATER_POLICY),
  });
  expect(decision.message).toContain('Pushes are frozen.');
  expect(decision.calls[0]).not.toHaveProperty('permit');
  const [card] = await cardSays(builder.pid(push.id), 'Approved, then denied');
  expect(JSON.stringify(card?.blocks)).toContain('Pushes are frozen.');
});

it('votes count where the new policy asks the same people', async () => {
  await approve(ALICE, plan.card);
  expect(await builder.wait(plan.id)).toMatchObject({ outcome: 'approved', policyVersion: versionOf(LATER_POLICY) });
});

it('an approval by others than the new policy asks is superseded, never allowed', async () => {
  await approve(BOB, release.card);
  const decision = await builder.wait(release.id);
  expect(decision).toMatchObject({ outcome: 'superseded' });
  expect(decision.calls[0]).not.toHaveProperty('permit');
  const [card] = await cardSays(builder.pid(release.id), 'Not run: the policy changed');
  expect(JSON.stringify(card?.blocks)).not.toContain(ACTIONS.approve);
});

it('a rejection stays a rejection, whoever would be asked now', async () => {
  expect((await reject(BOB, refusedRelease.card, 'Not this one.')).ok).toBe(true);
  expect(await builder.wait(refusedRelease.id)).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
});

it('a question to a group that the new policy lacks is superseded within a minute, for nobody could answer it', async () => {
  await approve(ERIN, migration.card);
  // The reconciler's own minute may be over before the click, or between the click and here: the question has ended then, as it has to.
  expect((await approvalOf(builder.pid(migration.id)))?.approval).toMatchObject({
    status: expect.stringMatching(/^(pending|expired)$/),
    votes: [],
  });
  expect((await invoke('reconcile', {})).error).toBeUndefined();
  const decision = await builder.wait(migration.id);
  expect(decision).toMatchObject({ outcome: 'superseded', reasonCode: 'superseded' });
  expect(decision.message).toContain('no longer has the group that was asked');
  await cardSays(builder.pid(migration.id), 'Not run: the policy changed');
});

it('a choice whose policy asks otherwise now is superseded, and says so; one whose policy stayed is answered', async () => {
  await approve(ALICE, moved.card);
  await approve(ALICE, stayed.card);
  const decision = await seller.wait(moved.id);
  expect(decision).toMatchObject({ outcome: 'superseded', actionDigest: null, policyVersion: versionOf(LATER_POLICY) });
  expect(decision.message).toContain('The policy changed while this choice waited');
  expect(decision).not.toHaveProperty('answer');
  expect(await seller.wait(stayed.id)).toMatchObject({ outcome: 'answered', policyVersion: versionOf(LATER_POLICY) });
});

it('what comes after the deployment is decided by the new policy', async () => {
  const decision = await builder.wait(await builder.run('git push origin after'));
  expect(decision).toMatchObject({ outcome: 'denied', policyVersion: versionOf(LATER_POLICY) });
  expect(versionOf(LATER_POLICY)).not.toBe(versionOf(POLICY));
});
