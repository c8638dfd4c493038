/** `countersign redrive`: dead letters come back to the gate. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { ANSWERED_QUEUES, MAX_REDRIVEN, REDRIVEN_QUEUES, type RedrivenQueue } from '../../contract/redrive.ts';
import type { SendOptions } from '../operations/operation-options.ts';
import { send } from '../operations/send-operation.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';
import { telling } from './sessions/session-change.ts';

/** SQS hides a message while somebody moves it. */
const NONE_RECEIVED =
  'No dead letter could be received now; `countersign status` counts them, with those that are being moved.\n';

interface RedriveOptions extends SendOptions {
  readonly reason: string;
  readonly limit?: string;
}

export const addRedrive = (program: Command, io: Io): void =>
  redriveInto(program.command('redrive').summary('send dead letters back to their queue'), io);

/** Gives `command` the argument, the options and the work of bringing dead letters back. */
export function redriveInto(command: Command, io: Io): void {
  command
    .description(
      'Brings the dead letters of a queue back to the gate as they were. Safe to repeat, and to interrupt. ' +
        `The gate answers those of ${ANSWERED_QUEUES.join(', ')} by itself. Goes through the operators queue, under the credentials of a ` +
        'registered operator; everybody who approves is told.',
    )
    .addArgument(new Argument('<queue>', `whose dead letters: ${REDRIVEN_QUEUES.join(' or ')}`).argParser(queueNamed))
    .option('--limit <number>', `at most so many, from 1 to ${MAX_REDRIVEN}; default: ${MAX_REDRIVEN}`);
  telling(command).action(async (queue: RedrivenQueue, { limit: most, reason, ...options }: RedriveOptions) => {
    const limit = most === undefined ? undefined : Number(most);
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_REDRIVEN))
      throw new CliError(`--limit takes a number from 1 to ${MAX_REDRIVEN}`, EXIT.usage);
    const wanted = { kind: 'redrive', queue, ...(limit === undefined ? {} : { limit }), reason };
    const result = await send(wanted, `bring dead letters of ${queue} back`, options, io);
    if (!result) return;
    const { moved = 0, left = [] } = result;
    if (!options.json)
      io.out(moved ? `${moved} brought back; \`countersign status\` counts the rest.\n` : NONE_RECEIVED);
    if (left.length) throw new CliError(plain(`${left.length} stayed where they are: ${left.join(', ')}`));
  });
}

function queueNamed(name: string): RedrivenQueue {
  const queue = REDRIVEN_QUEUES.find((one) => one === name);
  if (queue) return queue;
  if (ANSWERED_QUEUES.some((one) => one === name))
    throw new InvalidArgumentError('The gate answers the dead letters of this queue by itself; the record has them.');
  throw new InvalidArgumentError(`Allowed choices are ${REDRIVEN_QUEUES.join(', ')}.`);
}
