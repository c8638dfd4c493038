/** `countersign doctor`: whether a deployment has what it needs, and the command that mends it. */
import { type Command, Option } from 'commander';
import type { CHECKS } from '../doctor/checks.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { nextStep, OUTPUTS, refusalOf } from '../support/reason-of.ts';
import { jsonLine, plain, table } from '../support/terminal.ts';

/** Loaded with their clients only when the command runs. */
const NAMES = [
  'settings',
  'access',
  'queues',
  'alarms',
  'versions',
  'slack',
  'requests',
  'canary',
] as const satisfies readonly (keyof typeof CHECKS)[];

interface DoctorOptions {
  readonly only?: readonly (typeof NAMES)[number][];
  readonly json?: boolean;
}

export const addDoctor = (program: Command, io: Io): Command =>
  program
    .command('doctor')
    .summary('check that the deployment has what it needs, and decides as it must')
    .description(
      'Checks settings, rights on tables, the clock, queues and dead letters, alarms with nobody to tell, versions by function and of the policy ' +
        'file here, Slack and its requests, and runs the canary: a call that is allowed, one that is denied, and a question that is withdrawn; nobody is asked. Says for each ' +
        'what is wrong and the command that mends it. Needs grantOperate. Exits with 1 if anything is wrong; a warning is no failure.',
    )
    .addOption(
      new Option('--only <check...>', 'only these; `canary` alone is the test after a deployment').choices(NAMES),
    )
    .option('--json', 'print a line of JSON for each finding')
    .action(async ({ only, json }: DoctorOptions) => {
      const [{ CHECKS }, { wrong }, { stated }] = await Promise.all([
        import('../doctor/checks.ts'),
        import('../doctor/finding.ts'),
        import('../doctor/stated-settings.ts'),
      ]);
      const otherwise = stated('deployment', io) === undefined ? OUTPUTS : 'docs/operate.md';
      const findings: DoctorFinding[] = [];
      for (const name of NAMES.filter((one) => !only || only.includes(one)))
        findings.push(
          ...(await CHECKS[name](io).catch((error: unknown): readonly DoctorFinding[] => [
            wrong(name, `cannot be checked: ${refusalOf(error)}`, nextStep(error) ?? otherwise),
          ])),
        );
      io.out(json ? findings.map(jsonLine).join('') : textOf(findings, io));
      // Asked for by name, a canary or an endpoint that could not be tried is no yes.
      const isTried = (check: string) => check === 'canary' || check === 'requests';
      const failed = findings.filter(
        ({ health, check }) => health === 'wrong' || (health === 'skipped' && isTried(check) && only !== undefined),
      );
      if (failed.length)
        throw new CliError(
          `${failed.length} of ${findings.length} checks failed: ${failed.map(({ check }) => check).join(', ')}`,
        );
    });

function textOf(findings: readonly DoctorFinding[], io: Io): string {
  const rows = findings.map(({ check, health, found, mend = '' }) => [check, health, plain(found), mend]);
  const heads = (text: string, _: number, line: number) => (line < 0 ? bold(text, io) : text);
  return table(['CHECK', 'HEALTH', 'FOUND', 'MEND'], rows, io.columns, heads);
}
