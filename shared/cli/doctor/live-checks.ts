/** Checks that a deployment works: whether Slack can be reached, and what the canary is told. */
import { STACK_SETTINGS } from '../../domain/aws/stack-settings.ts';
import { ownValue } from '../../domain/own.ts';
import type { Io } from '../support/io.ts';
import { OUTPUTS } from '../support/reason-of.ts';
import { type DoctorFinding, ok, skipped, warning, wrong } from './finding.ts';
import { deploymentOf, stated } from './stated-settings.ts';

/** As the canary's last questions and the cards of a day found it; the token itself is for the gate alone. */
export async function checkSlack(io: Io): Promise<DoctorFinding[]> {
  const [{ slackFigures }, { cloudWatch }] = await Promise.all([
    import('../../adapters/cloudwatch/slack-figures.ts'),
    import('../support/clients.ts'),
  ]);
  const { isReached: reached, blocked } = await slackFigures(await cloudWatch(), deploymentOf(io), io.now());
  const problems = blocked.map((problem) =>
    wrong('slack', ownValue(SLACK_WORDS, problem) ?? problem, 'docs/runbook.md#cards-blocked'),
  );
  if (problems.length) return problems;
  if (reached === undefined)
    return [
      skipped(
        'slack',
        'the canary has asked Slack nothing within an hour',
        'countersign doctor --only canary, then again in five minutes',
      ),
    ];
  return [
    reached
      ? ok('slack', 'Slack takes the token with its scopes')
      : wrong('slack', 'Slack did not answer the canary, or refused it', 'docs/runbook.md#cards-blocked'),
  ];
}

const SLACK_WORDS: Readonly<Record<string, string>> = {
  channel_gone:
    'a channel of approvers is deleted, archived, hidden from the app, or of another workspace than its token',
  other_workspace:
    'the bot token is of a workspace of which the policy file names no person and no channel: install the app in the workspace of the approvers, and put that token into the secret (output SlackSecretArn)',
  not_in_channel: 'the app is not in a channel of approvers: /invite it there',
  token_refused: 'Slack refuses the bot token, or the secret lacks it: put it there (output SlackSecretArn)',
  missing_scope: 'the app lacks a scope: install it again with those of docs/deploy.md',
};

export async function checkCanary(io: Io): Promise<DoctorFinding[]> {
  const name = stated('canaryFunction', io);
  const { variable, output } = STACK_SETTINGS.canaryFunction;
  if (!name) return [skipped('canary', `${variable} is not set (output ${output})`, OUTPUTS)];
  const [{ invokeCanary }, { lambda }] = await Promise.all([
    import('../../adapters/lambda/canary.ts'),
    import('../support/clients.ts'),
  ]);
  const answer = await invokeCanary(await lambda(), name).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'AccessDeniedException') return undefined;
    throw error;
  });
  if (!answer)
    return [skipped('canary', 'this role may not run it', 'run it with the role of an operator (OperatorRole…Arn)')];
  const { passed, checks } = answer;
  const told = checks.map(({ expected, result, got, ms }) => `${expected}: ${result} (${got}, ${ms} ms)`).join('; ');
  if (checks.some(({ result }) => result === 'wrong'))
    return [
      wrong(
        'canary',
        `THE GATE ALLOWS WHAT IT MUST NOT: ${told}`,
        "countersign pause --all --deny --reason 'wrong verdict'",
      ),
    ];
  if (!passed)
    return [wrong('canary', `the gate does not decide: ${told}`, 'docs/runbook.md#canary-without-an-answer')];
  return [
    checks.every(({ result }) => result === 'right')
      ? ok('canary', told)
      : warning('canary', `stricter than its rules: ${told}`, 'countersign status: a pause, or a rule for every tool?'),
  ];
}
