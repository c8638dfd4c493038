/** `countersign forget`: makes the alias of a person in the record nobody's. */
import type { Command } from 'commander';
import { LIMITS } from '../../contract/bounds.ts';
import type { SendOptions } from '../operations/operation-options.ts';
import { send, sending } from '../operations/send-operation.ts';
import { confirm } from '../support/confirm.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { moment } from '../support/terminal.ts';

interface ForgetOptions extends SendOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

export function addForget(program: Command, io: Io): void {
  const command = program
    .command('forget')
    .summary('destroy the link between a person who left and their alias in the record')
    .description(
      'Destroys the secret behind the alias of a person in the record (`record.people: aliases`), and ends delegations of and to them. Entries stay ' +
        'as they are and can be proved. Take the person out of the policy file first. Entries of before there were aliases hold the id: the result ' +
        'says how many, and until when. It cannot be taken back. Goes through the operators queue, under the credentials of a registered operator; ' +
        'everybody who approves is told, without the name.',
    )
    .argument('<person>', 'the Slack id: U012ABCDEF')
    .option('--reason <text>', 'why (required); it is in the record and in the announcement, so name nobody')
    .option('--yes', 'on a terminal: ask nothing');
  sending(command).action(async (person: string, { reason, yes, ...options }: ForgetOptions) => {
    if (!reason?.trim()) throw new CliError('say why with --reason', EXIT.usage);
    if (io.stdin().isTTY && !yes && !options.json)
      await confirm(`Make the alias of ${person} nobody's? It cannot be taken back.`, io);
    const result = await send({ kind: 'forget', person, reason }, `forget ${person}`, options, io);
    if (!result || options.json) return;
    const { stillNamed = 0, stillNamedUntil } = result;
    if (stillNamed && stillNamedUntil)
      io.out(
        `${stillNamed === LIMITS.countedEntries ? 'At least ' : ''}${stillNamed} entries hold ${person} itself, the last until ${moment(stillNamedUntil)}; ` +
          `\`countersign audit --person ${person}\` lists them. Objects of the archive hold them until somebody deletes these after their lock.\n`,
      );
    io.out(
      `Rows that the gate works with hold ${person} until their time is over: see "Whom it names" in docs/audit.md.\n`,
    );
  });
}
