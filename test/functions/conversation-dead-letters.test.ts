/** Checks dead letters of the task agent's chat, as the deployed function answers them in Slack. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadPolicy } from '../../shared/config/load.ts';
import { type LocalSlack, startLocalSlack } from '../local/slack/server.ts';
import { type Aws, startAws } from './support/aws.ts';
import { BASE_ENV, type Deployed, deploy } from './support/deployed.ts';
import { ANN, CHANNEL, TEAM } from './support/waiting.ts';

const DEAD_ARN = 'arn:aws:sqs:us-east-1:000000000000:talk-dead.fifo';
const TOKEN = 'xoxb-talk';
const BOT = 'U0BOT';
const policy = loadPolicy(
  `people:
  ann: { team: ${TEAM}, user: ${ANN}, name: Ann }
agents: { tasks: { owner: ann } }
channels: { approvals: { team: ${TEAM}, id: ${CHANNEL} } }
approvers: { platform: { members: [ann], channel: approvals } }
approvals: { approvers: platform }
taskAgent: { enabled: true, agent: tasks, channels: [approvals] }
`,
  'test.yaml',
);

let slack: LocalSlack;
let aws: Aws;
let converse: Deployed;
beforeAll(async () => {
  slack = await startLocalSlack({
    ...{ signingSecret: 'secret', botToken: TOKEN, appId: 'A0TEST', appName: 'Countersign' },
    ...{ teamId: TEAM, teamName: 'Test', botUserId: BOT, users: [{ id: ANN, name: 'ann', realName: 'Ann' }] },
    channels: [{ id: CHANNEL, name: 'approvals', members: [ANN, BOT] }],
  });
  aws = await startAws({
    GetSecretValue: () => ({ SecretString: JSON.stringify({ signingSecret: 'secret', botToken: TOKEN }) }),
    GetItem: () => ({}),
    PutItem: () => ({}),
    ChangeMessageVisibility: () => ({}),
  });
  const env = {
    ...BASE_ENV,
    ...{ SLACK_SECRET: 'slack-secret', SLACK_API_URL: slack.apiUrl },
    ...{ TALK_QUEUE_URL: `${aws.url}/talk.fifo`, TALK_DEAD_ARN: DEAD_ARN },
  };
  converse = await deploy('converse', { policy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await converse?.stop();
  await slack?.stop();
  await aws?.stop();
});
beforeEach(() => {
  aws.calls.length = 0;
});

async function letter(): Promise<{ readonly again: boolean; readonly log: string }> {
  const person = { team: TEAM, user: ANN };
  const said = {
    kind: 'message',
    id: 'm',
    person,
    channel: CHANNEL,
    conversation: 'c',
    at: 1,
    text: 'todo: x',
    ts: '1.1',
  };
  const attributes = { ApproximateReceiveCount: '11', MessageGroupId: 'c', SenderId: 'x', SentTimestamp: '1' };
  const record = {
    messageId: 'm',
    receiptHandle: 'r',
    eventSourceARN: DEAD_ARN,
    body: JSON.stringify(said),
    attributes,
  };
  const before = converse.log.length;
  const { value } = await converse.invoke<{ batchItemFailures: unknown[] }>({ Records: [record] });
  return { again: value?.batchItemFailures.length !== 0, log: converse.log.slice(before).join('\n') };
}

test('whoever wrote is told', async () => {
  expect(await letter()).toMatchObject({ again: false });
  expect(slack.messages(CHANNEL).at(-1)?.text).toContain('could not answer');
});

test('an archived channel has nobody to tell: the letter is done with', async () => {
  slack.failNext('chat.postMessage', 'is_archived');
  const { again, log } = await letter();
  expect(again).toBe(false);
  expect(log).toContain('"reason":"channel_gone"');
});

test('while Slack is down it comes again, and nobody is woken for it', async () => {
  slack.setOutage(true);
  const { again, log } = await letter();
  slack.setOutage(false);
  expect(again).toBe(true);
  expect(aws.asked('ChangeMessageVisibility')).toHaveLength(1);
  expect(log).not.toContain('DeadLettersUnanswered');
});

test('an answer that Slack refuses for another reason wakes somebody: no other alarm tells of it', async () => {
  slack.failNext('chat.postMessage', 'restricted_action');
  const { again, log } = await letter();
  expect(again).toBe(true);
  expect(log).toContain('"DeadLettersUnanswered":1');
});
