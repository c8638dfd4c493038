/** Plays AWS for `evaluate` and `deliberate`, which take proposals, and holds their environment. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { type Answers, type Aws, type Input, startAws } from './aws.ts';
import { BASE_ENV, type Deployed } from './deployed.ts';

/** Registered as the agent `coder`. */
export const AGENT = 'AROAEXAMPLE000000001';
const QUEUES = 'arn:aws:sqs:us-east-1:000000000000:';
export const DEFERRED = `${QUEUES}deferred`;

const REGISTRATION = { Name: '/test/senders/agents/coder/one', Value: JSON.stringify({ senderId: AGENT }) };

/** Tables that hold nothing and take everything; `answers` replace or add to these. */
export const startIntakeAws = (answers: Answers = {}): Promise<Aws> =>
  startAws({
    GetSecretValue: () => ({ SecretString: 'digest-key' }),
    GetParametersByPath: () => ({ Parameters: [REGISTRATION] }),
    GetItem: () => ({}),
    UpdateItem: () => ({}),
    BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
    PutItem: () => ({}),
    PutObject: () => ({}),
    TransactWriteItems: () => ({}),
    StartExecution: () => ({ executionArn: 'arn:of-it', startDate: 0 }),
    ...answers,
  });

/** The environment of functions that decide, in the deployment `test`: `evaluate`, `deliberate`, `resume`, `reconcile`. */
export const intakeEnv = ({ url }: Aws): Record<string, string> => ({
  ...BASE_ENV,
  CARD_QUEUE_URL: `${url}/cards.fifo`,
  SENDERS_PATH: '/test/senders',
  SEAL_KEY: 'arn:aws:kms:us-east-1:000000000000:key/k',
  STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:m',
  DEFERRED_QUEUE_ARN: DEFERRED,
  DEFERRED_QUEUE_URL: `${url}/deferred`,
  PROPOSALS_DEAD_ARN: `${QUEUES}proposals-dead`,
  DEFERRED_DEAD_ARN: `${QUEUES}deferred-dead`,
});

export interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
}

/** The answer of SQS that takes all messages of a batch. */
export const allSent = ({ Entries }: Input) => ({
  Successful: (Entries as SentEntry[]).map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  })),
  Failed: [],
});

let proposals = 0;

/** Has `deliberate` decide one call of the agent. @returns the verdict of the claim that it writes */
export async function verdictOf(
  call: { readonly toolName: string; readonly input: Readonly<Record<string, unknown>> },
  { deliberate, aws }: { readonly deliberate: Deployed; readonly aws: Aws },
): Promise<string | undefined> {
  const raw = JSON.stringify({ kind: 'tool-call', proposalId: `p${++proposals}`, ...call });
  const body = JSON.stringify({ principal: AGENT, firstSentAt: Date.now(), messageId: 'first', rounds: 1, raw });
  const attributes = { SenderId: AGENT, SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' };
  aws.calls.length = 0;
  const { value } = await deliberate.invoke({
    Records: [{ messageId: 'm', eventSourceARN: DEFERRED, body, attributes }],
  });
  expect(value).toEqual({ batchItemFailures: [] });
  const transacted = aws.asked('TransactWriteItems').flatMap(({ TransactItems }) => TransactItems as { Put?: Input }[]);
  const puts = [...aws.asked('PutItem'), ...transacted.flatMap(({ Put }): Input[] => (Put ? [Put] : []))];
  const verdicts = puts.flatMap(({ Item }) => (Item as { verdict?: { S: string } }).verdict?.S ?? []);
  expect(verdicts).toHaveLength(1);
  return verdicts[0];
}
