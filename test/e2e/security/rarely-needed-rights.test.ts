/**
 * Looks at single rights that most runs of their function do not use.
 *
 * A new process has some of them, an edit that a hook is asked about, and a card that is too large for its vote.
 */
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, it } from 'vitest';
import { s3Archive } from '../../../shared/adapters/s3/archive.ts';
import type { Decision } from '../../../shared/contract/index.ts';
import { sealName } from '../../../shared/domain/archive/seal-note.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { statusOf } from '../harness/executions.ts';
import { invoke, renewed } from '../harness/functions.ts';
import { entriesOf } from '../harness/rows.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let runner: Agent;
let replier: Agent;
beforeAll(async () => {
  [runner, replier] = await Promise.all([agentNamed('runner'), agentNamed('replier', 'listener')]);
});

async function textsUnder(prefix: string): Promise<readonly string[]> {
  const { root, outputs } = await e2eGate();
  const list = new ListObjectsV2Command({ Bucket: outputs.TextBucket, Prefix: prefix });
  return ((await root.s3.send(list)).Contents ?? []).map(({ Key = '' }) => Key);
}

it('deliberate ends the execution of an edited call that its hook denies', async () => {
  const [hooked, oncall] = await Promise.all([agentNamed('hooked'), operatorNamed('oncall')]);
  const id = await hooked.run('make one');
  const pid = hooked.pid(id);
  await cardOf(pid);
  await oncall.say({
    ...{ kind: 'decide', agent: 'hooked', proposalId: id, choice: 'edit' },
    input: { command: 'make hook-denies' },
  });
  expect(await hooked.wait(id)).toMatchObject({ outcome: 'denied', reasonCode: 'edit_denied' });
  await until('the end of the execution', async () => (await statusOf(pid)) === 'SUCCEEDED');
});

it('reconcile stores the text of the policy file in a new process', async () => {
  const { root, outputs } = await e2eGate();
  const id = await runner.run('git status');
  const { policyVersion } = await runner.wait(id);
  const Key = `record/${policyVersion}`;
  await root.s3.send(new DeleteObjectCommand({ Bucket: outputs.TextBucket, Key }));
  await renewed('GateReconcileFunction');
  await invoke('reconcile', {});
  expect(await textsUnder(Key)).toEqual([Key]);
});

it('seal reads the objects that it lists', async () => {
  const { root, outputs } = await e2eGate();
  const { ArchiveBucket: Bucket } = outputs;
  const archive = s3Archive(root.s3, Bucket);
  const remove = (Key: string) => root.s3.send(new DeleteObjectCommand({ Bucket, Key }));
  // The anchor of the day is that of a seal that stays.
  await invoke('seal', {});
  const seals = await Array.fromAsync(archive.names('seal/'), async (key) => [key, await archive.read(key)] as const);
  // A seal takes what is older than some minutes: this one, where no other seal went before.
  const old = 'entry/2000-01-01T0000Z/1-1.jsonl';
  try {
    await archive.put(old, '{}\n');
    for (const [key] of seals) await remove(key);
    expect((await invoke('seal', {})).error).toBeUndefined();
    const note = (await archive.read(sealName(0))) ?? '';
    const lists = await Array.fromAsync(archive.names('list/'), (key) => archive.read(key));
    const [list] = lists.filter((text) => text?.includes(old));
    expect(note).toContain(sha256Hex(list ?? ''));
  } finally {
    await remove(old);
    for await (const key of archive.names('seal/')) await remove(key);
    for (const [key, text = ''] of seals) await archive.put(key, text);
  }
});

it('resume finds the queue of an agent in a new process', async () => {
  const { outputs } = await e2eGate();
  await renewed('GateResumeFunction');
  const id = await replier.run(`git push origin ${newId()}`);
  await approve(ALICE, await cardOf(replier.pid(id)));
  await replier.wait(id);
  const receive = new ReceiveMessageCommand({ QueueUrl: outputs['RepliesQueueUrl'], MaxNumberOfMessages: 10 });
  await until('the decision in its queue', async () => {
    const { Messages = [] } = await replier.sqs.send(receive);
    return Messages.some(({ Body = '' }) => (JSON.parse(Body) as Decision).proposalId === id);
  });
});

it('slack stores the card that somebody saw who votes, where it is too large for the vote', async () => {
  const builder = await agentNamed('builder');
  const id = await builder.run(`git push origin ${Array.from({ length: 40 }, newId).join(' ')}`);
  const pid = builder.pid(id);
  await approve(ALICE, await cardOf(pid));
  await builder.wait(id);
  const [vote] = await entriesOf('builder', pid, 'vote');
  expect(await textsUnder(`shown/${vote?.shownDigest}`)).toHaveLength(1);
});
