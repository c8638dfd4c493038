/** One operation, checked and sent to the operators queue; what comes of it is in the record. */
import type { Operation } from '../contract/operation.ts';
import { fieldOf, jsonWords } from '../domain/issue-words.ts';
import { CliError, EXIT, type Io } from './io.ts';
import { setting } from './settings.ts';
import { jsonLine, plain } from './terminal.ts';

export interface SendOptions {
  readonly operatorsQueueUrl?: string;
  readonly json?: boolean;
}

/** Fields of an operation without its id. */
type Wanted = Readonly<Record<string, unknown>>;

export async function send(wanted: Wanted, what: string, options: SendOptions, io: Io): Promise<void> {
  const queueUrl = setting('COUNTERSIGN_OPERATORS_QUEUE_URL', options.operatorsQueueUrl, io);
  const [{ operation }, { sendOperation }, { sqs }, { randomUUID }] = await Promise.all([
    import('../contract/operation.ts'),
    import('../adapters/sqs/operators-queue.ts'),
    import('./clients.ts'),
    import('node:crypto'),
  ]);
  const parsed = operation.safeParse({ operationId: randomUUID(), ...wanted }, { error: jsonWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(`${fieldOf(issue?.path ?? [])}: ${issue?.message ?? 'is not an operation'}`, EXIT.usage);
  }
  const sent: Operation = parsed.data;
  await sendOperation(await sqs(), queueUrl, sent);
  if (options.json) io.out(jsonLine(sent));
  else io.out(`sent: ${plain(what)}\n\`countersign audit --operations\` shows what the gate made of it.\n`);
}
