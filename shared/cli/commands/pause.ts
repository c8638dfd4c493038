/** `countersign pause`: the emergency brake. */
import type { Command } from 'commander';
import type { SendOptions } from '../operations/operation-options.ts';
import { send, sending } from '../operations/send-operation.ts';
import { CliError, EXIT, type Io } from '../support/io.ts';
import { instantOf } from '../support/parse-until.ts';

interface PauseOptions extends SendOptions {
  readonly all?: boolean;
  readonly agent?: string;
  readonly tool?: string;
  readonly deny?: boolean;
  readonly ask?: boolean;
  readonly lift?: boolean;
  readonly until?: string;
  readonly reason?: string;
}

export function addPause(program: Command, io: Io): void {
  const pause = program
    .command('pause')
    .summary('stop everything, one agent or one tool: the emergency brake')
    .description(
      'Stops what may run, at once and without a deployment: --deny refuses, --ask asks a person, --lift ends it. ' +
        'Goes through the operators queue, under the credentials of a registered operator; everybody who approves is told.',
    )
    .option('--all', 'everything')
    .option('--agent <name>', 'one agent')
    .option('--tool <name>', 'one tool')
    .option('--deny', 'refuse')
    .option('--ask', 'ask a person')
    .option('--lift', 'end the pause of the same scope')
    .option(
      '--until <time>',
      'ends by itself, at most 366 days ahead: a time (2026-11-21T09:30:00Z) or a duration (30m, 2h, 1d)',
    )
    .option('--reason <text>', 'why (required); it is in the record and in the announcement')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE; to look whether a pause is there to lift');
  sending(pause).action(async (options: PauseOptions) => {
    const { all, agent, tool, until, reason } = options;
    const [scope, effect] = checked(options);
    const end = until === undefined ? undefined : instantOf('--until', until, io.now());
    const whom = all ? 'everything' : agent === undefined ? `the tool ${tool}` : `the agent ${agent}`;
    const what = `${effect} ${whom}${end === undefined ? '' : ` until ${end}`}`;
    await send(
      { kind: 'pause', scope, effect, reason, ...(end === undefined ? {} : { until: end }) },
      what,
      options,
      io,
    );
  });
}

/** @throws CliError with every problem: an operator who pulls the brake is in a hurry */
function checked(options: PauseOptions) {
  const { all, agent, tool, deny, ask, lift, until, reason } = options;
  const problems: string[] = [];
  const [scope, secondScope] = [
    all ? { all } : [],
    agent === undefined ? [] : { agent },
    tool === undefined ? [] : { tool },
  ].flat();
  const [effect, secondEffect] = [deny ? 'deny' : [], ask ? 'ask' : [], lift ? 'lift' : []].flat();
  if (scope === undefined || secondScope) problems.push('give one of --all, --agent and --tool');
  if (effect === undefined || secondEffect) problems.push('give one of --deny, --ask and --lift');
  if (lift && until !== undefined) problems.push('--lift ends the pause now: leave --until away');
  if (!reason?.trim()) problems.push('say why with --reason');
  if (problems.length) throw new CliError(problems.join('\n'), EXIT.usage);
  return [scope, effect] as const;
}
