/**
 * Measures how fast the task agent decides, and what a message in Slack costs in calls and time.
 *
 * Uses the tables of the local endpoint.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { dynamoDelegationStore } from '../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoAuditLog } from '../../shared/adapters/dynamodb/audit/audit-log.ts';
import { dynamoClaimStore } from '../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoReplyStore } from '../../shared/adapters/dynamodb/reply-store.ts';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../shared/adapters/dynamodb/task-store.ts';
import { secretlintDetector } from '../../shared/adapters/secretlint/detector.ts';
import { slackSpeaker } from '../../shared/adapters/slack/task-speaker.ts';
import { compilePolicy } from '../../shared/config/compile.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { loadShellParser } from '../../shared/permissions/shell/parser.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import { systemTimers } from '../../shared/ports/timers.ts';
import { processMessage, type TaskAgentPorts, toolsOfStore } from '../../shared/task-agent/index.ts';
import { type ConversationDependencies, handleMessage } from '../../shared/use-cases/conversation/handle-message.ts';
import { redactorOf } from '../../shared/use-cases/redactor.ts';
import { clientConfig, startEndpoint } from '../local/endpoint/index.ts';
import { startLocalSlack } from '../local/slack/server.ts';
import { tasksInMemory } from '../support/tasks-in-memory.ts';
import { HOSTILE } from '../unit/task-agent/hostile-corpus.ts';
import { makeTables } from './support/bench-world.ts';
import { against, note, printTable } from './support/print.ts';
import { median, p95, quantile } from './support/stats.ts';

const TALK = '99999999-9999-4999-8999-999999999999';
const USUAL = ['remind me to buy milk', 'show my tasks', 'mark milk as done', 'change gym to swim', 'delete gym', 'hi'];
const AIM_MS = 5;
const POLICY = `
people: { olga: { team: T0BENCH, user: U0OLGA, name: Olga } }
agents: { tasks: { owner: olga } }
taskAgent: { enabled: true, agent: tasks }
`;

await engine();
await slack();

async function engine(): Promise<void> {
  const store = tasksInMemory(systemClock.now);
  for (const text of ['gym', 'read', 'water plants']) await store.add('u1', text);
  const { add: _, ...kept } = store;
  const ports: TaskAgentPorts = {
    clock: systemClock,
    audit: { decided: () => undefined },
    tools: toolsOfStore({ ...kept, add: async () => ({ ...(await store.list('u1'))[0] }) as never }),
  };
  const decide = (message: string) => processMessage({ user_id: 'u1', message, conversation_id: TALK }, ports);
  const timed = async (messages: readonly string[]): Promise<number[]> => {
    const times: number[] = [];
    for (const message of messages) {
      const began = performance.now();
      await decide(message);
      times.push(performance.now() - began);
    }
    return times;
  };
  const fuzz = fc.sample(fc.string({ minLength: 1, maxLength: 4000, unit: 'binary', size: 'max' }), 2_000);
  await timed([...fuzz.slice(0, 200), ...HOSTILE]);
  const usual = await timed(Array.from({ length: 20_000 }, (_, n) => USUAL[n % USUAL.length] ?? ''));
  const fuzzed = await timed(fuzz);
  // The best of many each: what the engine needs, not what else runs here.
  const runs: number[][] = [];
  for (let run = 0; run < 20; run++) runs.push(await timed(HOSTILE));
  const hostile = HOSTILE.map((_, n) => Math.min(...runs.map((run) => run[n] ?? Number.POSITIVE_INFINITY)));
  const row = (name: string, times: readonly number[]) => [
    name,
    Math.round((1000 * times.length) / times.reduce((total, time) => total + time, 0)),
    ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(3)),
  ];
  printTable(
    'The engine alone, tools in memory',
    ['messages', 'decisions/s', 'p50 ms', 'p99 ms', 'slowest ms'],
    [row('usual', usual), row('fuzzed, up to 4,000', fuzzed), row('hostile, 4,000', hostile)],
  );
  const slowest = Math.max(...hostile);
  const which = JSON.stringify(HOSTILE[hostile.indexOf(slowest)]?.slice(0, 24));
  note(
    `aim: every message under ${AIM_MS} ms; the slowest of the hostile ones (${which}…) ${against(slowest, AIM_MS)}`,
  );
}

async function slack(): Promise<void> {
  const endpoint = await startEndpoint();
  const workspace = await startLocalSlack({
    ...{ appId: 'A0BENCH', teamId: 'T0BENCH', botUserId: 'U0BOT', botToken: 'xoxb-bench', signingSecret: 'bench' },
    users: [{ id: 'U0ANN', name: 'ann', realName: 'Ann' }],
    channels: [{ id: 'C0BENCH', name: 'bench', members: ['U0ANN', 'U0BOT'] }],
  });
  const client = new DynamoDBClient(clientConfig(endpoint));
  const calls: string[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        calls.push(String(commandName).replace('Command', ''));
        return next(args);
      },
    { step: 'initialize' },
  );
  const tables = { state: `state-${process.pid}`, audit: `audit-${process.pid}` };
  try {
    await makeTables(client, tables);
    const gate: ConversationDependencies = {
      deployment: 'Bench',
      policy: compilePolicy(loadPolicy(POLICY, 'bench.yaml')),
      clock: systemClock,
      digestKey: randomBytes(64),
      redactor: redactorOf(
        () => gate.policy,
        async () => secretlintDetector(),
      ),
      shell: () => loadShellParser(),
      sessions: dynamoSessionStore(client, tables),
      delegations: dynamoDelegationStore(client, tables),
      claims: dynamoClaimStore(client, tables, { put: async () => undefined, get: async () => '' }),
      audit: dynamoAuditLog(client, tables),
      // The policy says nothing of the task agent's tools.
      taskGuardrails: { run: (_agent, _call, _key, work) => work() },
      tasks: dynamoTasks(client, tables),
      conversations: dynamoTaskConversations(client, tables),
      replies: dynamoReplyStore(client, tables),
      speaker: slackSpeaker('xoxb-bench', workspace.apiUrl),
      after: systemTimers.after,
    };
    let ts = 1_700_000_000;
    const rows: (string | number)[][] = [];
    for (const [what, text] of [
      ['add', (n: number) => `todo: task ${n}`],
      ['list', () => 'show my tasks'],
      ['complete', (n: number) => `mark task ${n} as done`],
      ['ask to delete', (n: number) => `delete task ${n}`],
      ['say no', () => 'no'],
    ] as const) {
      const times: number[] = [];
      const [sdk, api] = [calls.length, workspace.apiLog.length];
      const [first, count] = [10, 20];
      for (let n = first; n < first + count; n++) {
        ts += 1;
        const began = performance.now();
        await handleMessage(
          {
            ...{ kind: 'message', id: randomUUID(), person: { team: 'T0BENCH', user: 'U0ANN' } },
            ...{ channel: 'C0BENCH', conversation: TALK, at: Date.now(), text: text(n), ts: `${ts}.000100` },
          },
          gate,
        );
        times.push(performance.now() - began);
      }
      const each = (many: number) => (many / count).toFixed(1);
      const slackCalls = workspace.apiLog.length - api;
      rows.push([what, each(calls.length - sdk), each(slackCalls), median(times).toFixed(0), p95(times).toFixed(0)]);
    }
    printTable(
      'One message in Slack, decided and answered (converse), on the local endpoint',
      ['message', 'DynamoDB calls', 'Slack calls', 'p50 ms', 'p95 ms'],
      rows,
    );
    note('besides: one SendMessage to the queue by slack, and what Lambda and SQS do by themselves');
  } finally {
    client.destroy();
    await workspace.stop();
    await endpoint.stop();
  }
}
