/** `countersign status`: what holds now beside the policy file, and what is late, dead or in alarm. */
import type { Command } from 'commander';
import { namesOfIds } from '../../domain/people-ids.ts';
import { functionsText } from '../status/functions-text.ts';
import type { QueueState, SessionState, Status } from '../status/read.ts';
import { unreadText } from '../status/unread.ts';
import { withTimes } from '../status/with-times.ts';
import { type Names, namesNear } from '../support/call-names.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { policyNear, setting, undeclaredAgents, warnOf } from '../support/settings.ts';
import { duration, jsonLine, moment, plain, table } from '../support/terminal.ts';

interface StatusCommandOptions {
  readonly agent?: readonly string[];
  readonly deployment?: string;
  readonly stateTable?: string;
  readonly json?: boolean;
}

export function addStatus(program: Command, io: Io): void {
  program
    .command('status')
    .summary('show what holds now: pauses, delegations, sessions, queues, alarms, versions')
    .description(
      'Shows the pauses and delegations that hold, modes and rules of sessions beside the policy file, how full and late each queue is, ' +
        'the alarms, and the versions of package and policy that run. Needs the right to read them (grantOperate or grantAudit). A part that cannot be read exits with 1, after the others.',
    )
    .option('--agent <name...>', 'whose sessions (default: COUNTERSIGN_AGENT, else every agent of countersign.yaml)')
    .option('--deployment <name>', 'default: COUNTERSIGN_DEPLOYMENT')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--json', 'print one line of JSON')
    .action(async (options: StatusCommandOptions) => {
      const deployment = setting('COUNTERSIGN_DEPLOYMENT', options.deployment, io);
      const stateTable = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
      const agents = await agentsOf(options, io);
      const { readStatus } = await import('../status/read.ts');
      const status = await readStatus({ deployment, stateTable, agents, now: io.now() });
      io.out(options.json ? jsonLine(withTimes(status)) : textOf(status, agents, await namesNear(io), io));
      warnOf(await undeclaredAgents(agents, io), io);
      const { unread } = status;
      if (unread.length) throw new CliError(unreadText(unread));
    });
}

async function agentsOf({ agent }: StatusCommandOptions, io: Io): Promise<readonly string[]> {
  const named = agent ?? (io.env['COUNTERSIGN_AGENT'] ? [io.env['COUNTERSIGN_AGENT']] : undefined);
  return named ?? Object.keys((await policyNear(io))?.settings.agents ?? {});
}

function textOf(status: Status, agents: readonly string[], { person: nameOf }: Names, io: Io): string {
  const { control, delegations, sessions, queues, alarms, versions } = status;
  const parts = [
    control && pausesText(control, io),
    delegations &&
      section('Delegations', 'Nobody votes in the place of another, besides what the policy file says.', io, [
        ['PERSON', 'VOTES FOR THEM', 'FROM', 'UNTIL', 'BY'],
        ...delegations.map(({ person, to, from, until, by }) => [
          nameOf(person.user),
          nameOf(to.user),
          from === undefined ? '' : moment(from),
          moment(until),
          namesOfIds(by, nameOf),
        ]),
      ]),
    sessions && sessionsText(sessions, agents, io),
    queues && queuesText(queues, io),
    alarms &&
      section('Alarms', 'None.', io, [
        ['ALARM', 'SINCE', 'WHAT IT MEANS'],
        ...alarms.map(({ name, since, description }) => [name, since === undefined ? '' : moment(since), description]),
      ]),
    versions && versionsText(versions, io),
  ];
  return parts.filter((part) => part !== undefined).join('\n');
}

function section(
  title: string,
  none: string,
  io: Io,
  [headings = [], ...rows]: readonly (readonly string[])[],
): string {
  const head = `${bold(title, io)}\n`;
  if (!rows.length) return `${head}${none}\n`;
  return `${head}${table(headings, rows, io.columns, (text, _, line) => (line < 0 ? bold(text, io) : text))}`;
}

function pausesText({ pauses, permitEpoch, voidedAt }: NonNullable<Status['control']>, io: Io): string {
  const rows = pauses.map(({ scope, effect, since, until, by, reason }) => [
    'all' in scope ? 'everything' : 'agent' in scope ? `agent ${scope.agent}` : `tool ${scope.tool}`,
    effect,
    since === undefined ? 'not known' : moment(new Date(since).toISOString()),
    until === undefined ? 'it is lifted' : moment(new Date(until).toISOString()),
    by,
    reason,
  ]);
  const text = section('Pauses', 'Nothing is paused.', io, [
    ['WHAT', 'EFFECT', 'SINCE', 'UNTIL', 'BY', 'REASON'],
    ...rows,
  ]);
  if (permitEpoch === 0) return text;
  const since = moment(new Date(voidedAt ?? permitEpoch * 1000).toISOString());
  return `${text}Permits, approvals for later and allow rules of operators that were given before ${since} are void.\n`;
}

function sessionsText(sessions: readonly SessionState[], agents: readonly string[], io: Io): string {
  const none = agents.length
    ? 'No mode and no rule holds beside the policy file.'
    : 'Whose is not known: name agents with --agent, or run this beside countersign.yaml.';
  const rows = sessions.flatMap(({ agent, session = 'every session', mode, rules }) => [
    ...(mode ? [[agent, session, `mode ${mode}`, '', 'it is changed']] : []),
    ...rules.map(({ effect, pattern, by, expiresAt }) => [
      agent,
      session,
      `${effect} ${pattern}`,
      by,
      expiresAt === undefined ? 'it is removed' : moment(expiresAt),
    ]),
  ]);
  return section('Sessions', none, io, [['AGENT', 'SESSION', 'WHAT HOLDS', 'BY', 'UNTIL'], ...rows]);
}

/** A line for each package and policy that run together: one, unless a deployment is under way or has failed. */
function versionsText(versions: NonNullable<Status['versions']>, io: Io): string {
  const groups = Object.entries(
    Object.groupBy(versions, ({ version, policyVersion }) => `${version} ${policyVersion}`),
  ).map(([, all = []]) => [
    all[0]?.version ?? '',
    all[0]?.policyVersion.slice(0, POLICY_DIGITS) ?? '',
    functionsText(all, versions.length),
  ]);
  return section('Versions', 'Not known.', io, [['PACKAGE', 'POLICY', 'FUNCTIONS'], ...groups]);
}

const POLICY_DIGITS = 12;

function queuesText(queues: readonly QueueState[], io: Io): string {
  const rows = queues.map(({ name, visible, inFlight, delayed, dead, oldestSeconds }) => [
    plain(name.toLowerCase()),
    String(visible),
    String(inFlight),
    String(delayed),
    oldestSeconds !== undefined ? duration(oldestSeconds * 1000) : visible + inFlight > 0 ? 'not known' : '',
    String(dead),
  ]);
  return section('Queues', 'There are none.', io, [
    ['QUEUE', 'WAITING', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'DEAD LETTERS'],
    ...rows,
  ]);
}
