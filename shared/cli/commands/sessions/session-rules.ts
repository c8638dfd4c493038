/**
 * Runs `countersign sessions add-rule` and `remove-rule`, for a session or for an agent.
 *
 * Such rules stand besides those of the policy file.
 */
import { type Command, Option } from 'commander';
import { LIMITS } from '../../../contract/bounds.ts';
import { send } from '../../operations/send-operation.ts';
import { CliError, EXIT, type Io } from '../../support/io.ts';
import { instantOf } from '../../support/parse-until.ts';
import { plain } from '../../support/terminal.ts';
import { type ChangeOptions, changing, scopeOf } from './session-change.ts';

interface RuleOptions extends ChangeOptions {
  readonly always?: boolean;
  readonly deny?: string;
  readonly ask?: string;
  readonly allow?: string;
  readonly until?: string;
}

export function addSessionRules(sessions: Command, io: Io): void {
  const add = sessions
    .command('add-rule')
    .summary('add a rule beside the policy file: deny, ask or allow')
    .description(
      'Adds a rule to one session, or with --always to every session of the agent. A deny rule and an ask rule of the policy file, ' +
        'and protected paths, win over an allow. An allow with --always needs an end, at most 90 days ahead. ' +
        'Nobody allows anything to an agent of their own. Goes through the operators queue; everybody who approves is told.',
    )
    .addHelpText(
      'after',
      `
Examples
  countersign sessions add-rule main --agent coder --allow 'Bash(npm test:*)' --until 8h --reason 'release day'
  countersign sessions add-rule --always --agent coder --deny 'WebFetch' --reason 'incident 42'`,
    );
  ruled(add)
    .option(
      '--until <when>',
      'ends by itself, at most 366 days ahead: a time (2026-11-21T09:30:00Z) or a duration (30m, 2h, 1d)',
    )
    .action((session: string | undefined, options: RuleOptions) => sendRule('add-rule', session, options, io));

  const remove = sessions
    .command('remove-rule')
    .summary('remove a rule that add-rule added; the policy file is not touched')
    .description(
      'Takes back a rule that add-rule added, in the same words. Goes through the operators queue; everybody who approves is told.',
    );
  ruled(remove).action((session: string | undefined, options: RuleOptions) =>
    sendRule('remove-rule', session, options, io),
  );
}

const ruled = (command: Command): Command =>
  changing(
    command
      .argument('[session]', 'which session; or --always')
      .option('--always', 'in every session of the agent')
      .addOption(new Option('--deny <rule>', 'refuse: a rule as in the policy file').conflicts(['ask', 'allow']))
      .addOption(new Option('--ask <rule>', 'ask a person: a rule as in the policy file').conflicts(['deny', 'allow']))
      .addOption(new Option('--allow <rule>', 'allow: a rule as in the policy file').conflicts(['deny', 'ask'])),
  );

async function sendRule(
  kind: 'add-rule' | 'remove-rule',
  session: string | undefined,
  { agent, reason, always, until, deny, ask, allow, ...options }: RuleOptions,
  io: Io,
): Promise<void> {
  if ((session === undefined) !== Boolean(always)) throw new CliError('name a session, or give --always', EXIT.usage);
  const effect = deny === undefined ? (ask === undefined ? 'allow' : 'ask') : 'deny';
  const pattern = deny ?? ask ?? allow;
  if (pattern === undefined) throw new CliError('give one of --deny, --ask and --allow', EXIT.usage);
  if (kind === 'add-rule') await checkRule({ effect, pattern, agent }, io);
  const rule = { kind, agent, effect, pattern, reason, ...(session === undefined ? {} : { session }) };
  const isAlways = kind === 'add-rule' && always && effect === 'allow';
  if (isAlways && until === undefined)
    throw new CliError('--allow with --always needs --until, at most 90 days ahead', EXIT.usage);
  const longestMs = isAlways ? LIMITS.laterMs : LIMITS.namedEndMs;
  const end = until === undefined ? {} : { until: instantOf('--until', until, io.now(), longestMs) };
  await send({ ...rule, ...end }, `${kind} ${effect} ${pattern} for ${agent}, ${scopeOf(session)}`, options, io);
}

/** Tells what the rule will not do; the policy file that is here is taken for the deployment's. @throws CliError for a rule that the gate refuses. */
async function checkRule(rule: { effect: 'deny' | 'ask' | 'allow'; pattern: string; agent: string }, io: Io) {
  const [{ parsePattern, RulePatternError }, { adviseOnRule }, { lineOf }, { policyNear }] = await Promise.all([
    import('../../../permissions/rules/parse.ts'),
    import('../../lint/rule-advice.ts'),
    import('../../lint/finding.ts'),
    import('../../support/settings.ts'),
  ]);
  try {
    parsePattern(rule.pattern);
  } catch (error) {
    if (!(error instanceof RulePatternError)) throw error;
    const { message, suggestion } = error;
    throw new CliError(`${rule.pattern}: ${message}${suggestion ? `; did you mean ${suggestion}?` : ''}`, EXIT.usage);
  }
  const { refused, warnings } = await adviseOnRule(rule, await policyNear(io));
  if (refused.length) throw new CliError(refused.map(lineOf).join('\n'), EXIT.usage);
  for (const finding of warnings) io.err(`countersign: warning: ${plain(lineOf(finding))}\n`);
}
