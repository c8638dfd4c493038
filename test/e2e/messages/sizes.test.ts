/**
 * Checks large inputs and several calls: stored once by digest, shown whole or not approvable.
 *
 * An input beyond the limit is refused.
 */
import { createHash } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { actionDigest } from '../../../shared/domain/digest.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { allRows, approvalOf, entriesOf, inputBucket } from '../harness/rows.ts';
import { ALICE, approve, BOB, cardOf, cardSays, cardsOf, reject, viewAll } from '../harness/slack.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

const objects = async (): Promise<string[]> => {
  const { root } = await e2eGate();
  const { Contents = [] } = await root.s3.send(new ListObjectsV2Command({ Bucket: await inputBucket() }));
  return Contents.map(({ Key = '' }) => Key);
};

describe('an input over 8 KB', () => {
  it('is kept in the bucket under its digest, and what people decide reaches the agent', async () => {
    const { outputs } = await e2eGate();
    const id = await builder.run(`git push origin ${'x'.repeat(9_000)}`);
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    const rows = await allRows(outputs.StateTable);
    const kept = rows.find(({ pk, sk }) => pk === `approval#${pid}` && sk === 'proposal');
    expect(kept).not.toHaveProperty('body');
    expect(await objects()).toContain(`input/${String(kept?.['bodyDigest'])}`);
    const text = (await approvalOf(pid))?.proposal ?? '';
    expect(createHash('sha256').update(text).digest('hex')).toBe(kept?.['bodyDigest']);

    // Too long to be shown whole: all of it is read, and approved on the last page (D33).
    expect(JSON.stringify(card.blocks)).toContain('This is not all that would run');
    expect(await viewAll(ALICE, card, 'approve')).toBe(`git push origin ${'x'.repeat(9_000)}`);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  it('that is deleted while people are asked ends its approval: the agent reads why, and the card shows it', async () => {
    const { root, outputs } = await e2eGate();
    const id = await builder.run(`git push origin ${'w'.repeat(9_000)}`);
    const pid = builder.pid(id);
    await cardOf(pid);
    const rows = await allRows(outputs.StateTable);
    const kept = rows.find(({ pk, sk }) => pk === `approval#${pid}` && sk === 'proposal');
    const Key = `input/${String(kept?.['bodyDigest'])}`;
    await root.s3.send(new DeleteObjectCommand({ Bucket: await inputBucket(), Key }));
    expect(await invoke('resume', { pid })).toMatchObject({ answer: { state: 'done' } });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'error', reasonCode: 'input_gone' });
    await cardSays(pid, 'Ended');
  });

  it('that a rule decides is kept for nobody to run: the record alone holds its text', async () => {
    const inputs = async () => (await objects()).filter((key) => !key.startsWith('record/'));
    const before = await inputs();
    const input = { file_path: 'README.md', note: 'y'.repeat(20_000) };
    const id = await builder.client.propose({ toolName: 'Read', input });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await inputs()).toEqual(before);
    const [entry] = await entriesOf('builder', builder.pid(id), 'evaluated');
    expect(await objects()).toContain(`record/${entry?.['proposalDigest']}`);
  });
});

it('a message over 256 KB is refused unread, to its sender', async () => {
  const proposalId = newId();
  const input = { command: `#${'z'.repeat(256 * 1024)}` };
  await builder.send(JSON.stringify({ proposalId, toolName: 'Bash', input }));
  expect(await builder.wait(proposalId)).toMatchObject({ outcome: 'error', proposalId, reasonCode: 'too_large' });
  await expect(builder.client.propose({ toolName: 'Bash', input })).rejects.toMatchObject({ code: 'too_large' });
});

describe('several calls in one proposal', () => {
  const calls = [
    { id: 'look', toolName: 'Bash', input: { command: 'git status' } },
    { id: 'push', toolName: 'Bash', input: { command: 'git push origin several' } },
    { id: 'plan', toolName: 'Bash', input: { command: 'terraform plan' } },
  ];

  it('share one card and one vote, and each has a decision and a permit of its own', async () => {
    const id = await builder.client.proposeAll(calls);
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    const shown = JSON.stringify(card.blocks);
    expect(shown).toContain('git push origin several');
    expect(shown).toContain('terraform plan');
    await approve(BOB, card);
    const decision = await builder.wait(id);
    expect(decision.calls.map(({ outcome, decidedBy }) => [outcome, decidedBy.type])).toEqual([
      ['approved', 'rule'],
      ['approved', 'human'],
      ['approved', 'human'],
    ]);
    for (const [index, call] of calls.entries()) {
      const { toolName, input } = call;
      expect(decision.calls[index]?.permit?.actionDigest).toBe(actionDigest({ toolName, input }));
    }
    expect(new Set(decision.calls.map(({ permit }) => permit?.permitId)).size).toBe(3);
    await cardSays(pid, 'Approved');
    expect(await cardsOf(pid)).toHaveLength(1);
    expect(await entriesOf('builder', pid, 'vote')).toHaveLength(1);
  });

  it('of which one is denied leave the others to people, and the whole is not called approved', async () => {
    const id = await builder.client.proposeAll([
      ...calls,
      { id: 'wipe', toolName: 'Bash', input: { command: 'rm -rf .' } },
    ]);
    await approve(ALICE, await cardOf(builder.pid(id)));
    const decision = await builder.wait(id);
    expect(decision.outcome).toBe('denied');
    expect(decision.calls.map(({ id: call, outcome }) => `${call} ${outcome}`)).toEqual([
      'look approved',
      'push approved',
      'plan approved',
      'wipe denied',
    ]);
    expect(decision.calls[3]).not.toHaveProperty('permit');
  });

  it('that are longer together than Slack takes are shown in part, and behind View all whole', async () => {
    const long = Array.from({ length: 8 }, (_, index) => ({
      id: `push-${index}`,
      toolName: 'Bash',
      input: { command: `git push origin ${'"quoted" '.repeat(280)}${index}` },
    }));
    const id = await builder.client.proposeAll(long);
    const card = await cardOf(builder.pid(id));
    expect(JSON.stringify(card.blocks)).toContain('This is not all that would run');
    expect(await viewAll(ALICE, card)).toBe(long.map(({ input }) => input.command).join(''));
    expect((await reject(ALICE, card, 'One at a time.')).ok).toBe(true);
    const { calls: refused } = await builder.wait(id);
    expect(refused.map(({ outcome }) => outcome)).toEqual(long.map(() => 'denied'));
  });

  it('that need different people are an error, and those that agree are asked', async () => {
    const release = { id: 'release', toolName: 'Bash', input: { command: 'npm publish' } };
    const id = await builder.client.proposeAll([...calls.slice(1, 2), release]);
    await approve(ALICE, await cardOf(builder.pid(id)));
    const decision = await builder.wait(id);
    expect(decision.calls.map(({ reasonCode }) => reasonCode)).toEqual(['approved', 'mixed_approvers']);
    expect(decision.outcome).toBe('error');
  });
});
