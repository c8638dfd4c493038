/**
 * Runs `countersign delegate`: somebody votes instead of a person who is away.
 *
 * People do it for themselves in Slack.
 */
import type { Command } from 'commander';
import { LIMITS } from '../../contract/bounds.ts';
import { namesOfIds } from '../../domain/people-ids.ts';
import type { SendOptions } from '../operations/operation-options.ts';
import { send } from '../operations/send-operation.ts';
import { bold, type Io } from '../support/io.ts';
import { instantOf } from '../support/parse-until.ts';
import { setting } from '../support/settings.ts';
import { jsonLine, moment, table } from '../support/terminal.ts';
import { telling } from './sessions/session-change.ts';

interface AddOptions extends SendOptions {
  readonly reason: string;
  readonly until: string;
  readonly from?: string;
}

export function addDelegate(program: Command, io: Io): void {
  const delegate = program
    .command('delegate')
    .helpCommand(false)
    .summary('let somebody vote in the place of a person who is away')
    .description(
      "Besides the policy file's delegations. Until its end one person votes in another's place; one of a person holds at a time. " +
        'For oneself: /countersign delegate in Slack.',
    );
  addAdd(delegate, io);
  addRemove(delegate, io);
  addList(delegate, io);
}

function addAdd(delegate: Command, io: Io): void {
  const add = delegate
    .command('add')
    .summary('add a delegation, for at most 90 days; nobody delegates to themselves')
    .argument('<person>', 'whose place; a name of the policy file')
    .argument('<to>', 'who takes it')
    .requiredOption('--until <when>', 'a time (2026-12-01T09:30:00Z), a date or a duration (2h, 3d)')
    .option('--from <when>', 'default: now');
  telling(add).action(async (person: string, to: string, { until, from, reason, ...options }: AddOptions) => {
    const ahead = (option: string, text: string) => instantOf(option, text, io.now(), LIMITS.laterMs);
    const start = from === undefined ? {} : { from: ahead('--from', from) };
    const wanted = { kind: 'delegate', person, to, ...start, until: ahead('--until', until), reason };
    await send(wanted, `${to} votes in the place of ${person} until ${wanted.until}`, options, io);
  });
}

function addRemove(delegate: Command, io: Io): void {
  const remove = delegate
    .command('remove')
    .summary('end the delegation of a person; the policy file is not touched')
    .argument('<person>', 'whose place; a name of the policy file');
  telling(remove).action(async (person: string, { reason, ...options }: SendOptions & { readonly reason: string }) => {
    await send({ kind: 'undelegate', person, reason }, `nobody votes in the place of ${person}`, options, io);
  });
}

function addList(delegate: Command, io: Io): void {
  delegate
    .command('list')
    .summary('list the delegations that hold now, or will')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--json', 'print a line of JSON for each')
    .action(async (options: { stateTable?: string; json?: boolean }) => {
      const state = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
      const [{ dynamoDelegationStore }, { dynamo }] = await Promise.all([
        import('../../adapters/dynamodb/approvals/delegation-store.ts'),
        import('../support/clients.ts'),
      ]);
      const { delegations } = await dynamoDelegationStore(await dynamo(), { state }).read();
      const now = io.now();
      const holding = delegations.filter(({ until }) => now < Date.parse(until));
      if (options.json) {
        for (const one of holding) io.out(jsonLine(one));
        return;
      }
      if (!holding.length) return io.out("Nobody votes in another's place, besides what the policy file says.\n");
      const { namesNear } = await import('../support/call-names.ts');
      const { person: nameOf } = await namesNear(io);
      const cells = holding.map(({ person, to, from, until, by }) => [
        nameOf(person.user),
        nameOf(to.user),
        from === undefined ? '' : moment(from),
        moment(until),
        namesOfIds(by, nameOf),
      ]);
      const headings = ['PERSON', 'VOTES FOR THEM', 'FROM', 'UNTIL', 'SAID BY'];
      io.out(table(headings, cells, io.columns, (text, _, line) => (line < 0 ? bold(text, io) : text)));
    });
}
