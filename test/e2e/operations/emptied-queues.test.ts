/** Checks what is lost with a queue that somebody emptied, and that nobody waits for it in vain. */
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, it } from 'vitest';
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { countersign } from '../harness/command.ts';
import { isPermitDue, permitOverdue } from '../harness/damage.ts';
import { delayedIn, delaying, quiet } from '../harness/queues.ts';
import { REPORTS, redeemed } from '../harness/redeemed.ts';
import { type QueueName, queueUrl } from '../harness/resources.ts';
import { entriesOf, sortsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, BOB, CAROL, cardOf, cardSays, cardsOf, RELEASES } from '../harness/slack.ts';
import { reconcileNow } from '../harness/time.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

/** The messages that `send` puts into the queue are gone before anybody takes them. */
async function emptied<Sent>(queue: QueueName, send: () => Promise<Sent>): Promise<Sent> {
  const { root } = await e2eGate();
  const QueueUrl = await queueUrl(queue);
  await quiet(queue);
  return delaying(QueueUrl, async () => {
    const sent = await send();
    await until(`a message in ${queue}`, async () => (await delayedIn(QueueUrl)) > 0);
    await root.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    return sent;
  });
}

it.each([
  ['Proposals', 'builder', 'git status'],
  ['Deferred', 'hooked', 'git status hook-allows'],
] as const)('%s: the proposal is decided once it is sent again under its id', async (queue, name, command) => {
  const agent = await agentNamed(name);
  const id = await emptied(queue, () => agent.run(command));
  await expect(agent.client.wait(id, { timeout: 2_000 })).rejects.toThrow('do not run the tool');
  await agent.run(command, { proposalId: id });
  expect(await agent.wait(id)).toMatchObject({ outcome: 'approved' });
  expect(await sortsOf(name, agent.pid(id))).toEqual(['evaluated']);
});

it('Executions: the call was not run, and runs once when the agent asks again', async () => {
  const { outputs, tools } = await e2eGate();
  let ran = 0;
  tools.serve('/echo', (_, response) => {
    ran += 1;
    response.writeHead(200).end('{}');
  });
  const runner = await agentNamed('runner');
  const client = runner.clientWith({
    executions: sqsProposalQueue(runner.sqs, outputs['ExecutionsQueueUrl'] ?? ''),
    results: dynamoResultStore(runner.dynamodb, { state: outputs.StateTable }),
  });
  const given = { toolName: 'RunEcho', input: { user: 'ann' } };
  const id = newId();
  await client.propose({ proposalId: id, ...given });
  const decision = await client.wait(id, { timeout: 60_000 });
  const run = (timeout: number) => client.runApproved(decision, id, given, { timeout });
  await emptied('Executions', () => expect(run(2_000)).rejects.toMatchObject({ code: 'no_result' }));
  expect(ran).toBe(0);
  expect(await run(60_000)).toMatchObject({ status: 'succeeded' });
  expect(ran).toBe(1);
});

it('Outcomes: the record says once that nobody knows what became of the run', async () => {
  const run = await redeemed('RunEcho');
  const pid = (await agentNamed('runner')).pid(run.proposalId);
  await emptied('Outcomes', () => REPORTS['collect-outcomes'](run));
  expect(await isPermitDue(pid)).toBe(true);
  await permitOverdue(pid);
  await reconcileNow(pid);
  const ended = await until('the end of the run', async () => {
    const entries = await entriesOf('runner', pid, 'ran');
    return entries.length ? entries : undefined;
  });
  expect(ended).toEqual([expect.objectContaining({ reasonCode: 'unknown' })]);
});

it('Cards: one that still asks although it was decided says so after the next click', async () => {
  const id = await builder.run(`git push origin ${newId()}`);
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  await emptied('Cards', async () => {
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });
  expect((await cardsOf(pid)).map(({ text }) => text)).toEqual([expect.stringContaining('wants to run')]);
  await approve(BOB, card);
  await cardSays(pid, 'Approved');
});

it('Operators: nothing is decided, and the operation is done once it is sent again', async () => {
  const oncall = await operatorNamed('oncall');
  const id = await builder.run(`git push origin ${newId()}`);
  const pid = builder.pid(id);
  await waiting(pid);
  const decide = { operationId: newId(), kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' };
  await emptied('Operators', () => oncall.say(decide));
  expect((await waiting(pid)).approval.votes).toEqual([]);
  await oncall.say(decide);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
});

it('Talk: a message that nobody answered is answered once it is written again', async () => {
  const { slack } = await e2eGate();
  const task = `task ${newId()}`;
  const write = () => slack.say({ user: CAROL, channel: RELEASES, text: `<@U0COUNTERSIGN> todo: ${task}` });
  const answers = () => slack.messages(RELEASES, ({ text }) => text.includes(`I've added '${task}'`));
  const lost = await emptied('Talk', write);
  const again = await write();
  await until('the answer', () => answers().length > 0);
  expect(answers().map(({ thread_ts }) => thread_ts)).toEqual([again]);
  expect(again).not.toBe(lost);
});

it('Webhooks: an event that was lost is sent when an operator has the record tell it again', async () => {
  const { tools, environmentOf } = await e2eGate();
  const began = new Date().toISOString();
  const id = newId();
  const heard: string[] = [];
  tools.serve('/webhook', async (request, response) => {
    const body = (await request.toArray()).join('');
    if ((JSON.parse(body) as { readonly subject?: string }).subject === id) heard.push(body);
    response.writeHead(204).end();
  });
  await emptied('Webhooks', () => builder.client.cancel(id));
  expect(heard).toEqual([]);
  const replay = ['webhooks', 'replay', 'cancelled', '--since', began, '--reason', 'the queue was emptied'];
  const done = await countersign(await environmentOf('Operator', 'oncall'), ...replay);
  expect(done).toMatchObject({ code: 0 });
  await until('the event of the record', () => heard.length === 1);
});
