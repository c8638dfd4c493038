/** `countersign void-permits`: after a restore, nothing that was permitted before it may run. */
import type { Command } from 'commander';
import type { SendOptions } from '../operations/operation-options.ts';
import { send, sending } from '../operations/send-operation.ts';
import { confirm } from '../support/confirm.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';

interface VoidOptions extends SendOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

export function addVoidPermits(program: Command, io: Io): void {
  const command = program
    .command('void-permits')
    .summary('after a restore: void all permits, approvals for later and allow rules of operators')
    .description(
      'Starts a new epoch of permits: a permit that was issued before is refused as permit_revoked when it is redeemed, also one of a run that ' +
        'was requested already, and approvals for later and allow rules of operators that were given before count no more. Approvals that wait go on waiting. It cannot be ' +
        'taken back. Goes through the operators queue, under the credentials of a registered operator; everybody who approves is told.',
    )
    .option('--reason <text>', 'why (required); it is in the record and in the announcement')
    .option('--yes', 'on a terminal: ask nothing');
  sending(command).action(async ({ reason, yes, ...options }: VoidOptions) => {
    if (!reason?.trim()) throw new CliError('say why with --reason', EXIT.usage);
    if (io.stdin().isTTY && !yes && !options.json) await confirm(QUESTION, io);
    await send({ kind: 'void-permits', reason }, 'void every permit that was issued until now', options, io);
  });
}

const QUESTION =
  'Void every permit, every approval for later and every allow rule of operators that was given until now? It cannot be taken back.';
