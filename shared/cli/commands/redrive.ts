/** `countersign redrive`: what could not be worked comes back (A12). */
import { Argument, type Command } from 'commander';
import { CliError, EXIT, type Io } from '../io.ts';
import { setting } from '../settings.ts';
import { jsonLine } from '../terminal.ts';

interface RedriveOptions {
  readonly queueUrl?: string;
  readonly deferredQueueUrl?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export function addRedrive(program: Command, io: Io): void {
  program
    .command('redrive')
    .summary('bring dead letters back')
    .description(
      'Brings the dead letters of a queue back through the deferred queue, with who sent them and when (A12). Safe to repeat. ' +
        'A proposal past its time is answered as expired.',
    )
    .addArgument(new Argument('<queue>', 'whose dead letters').choices(['proposals', 'deferred']))
    .option('--queue-url <url>', 'of proposals; default: COUNTERSIGN_QUEUE_URL')
    .option('--deferred-queue-url <url>', 'default: COUNTERSIGN_DEFERRED_QUEUE_URL')
    .option('--limit <number>', 'at most so many, from 1', '1000')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Credentials
  Whoever may send to the deferred queue may say who sent a message, so no role of the gate's users may. Run this under an
  administrator's credentials: sqs:SendMessage on the deferred queue, sqs:GetQueueAttributes on the queue, and
  sqs:GetQueueUrl, sqs:ReceiveMessage, sqs:DeleteMessage on its dead-letter queue.

Not for operators' messages: they would come back under your name. Send the operation again.`,
    )
    .action(async (queue: 'proposals' | 'deferred', options: RedriveOptions) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1) throw new CliError('--limit takes a number from 1', EXIT.usage);
      const targetUrl = setting('COUNTERSIGN_DEFERRED_QUEUE_URL', options.deferredQueueUrl, io);
      const queueUrl = queue === 'deferred' ? targetUrl : setting('COUNTERSIGN_QUEUE_URL', options.queueUrl, io);
      const [{ asDeferred, redrive }, { sqs }] = await Promise.all([
        import('../../adapters/sqs/dead-letters.ts'),
        import('../clients.ts'),
      ]);
      // A deferred message already carries the envelope.
      const bodyOf = queue === 'deferred' ? ({ Body: body }: { Body?: string | undefined }) => body : asDeferred;
      const { moved, left } = await redrive(await sqs(), { queueUrl, targetUrl, bodyOf, limit });
      if (options.json) io.out(jsonLine({ queue, moved, left }));
      else io.out(moved ? `${moved} brought back.\n` : 'No dead letter was found.\n');
      if (left.length) throw new CliError(`${left.length} stayed where they are: ${left.join(', ')}`);
    });
}
