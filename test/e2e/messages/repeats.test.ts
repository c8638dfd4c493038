/** The same message twice, the same proposal twice, the same id for something else (A6, G33). */
import { beforeAll, describe, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { roleIdOf } from '../harness/rights.ts';
import { entriesOf, sortsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf } from '../harness/slack.ts';

let builder: Agent;
let writer: Agent;
beforeAll(async () => {
  [builder, writer] = await Promise.all([agentNamed('builder'), agentNamed('writer')]);
});

/** A message as the queue would deliver it; the queue itself states the sender. */
async function delivery(agent: Agent, body: string) {
  const { outputs } = await e2eGate();
  const SenderId = `${await roleIdOf(outputs[`AgentRole${agent.name}Arn`] ?? '')}:${agent.name}`;
  const attributes = { SenderId, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' };
  return { Records: [{ messageId: newId(), body, attributes: { ...attributes, MessageGroupId: agent.name } }] };
}

describe('the same proposal', () => {
  it('delivered three times at once is one card, one decision, one entry of each kind', async () => {
    const proposalId = newId();
    const call = { id: 'call', toolName: 'Bash', input: { command: 'git push origin thrice' } };
    const event = await delivery(builder, JSON.stringify({ kind: 'tool-call', proposalId, calls: [call] }));
    const answers = await Promise.all([1, 2, 3].map(() => invoke('evaluate', event)));
    for (const { answer } of answers) expect(answer).toEqual({ batchItemFailures: [] });
    const pid = builder.pid(proposalId);
    await approve(ALICE, await cardOf(pid));
    expect(await builder.wait(proposalId)).toMatchObject({ outcome: 'approved' });
    await cardSays(pid, 'Approved');
    expect(await cardsOf(pid)).toHaveLength(1);
    expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
  });

  it('sent again while it waits asks nobody again', async () => {
    const id = newId();
    await builder.run('git push origin twice', { proposalId: id });
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    await builder.run('git push origin twice', { proposalId: id });
    await builder.wait(await builder.run('git status'));
    expect(await cardsOf(pid)).toHaveLength(1);
    expect((await waiting(pid)).approval.version).toBe(0);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
  });

  it('sent again after the decision gets the same decision, and one audit entry stands', async () => {
    const id = newId();
    await builder.run('git status --porcelain', { proposalId: id });
    const first = await builder.wait(id);
    await builder.run('git status --porcelain', { proposalId: id });
    await builder.wait(await builder.run('git status'));
    expect(await builder.wait(id)).toEqual(first);
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
  });
});

describe('the same id', () => {
  it('for other content is refused and audited, and the first stands', async () => {
    const id = newId();
    await builder.run('git status', { proposalId: id });
    const first = await builder.wait(id);
    await builder.run('git push origin swapped', { proposalId: id });
    await builder.wait(await builder.run('git status'));
    expect(await builder.wait(id).catch((error: Error) => error.name)).toBe('DigestMismatchError');
    const other = await agentNamed('builder');
    expect(await other.wait(id)).toEqual(first);
    const pid = builder.pid(id);
    expect(await entriesOf('builder', pid, 'refused')).toMatchObject([{ reasonCode: 'proposal_id_conflict' }]);
    expect(await cardsOf(pid)).toEqual([]);
  });

  it('from two agents is two proposals, and neither sees the other', async () => {
    const id = newId();
    await builder.run('git status', { proposalId: id });
    await writer.run('rm -rf drafts', { proposalId: id });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await writer.wait(id)).toMatchObject({ outcome: 'denied' });
    expect(await entriesOf('builder', builder.pid(id), 'evaluated')).toHaveLength(1);
    expect(await entriesOf('writer', writer.pid(id), 'evaluated')).toHaveLength(1);
  });
});
