/** `countersign webhooks`: events of the record are sent to a receiver again. */
import type { Command } from 'commander';
import type { SendOptions } from '../operations/operation-options.ts';
import { send } from '../operations/send-operation.ts';
import { timesOf } from '../support/audit/audit-query.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { telling } from './sessions/session-change.ts';

interface ReplayOptions extends SendOptions {
  readonly reason: string;
  readonly since: string;
  readonly until?: string;
  readonly event?: string;
}

export function addWebhooks(program: Command, io: Io): void {
  const webhooks = program
    .command('webhooks')
    .helpCommand(false)
    .summary('send events of the record to a webhook again')
    .description('Webhooks of the policy file, which are told of events.');
  const replay = webhooks
    .command('replay')
    .summary('send the events of a period again, or one by its id')
    .description(
      'Sends events of the record to one webhook again, oldest first, for a receiver that lost or missed them: at most 1,000 entries at once. ' +
        'Each has the id that it had, as `webhook-id`, so that a receiver knows what it has already. Goes through the operators queue, under ' +
        'the credentials of a registered operator; everybody who approves is told.',
    )
    .argument('<webhook>', 'its name in the policy file')
    .requiredOption('--since <time>', 'from this time on: 2026-11-01, 2026-11-01T09:00:00Z, or 30m, 24h, 7d ago')
    .option('--until <time>', 'default: now')
    .option('--event <id>', 'only the event with this id');
  telling(replay).action(async (webhook: string, { since, until, event, reason, ...options }: ReplayOptions) => {
    const times = timesOf({ since, ...(until === undefined ? {} : { until }) }, io);
    const wanted = {
      kind: 'replay',
      webhook,
      from: times.since,
      until: times.until ?? new Date(io.now()).toISOString(),
    };
    if (event !== undefined && !/^[0-9a-f]{32}$/.test(event))
      throw new CliError('--event takes the id of an event, 32 hex digits', EXIT.usage);
    const what = `send ${event === undefined ? 'the events' : `the event ${event}`} since ${wanted.from} to the webhook ${webhook} again`;
    await send({ ...wanted, ...(event === undefined ? {} : { event }), reason }, what, options, io);
  });
}
