/** `countersign dead`: shows messages that could not be processed, by queue and one by one. */
import type { Command } from 'commander';
import { ANSWERED_QUEUES, REDRIVEN_QUEUES } from '../../contract/redrive.ts';
import { NEWEST, type RecordedLetter, recordedLetters } from '../status/dead-letters.ts';
import { bold, CliError, type Io, throwUnread } from '../support/io.ts';
import { setting } from '../support/settings.ts';
import { jsonLine, moment, plain, table } from '../support/terminal.ts';
import { redriveInto } from './redrive.ts';

interface DeadOptions {
  readonly deployment?: string;
  readonly auditTable?: string;
  readonly json?: boolean;
}

export function addDead(program: Command, io: Io): void {
  const dead = program
    .command('dead')
    .helpCommand(false)
    .summary('show dead letters: messages that could not be processed')
    .description(
      'Dead letters: how many each queue has, which messages they were, and bringing them back. No command shows the text of a message.',
    );
  dead
    .command('list')
    .summary('list dead letters by queue, and the newest of the record')
    .description(
      `Counts the dead letters of each queue, and lists the newest ${NEWEST} that the record tells of, with the kind of the fault and the proposal ` +
        'where somebody could read it. Needs grantOperate or grantAudit.',
    )
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .option('--json', 'print one line of JSON')
    .action(async (options: DeadOptions) => {
      const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
      const auditTable = setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io);
      const { readDeadQueues } = await import('../status/read.ts');
      const unread: unknown[] = [];
      const [queues, letters] = await Promise.all([
        readDeadQueues(deployment, io.now()),
        recordedLetters(auditTable, (problem) => void unread.push(problem)),
      ]);
      if (options.json) io.out(jsonLine({ queues, letters }));
      else printDead(queues, letters, unread.length > 0, io);
      throwUnread(unread, 'entry', 'entries');
    });
  dead
    .command('show')
    .summary('show one dead letter, and what to do next')
    .description(
      'Shows the entry of the record about a message that was set aside, and the command that shows its proposal. Needs grantOperate or grantAudit.',
    )
    .argument('<message>', "the message's id, as the queue named it")
    .option('--audit-table <name>', 'default: COUNTERSIGN_AUDIT_TABLE')
    .option('--json', 'print one line of JSON')
    .action(async (message: string, options: DeadOptions) => {
      const auditTable = setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io);
      const unread: unknown[] = [];
      const letters = await recordedLetters(auditTable, (problem) => void unread.push(problem));
      const letter = letters.find(({ messageId }) => messageId === message);
      if (!letter) throwUnread(unread, 'entry', 'entries');
      if (!letter)
        throw new CliError(`none of the newest ${NEWEST} dead letters of the record is the message ${plain(message)}`);
      if (options.json) return io.out(jsonLine(letter));
      const { at, fault, about } = letter;
      io.out(`${plain(`${message} was set aside: ${fault}, at ${moment(at)}`)}\n`);
      io.out(
        about
          ? `${plain(`countersign trace ${about.proposalId} --agent ${about.agent}`)}\n`
          : `Nobody could read its sender or its proposal. Look in the logs: ${plain(`{ $.messageId = "${message}" }`)}\n`,
      );
    });
  redriveInto(
    dead.command('redrive').summary('send dead letters back to their queue; the same as `countersign redrive`'),
    io,
  );
}

type DeadQueues = Awaited<ReturnType<typeof import('../status/read.ts')['readDeadQueues']>>;

function printDead(queues: DeadQueues, letters: readonly RecordedLetter[], hasUnread: boolean, io: Io): void {
  const heads = (text: string, _: number, row: number) => (row < 0 ? bold(text, io) : text);
  const rows = queues.map(({ name, dead: count }) => [name, String(count), remedyOf(name)]);
  io.out(table(['QUEUE', 'DEAD', 'NEXT'], rows, io.columns, heads));
  if (!letters.length && hasUnread) return;
  if (!letters.length) {
    io.out('\nThe record tells of no dead letter.\n');
    return;
  }
  const found = letters.map(({ at, messageId, fault, about }) => [
    moment(at),
    messageId,
    fault,
    about?.agent ?? '',
    about?.proposalId ?? '',
  ]);
  io.out(`\n${table(['WHEN', 'MESSAGE', 'FAULT', 'AGENT', 'PROPOSAL'], found, io.columns, heads)}`);
}

/** The names of the construct, as `countersign status` shows them. */
function remedyOf(name: string): string {
  const queue = name.toLowerCase();
  if (REDRIVEN_QUEUES.some((one) => one === queue)) return `countersign dead redrive ${queue} --reason …`;
  return ANSWERED_QUEUES.some((one) => one === queue) ? 'the gate answers them by itself' : '';
}
