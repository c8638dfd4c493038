/**
 * Sends one operation to the operators queue, and waits for the gate's result.
 *
 * Sends it only once it names things that exist.
 */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { setting } from '../support/settings.ts';
import { jsonLine, plain } from '../support/terminal.ts';
import { checkNames } from './operation-checks.ts';
import type { SendOptions } from './operation-options.ts';
import { type OperationResult, resultOf } from './operation-result.ts';

/** Options of every command that sends an operation. */
export const sending = (command: Command): Command =>
  command
    .option('--operators-queue-url <url>', 'default: COUNTERSIGN_OPERATORS_QUEUE_URL')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE; where the result is read')
    .option('--no-wait', 'send it, and do not wait for the result')
    .option('--unchecked', 'send it even if the policy file here does not declare its names; the gate decides')
    .option('--json', 'print the operation and its result');

/** Fields of an operation without its id. */
type Wanted = Readonly<Record<string, unknown>>;

/** Resolves to the result that it printed; undefined with `--no-wait`. @throws CliError if it is no operation or names nothing, if the gate refuses it or leaves a part out, or if there is no result in time. */
export async function send(
  wanted: Wanted,
  what: string,
  options: SendOptions,
  io: Io,
): Promise<OperationResult | undefined> {
  const queueUrl = setting('COUNTERSIGN_OPERATORS_QUEUE_URL', options.operatorsQueueUrl, io);
  const waits = options.wait !== false;
  const auditTable = waits ? setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io, 'or give --no-wait') : '';
  const operation = await readOperation(wanted);
  if (!options.unchecked) await checkNames(operation, options, io);
  const [{ sendOperation }, { sqs }] = await Promise.all([
    import('../../adapters/sqs/operators-queue.ts'),
    import('../support/clients.ts'),
  ]);
  await sendOperation(await sqs(), queueUrl, operation);
  if (!waits) {
    if (options.json) io.out(jsonLine(operation));
    else io.out(`sent: ${plain(what)}\n\`countersign audit --operations\` shows what the gate made of it.\n`);
    return undefined;
  }
  const result = await resultOf(operation.operationId, auditTable, io);
  if (options.json) io.out(jsonLine({ ...operation, result }));
  if (!result.accepted) throw new CliError(await refusalOf(result));
  if (!options.json) io.out(`done: ${plain(what)} (${plain(result.code)})\n`);
  // A script that goes on would take the part that was done for the whole.
  if (result.problem !== undefined) throw new CliError(plain(result.problem));
  return result;
}

async function readOperation(wanted: Wanted): Promise<Operation> {
  const [{ operation }, { randomUUID }] = await Promise.all([
    import('../../contract/operation.ts'),
    import('node:crypto'),
  ]);
  const parsed = operation.safeParse({ operationId: randomUUID(), ...wanted }, { error: jsonWords });
  if (parsed.success && parsed.data.reason.trim() === '')
    throw new CliError('say why with --reason: it is in the record', EXIT.usage);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(`${fieldOf(issue?.path ?? [])}: ${issue?.message ?? 'is not an operation'}`, EXIT.usage);
}

/** A vote is refused in the words of a click. */
async function refusalOf({ code, problem }: OperationResult): Promise<string> {
  const { refusalWords } = await import('../../adapters/slack/cards/refusals.ts');
  const words = problem ?? refusalWords(code);
  return `refused${words === undefined ? '' : `: ${words}`} (${code})`;
}
