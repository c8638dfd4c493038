/** Plays faults from outside: senders, models, tools, Slack, people, and hands on rows. */
import { setTimeout as delay } from 'node:timers/promises';
import { paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteFunctionCommand } from '@aws-sdk/client-lambda';
import { PurgeQueueCommand, SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { redeliveringSoon } from '../harness/queues.ts';
import { deadLetterUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { runs } from '../harness/runs.ts';
import { until } from '../harness/until.ts';
import { faultsOf, written } from './figures.ts';
import { levelOf, minutes, nothing, once, type Play, push } from './seen.ts';

export const refusals = once(async () => {
  const { root, outputs } = await e2eGate();
  const builder = await agentNamed('builder');
  const QueueUrl = outputs.ProposalsQueueUrl;
  const body = (index: number) =>
    index % 2
      ? `{ no JSON ${newId()}`
      : JSON.stringify({ proposalId: newId(), toolName: 'Bash', input: { command: 'git status' }, unknownField: 1 });
  const entries = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      Id: String(index),
      MessageBody: body(index),
      MessageGroupId: 'builder',
    }));
  const since = Date.now();
  await builder.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(10) }));
  // The account's root is registered as no agent.
  await root.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(6) }));
  await written('ProposalsRefused', since, {}, 16);
  return nothing;
});

export const modelSays = (words: string, times: number): Play =>
  once(async () => {
    const assistant = await agentNamed('assistant');
    for (let index = 0; index < times; index++)
      await assistant.client.propose({
        proposalId: newId(),
        toolName: 'mcp__docs__search',
        input: { query: `${newId()} says ${words}` },
        sessionId: newId(),
      });
    return nothing;
  });

export const hookThrows: Play = async () => {
  const hooked = await agentNamed('hooked');
  await Promise.all([1, 2, 3].map((index) => hooked.run(`git status hook-throws ${index}`)));
  return nothing;
};

export const forged: Play = async () => {
  const { slack } = await e2eGate();
  const send = () => slack.sendRaw({ body: 'payload=%7B%7D', headers: { 'x-slack-signature': 'v0=forged' } });
  await Promise.all(Array.from({ length: 60 }, send));
  // A process tells of all refusals since it last told, once a second.
  await delay(1_100);
  await Promise.all(Array.from({ length: 8 }, send));
  return nothing;
};

export const breaker: Play = async () => {
  const { tools } = await e2eGate();
  tools.serve('/probe', (_, response) => void response.writeHead(503).end('{}'));
  await runs('RunProbe', 2, () => ({ n: newId() }));
  return nothing;
};

export const missingFunction: Play = async () => {
  const { root } = await e2eGate();
  await root.lambda.send(new DeleteFunctionCommand({ FunctionName: 'e2e-adder' })).catch(() => undefined);
  await runs('RunAdd', 7, (index) => ({ a: index, b: 1 }));
  return nothing;
};

export const recordChanged: Play = async () => {
  const { root, outputs } = await e2eGate();
  const builder = await agentNamed('builder');
  const id = await builder.run('git status');
  await builder.wait(id);
  const pages = paginateScan({ client: root.dynamodb }, { TableName: outputs.AuditTable });
  for await (const { Items = [] } of pages)
    for (const { pk, sk } of Items)
      if (pk && sk && JSON.stringify(pk).includes(builder.pid(id)) && JSON.stringify(sk).includes('evaluated')) {
        await root.dynamodb.send(
          new UpdateItemCommand({
            TableName: outputs.AuditTable,
            Key: { pk, sk },
            UpdateExpression: 'SET forged = :yes',
            ExpressionAttributeValues: { ':yes': { S: 'yes' } },
          }),
        );
        return nothing;
      }
  throw new Error('the record has no entry of the proposal');
};

export const pauseForgotten: Play = async () => {
  const { root, outputs } = await e2eGate();
  const control = dynamoControlStore(root.dynamodb, { state: outputs.StateTable, audit: outputs.AuditTable });
  const before = await control.read();
  const since = Date.now() - minutes(25 * 60);
  const pause = { scope: { agent: 'demo-agent' }, effect: 'deny' as const, by: 'oncall', reason: 'game day', since };
  await control.write({ ...before, version: before.version + 1, pauses: [...before.pauses, pause as never] });
  await invoke('reconcile', {});
  await control.write({ ...before, version: before.version + 2 });
  return nothing;
};

export const operateWithoutRight: Play = async () => {
  const oncall = await operatorNamed('oncall');
  const pause = { kind: 'pause', scope: { agent: 'demo-agent' } };
  await redeliveringSoon('Operators', async () => {
    await without('operate', 'dynamodb:PutItem', async () => {
      const since = Date.now();
      await oncall.say({ ...pause, effect: 'deny' });
      await faultsOf('operate', since);
    });
    await oncall.say({ ...pause, effect: 'lift' });
  });
  return nothing;
};

export const canarySilent: Play = async () => {
  await without('canary', 'sqs:SendMessage', () => invoke('canary', {}));
  return { before: { metric: 'CanaryPassed', value: 1, everyMs: minutes(5) } };
};

export const cardDead: Play = async () => {
  const { root } = await e2eGate();
  const QueueUrl = await deadLetterUrl('Cards');
  const id = newId();
  const letter = { QueueUrl, MessageBody: '{}', MessageGroupId: id, MessageDeduplicationId: id };
  await root.sqs.send(new SendMessageCommand(letter));
  const level = await levelOf(QueueUrl);
  await root.sqs.send(new PurgeQueueCommand({ QueueUrl }));
  return { own: [{ metric: 'ApproximateNumberOfMessagesVisible', value: level }] };
};

/** A signed click that reached the function four seconds late, as after a cold start behind a slow network. */
export const lateClicks = once(async () => {
  const { slack } = await e2eGate();
  const body = 'payload=%7B%22type%22%3A%22block_actions%22%7D';
  const late = { timeEpoch: Date.now() - 4_000, http: { method: 'POST' } };
  const click = () => invoke('slack', { requestContext: late, headers: slack.sign(body), body });
  await Promise.all(Array.from({ length: 5 }, click));
  return { own: [{ metric: 'UrlRequestLatency', value: 4_000 }], timesAMinute: 2 };
});

export const expire: Play = async () => {
  const builder = await agentNamed('builder');
  // One that is met after its time was never a question: a cold start takes its seconds.
  const expiresAt = new Date(Date.now() + 9_000).toISOString();
  const ids = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((index) => builder.run(`git push origin late-${index}`, { expiresAt })),
  );
  for (const id of ids) await builder.wait(id);
  return nothing;
};

export const slackRefuses =
  (word: string, times: number): Play =>
  async () => {
    const { slack } = await e2eGate();
    const refusedSoFar = () => slack.apiLog.filter(({ response }) => response['error'] === word).length;
    for (let index = 0; index < times; index++) slack.failNext('chat.postMessage', word);
    await push(word);
    await until(`Slack's ${word}`, () => refusedSoFar() === times);
    return nothing;
  };

/** The card of the canary's question is drawn beside the canary, and again soon: a token that came back meanwhile would be a figure of the play. */
export const tokenEnded: Play = async () => {
  const { slack } = await e2eGate();
  const refused = () => slack.apiLog.filter(({ method, status }) => method === 'auth.test' && status === 401).length;
  const before = refused();
  const lift = () => slack.setOutage(false);
  slack.setOutage({ status: 401 });
  try {
    await invoke('canary', {});
    await until('that the token is refused', () => refused() > before);
  } catch (error) {
    lift();
    throw error;
  }
  return { lift };
};
