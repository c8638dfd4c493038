/** `countersign support`: a bundle for somebody who helps, without content. */
import type { Command } from 'commander';
import { timesOf } from '../support/audit/audit-query.ts';
import { CliError, type Io } from '../support/io.ts';
import { stepAfter, unreadLines } from '../support/reason-of.ts';
import { setting } from '../support/settings.ts';

interface SupportOptions {
  readonly since: string;
  readonly deployment?: string;
  readonly stateTable?: string;
  readonly auditTable?: string;
}

export const addSupport = (program: Command, io: Io): Command =>
  program
    .command('support')
    .summary('print versions, alarms and figures for somebody who helps, without any call')
    .description(
      'Prints JSON: versions by function, states of alarms, figures of queues, pauses without names, ids and kinds of dead letters, faults of the logs in groups, totals of metrics. ' +
        'No call, input, reason, secret or id of a person is in it; the field `holds` lists what is. Needs grantOperate or grantAudit. A part that cannot be ' +
        'read exits with 1, after the others.',
    )
    .option('--since <time>', 'how far back figures, faults and dead letters go: 2h, 7d or an instant', '2h')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .addHelpText('after', '\nExample\n  countersign support --since 6h > bundle.json')
    .action(async ({ since, ...options }: SupportOptions) => {
      const now = io.now();
      const { readBundle } = await import('../status/bundle.ts');
      const bundle = await readBundle({
        deployment: setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io),
        stateTable: setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io),
        auditTable: setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io),
        since: Date.parse(timesOf({ since }, io).since ?? ''),
        now,
      });
      io.out(`${JSON.stringify(bundle, null, 2)}\n`);
      if (bundle.unread.length)
        throw new CliError(
          unreadLines(
            bundle.unread.map(({ part, error }) => `${part} cannot be read: ${error}`),
            bundle.unread.map(({ error }) => stepAfter(error)),
          ),
        );
    });
