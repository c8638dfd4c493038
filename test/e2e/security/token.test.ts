/**
 * Checks that the task token, a right to end the wait, lies in the state table only (G24).
 *
 * The only other copy is in the workflow's own history: Step Functions writes the parameters of every task it
 * schedules there, and the token is one. Reading that history is a right of its own (`states:GetExecutionHistory`),
 * which no role of the stack has.
 */
import { readFileSync } from 'node:fs';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { DescribeLogGroupsCommand, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, GetExecutionHistoryCommand, paginateListExecutions } from '@aws-sdk/client-sfn';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { INVENTED_SECRETS } from '../../support/invented-secrets.ts';
import { e2eGate, STACK } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { type EventTap, tapEvents } from '../harness/events.ts';
import { historyOf } from '../harness/executions.ts';
import { messagesIn } from '../harness/queues.ts';
import { allRows, inputBucket } from '../harness/rows.ts';
import { ALICE, APPROVALS, approve, CHANNELS, cardOf, cardSays, reject, viewAll } from '../harness/slack.ts';

let builder: Agent;
let tokens: readonly string[];
let waitingPid: string;
let secretId: string;
let events: EventTap;

/** A token that a person types by mistake; Slack's own requests hold it, and nothing of ours. Split so that no scanner takes it for real. */
const TYPED = ['gh', 'p_TypedTypedTypedTypedTypedTyped012345'].join('');

/** One approval that ended and one that waits; the tokens of all others of this suite count too. */
beforeAll(async () => {
  const { outputs } = await e2eGate();
  builder = await agentNamed('builder');
  events = await tapEvents('countersign-e2e-canaries');
  const ended = await builder.run('git push origin canary');
  await reject(ALICE, await cardOf(builder.pid(ended)), 'A canary.');
  await builder.wait(ended);
  waitingPid = builder.pid(await builder.run('git push origin canary-two'));
  await cardOf(waitingPid);
  secretId = await builder.client.propose({
    proposalId: newId(),
    toolName: 'Bash',
    description: INVENTED_SECRETS[0]?.text ?? '',
    input: {
      command: `git push origin x\n${INVENTED_SECRETS.map(({ text }) => text).join('\n')}`,
      nested: [{ deep: INVENTED_SECRETS }],
    },
  });
  const card = await cardOf(builder.pid(secretId));
  await viewAll(ALICE, card);
  const { slack } = await e2eGate();
  await slack.openHome(ALICE);
  await slack.command({ user: ALICE, channel: APPROVALS, command: '/countersign', text: 'pending' });
  await reject(ALICE, card, `Another canary: use ${TYPED} instead.`);
  await builder.wait(secretId);
  await cardSays(builder.pid(secretId), 'Rejected');
  const rows = await allRows(outputs.StateTable);
  tokens = rows.flatMap(({ pk, token }) =>
    String(pk).startsWith('token#') ? [(token as { token: string }).token] : [],
  );
  return async () => {
    await events.close();
    await approve(ALICE, await cardOf(waitingPid));
  };
});

/** Tokens and secrets found in a text, as they are or in the encodings that logs and forms use. */
const found = (text: string, typed = TYPED): string[] =>
  [...tokens, typed, ...INVENTED_SECRETS.map(({ secret }) => JSON.stringify(secret).slice(1, -1))].filter((token) =>
    [token, encodeURIComponent(token), Buffer.from(token).toString('base64'), token.slice(0, 48)].some((form) =>
      text.includes(form),
    ),
  );

const foundSecrets = (text: string): string[] => found(text).filter((one) => !tokens.includes(one));

it('the search finds a token where there is one', async () => {
  const { outputs } = await e2eGate();
  expect(tokens.length).toBeGreaterThanOrEqual(2);
  const rows = (await allRows(outputs.StateTable)).filter(({ pk }) => String(pk).startsWith('token#'));
  expect(new Set(found(JSON.stringify(rows))).size).toBe(new Set(tokens).size);
});

it('AU-011 what an agent sent is kept without its secrets, and its original sealed', async () => {
  const { outputs } = await e2eGate();
  const rows = await allRows(outputs.StateTable);
  const pid = builder.pid(secretId);
  const kept = rows.find(({ pk, sk }) => pk === `approval#${pid}` && sk === 'proposal');
  expect(JSON.stringify(kept)).toContain('‹redacted: ');
  expect(rows.filter(({ pk }) => pk === `sealed#${pid}`)).toHaveLength(1);
  const history = JSON.stringify(await historyOf(pid));
  expect(history.length).toBeGreaterThan(100);
  for (const part of [rows, await allRows(outputs.AuditTable), history])
    expect(foundSecrets(JSON.stringify(part))).toEqual([]);
});

describe('T-002 AU-011 the token is not, and no secret is', () => {
  it('in any other row of the state table, nor in the record', async () => {
    const { outputs } = await e2eGate();
    const others = (await allRows(outputs.StateTable)).filter(({ pk }) => !String(pk).startsWith('token#'));
    expect(others.length).toBeGreaterThan(0);
    expect(found(JSON.stringify(others))).toEqual([]);
    expect(found(JSON.stringify(await allRows(outputs.AuditTable)))).toEqual([]);
  });

  it('in Slack: messages, modals, App Home, answers to commands, what was sent to Slack and what Slack sent', async () => {
    const { slack } = await e2eGate();
    const messages = CHANNELS.flatMap((channel) => slack.messages(channel));
    expect(messages.length).toBeGreaterThan(0);
    const methods = new Set(slack.apiLog.map(({ method }) => method));
    for (const method of ['chat.postMessage', 'chat.update', 'views.open', 'views.publish'])
      expect(methods).toContain(method);
    const answers = slack.requestLog.map(({ responseBody }) => responseBody);
    expect(found(JSON.stringify([messages, slack.home(ALICE), slack.apiLog, answers]))).toEqual([]);
    // Text that people typed is in the requests of Slack, of course; nothing else is.
    expect(found(JSON.stringify(slack.requestLog), 'nothing was typed')).toEqual([]);
  });

  it('in any event on the bus', async () => {
    await events.toldOf(secretId, ['ApprovalOpened', 'VoteCounted', 'ProposalDecided']);
    expect(found(JSON.stringify(await events.told()))).toEqual([]);
  });

  it('in any log or metric, of functions or of the workflow', async () => {
    const { root, endpoint } = await e2eGate();
    const { logGroups = [] } = await root.logs.send(new DescribeLogGroupsCommand({ limit: 50 }));
    const lines: string[] = [];
    for (const { logGroupName } of logGroups) {
      for await (const { events = [] } of paginateFilterLogEvents({ client: root.logs }, { logGroupName })) {
        lines.push(...events.map(({ message = '' }) => message));
      }
    }
    expect(lines.filter((line) => line.includes('"_aws"')).length, 'metrics are log lines').toBeGreaterThan(0);
    expect(found(lines.join('\n'))).toEqual([]);
    if (endpoint.logFile) expect(found(readFileSync(endpoint.logFile, 'utf8'))).toEqual([]);
  });

  it('in any queue, dead letters included', async () => {
    const { root } = await e2eGate();
    const { QueueUrls = [] } = await root.sqs.send(new ListQueuesCommand({ MaxResults: 100 }));
    expect(QueueUrls.length).toBeGreaterThanOrEqual(9);
    for (const url of QueueUrls) expect(found(JSON.stringify(await messagesIn(url)))).toEqual([]);
  });

  it('in the bucket of inputs', async () => {
    const { root } = await e2eGate();
    const Bucket = await inputBucket();
    const { Contents = [] } = await root.s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key } of Contents) {
      const { Body } = await root.s3.send(new GetObjectCommand({ Bucket, Key }));
      expect(found((await Body?.transformToString()) ?? '')).toEqual([]);
    }
  });

  it('in input, output or history of any execution, but for the parameters of the task that carries it', async () => {
    const { root, outputs } = await e2eGate();
    const pages = paginateListExecutions({ client: root.sfn }, { stateMachineArn: outputs.StateMachineArn });
    let executions = 0;
    for await (const page of pages) {
      for (const { executionArn } of page.executions ?? []) {
        executions++;
        const { input, output } = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
        expect(found(`${input} ${output}`)).toEqual([]);
        const history = new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 });
        const { events = [] } = await root.sfn.send(history);
        const shown = events.map(({ taskScheduledEventDetails: task, ...event }) =>
          task ? { ...event, ...task, parameters: undefined } : event,
        );
        expect(found(JSON.stringify(shown))).toEqual([]);
      }
    }
    expect(executions).toBeGreaterThanOrEqual(2);
  });
});

it('no role of the stack may read the workflow’s history, the one other place', async () => {
  const { root } = await e2eGate();
  const { TemplateBody = '' } = await root.cloudformation.send(new GetTemplateCommand({ StackName: STACK }));
  expect(TemplateBody).toContain('states:StartExecution');
  expect(TemplateBody).not.toContain('GetExecutionHistory');
  expect(TemplateBody).not.toContain('states:*');
});
