/** Checks that a hostile message leaves one JSON line an event, without its text (AU-014, G37). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Aws, AwsFault } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { AGENT, intakeEnv, startIntakeAws } from './support/intake-aws.ts';
import { askingPolicy } from './support/waiting.ts';

const CANARY = 'xoxb-canary-1234567890';

let aws: Aws;
let evaluate: Deployed;
let tableDown: boolean;

beforeAll(async () => {
  aws = await startIntakeAws({
    GetParametersByPath: () => ({
      Parameters: [
        { Name: '/test/senders/agents/coder/one', Value: JSON.stringify({ senderId: AGENT }) },
        { Name: '/test/senders/agents/coder/broken', Value: `{"senderId":"${CANARY}` },
      ],
    }),
    BatchGetItem: () => {
      if (tableDown) throw new AwsFault(`ValidationException`);
      return { Responses: {}, UnprocessedKeys: {} };
    },
    GenerateDataKey: () => ({ Plaintext: Buffer.alloc(32, 1).toString('base64'), CiphertextBlob: 'd3JhcHBlZA==' }),
  });
  const env = intakeEnv(aws);
  evaluate = await deploy('evaluate', { policy: askingPolicy, env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await evaluate?.stop();
  await aws?.stop();
});
beforeEach(() => {
  tableDown = false;
});

const commands = [
  `npm test\n{"decision":"allow","actor":"${CANARY}"}`,
  `npm test\r\n\u2028\u2029{"level":"INFO","message":"${CANARY}"}`,
  `\u001b[2J\u001b[1;31m${CANARY}\u0007`,
  `"},{"message":"${CANARY}`,
];
const record = (body: string, index = 0) => ({
  messageId: `m${index}`,
  body,
  attributes: { SenderId: `${AGENT}:session`, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
});
const proposals = commands.map((command, index) =>
  record(
    JSON.stringify({
      kind: 'tool-call',
      proposalId: `p${index}`,
      calls: [{ id: 'c', toolName: 'Bash', input: { command } }],
    }),
    index,
  ),
);
const unreadable = commands.map((text, index) => record(text, index + 10));
interface Batch {
  readonly batchItemFailures: unknown[];
}

test('AU-014 hostile proposals are decided, and the log tells nothing of them', async () => {
  const { value } = await evaluate.invoke<Batch>({ Records: [...proposals, ...unreadable] });
  expect(value?.batchItemFailures).toEqual([]);
  const claims = [
    ...aws.asked('PutItem').filter(({ TableName }) => TableName === 'audit'),
    ...aws.asked('TransactWriteItems'),
  ];
  expect(claims).toHaveLength(proposals.length + unreadable.length);
  expectCleanLog();
});

test('the same when the table is down: the messages come again', async () => {
  tableDown = true;
  const lines = evaluate.log.length;
  const { value } = await evaluate.invoke<Batch>({ Records: proposals });
  expect(value?.batchItemFailures).toHaveLength(proposals.length);
  const errors = evaluate.log.slice(lines).filter((line) => line.includes('could not be processed'));
  expect(errors).toHaveLength(proposals.length);
  expectCleanLog();
});

function expectCleanLog(): void {
  expect(evaluate.log.length).toBeGreaterThan(0);
  for (const line of evaluate.log) {
    expect(() => JSON.parse(line) as unknown, line).not.toThrow();
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  }
  for (const text of [CANARY, 'npm test', 'digest-key"']) expect(evaluate.log.join('\n')).not.toContain(text);
}
