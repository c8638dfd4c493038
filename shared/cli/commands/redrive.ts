/** `countersign redrive`: dead letters come back to the gate. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { ANSWERED_QUEUES, MAX_REDRIVEN, REDRIVEN_QUEUES, type RedrivenQueue } from '../../contract/redrive.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { setting } from '../support/settings.ts';
import { jsonLine } from '../support/terminal.ts';

/** SQS hides a message while somebody moves it. */
const NONE_RECEIVED =
  'No dead letter could be received now; `countersign status` counts them, with those that are being moved.\n';

interface RedriveOptions {
  readonly function?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export const addRedrive = (program: Command, io: Io): void =>
  redriveInto(program.command('redrive').summary('bring dead letters back'), io);

/** Gives `command` the argument, the options and the work of bringing dead letters back. */
export function redriveInto(command: Command, io: Io): void {
  command
    .description(
      'Brings the dead letters of a queue back to the gate as they were. Safe to repeat, and to interrupt. ' +
        `The gate answers those of ${ANSWERED_QUEUES.join(', ')} by itself.`,
    )
    .addArgument(new Argument('<queue>', `whose dead letters: ${REDRIVEN_QUEUES.join(' or ')}`).argParser(queueNamed))
    .option('--function <name>', 'of the stack; default: COUNTERSIGN_REDRIVE_FUNCTION')
    .option('--limit <number>', 'at most so many, from 1', '1000')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Credentials
  An operator's: the right to invoke the function comes with gate.grantOperate.`,
    )
    .action(async (queue: RedrivenQueue, options: RedriveOptions) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1) throw new CliError('--limit takes a number from 1', EXIT.usage);
      const name = setting('COUNTERSIGN_REDRIVE_FUNCTION', options.function, io);
      const { lambdaRedrive } = await import('../../adapters/lambda/redrive.ts');
      const redrive = lambdaRedrive(name);
      const left = new Set<string>();
      let moved = 0;
      while (moved < limit) {
        const round = await redrive({ queue, limit: Math.min(MAX_REDRIVEN, limit - moved) });
        moved += round.moved;
        for (const id of round.left) left.add(id);
        if (!round.moved) break;
        if (!options.json) io.out(`${moved} brought back …\n`);
      }
      if (options.json) io.out(jsonLine({ queue, moved, left: [...left] }));
      else io.out(moved ? `${moved} brought back.\n` : NONE_RECEIVED);
      if (left.size) throw new CliError(`${left.size} stayed where they are: ${[...left].join(', ')}`);
    });
}

function queueNamed(name: string): RedrivenQueue {
  const queue = REDRIVEN_QUEUES.find((one) => one === name);
  if (queue) return queue;
  if (ANSWERED_QUEUES.some((one) => one === name))
    throw new InvalidArgumentError('The gate answers the dead letters of this queue by itself; the record has them.');
  throw new InvalidArgumentError(`Allowed choices are ${REDRIVEN_QUEUES.join(', ')}.`);
}
