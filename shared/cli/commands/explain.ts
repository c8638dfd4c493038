/**
 * Runs `countersign explain`: every stage that a call went through.
 *
 * The run is the one that `check` answers with.
 */
import type { Command } from 'commander';
import { type CallOptions, onCall, openCall } from '../offline/one-call.ts';
import { bold, colored, EXIT, type Io } from '../support/io.ts';
import { jsonLine, plain, table } from '../support/terminal.ts';

const VERDICT = 2;

export function addExplain(program: Command, io: Io, exit: (code: number) => void): void {
  onCall(program.command('explain'))
    .summary('show how the policy decides about a call, stage by stage')
    .description(
      'Shows each stage that a call goes through: what it looked at, what it said and why. Exits like check. ' +
        'Nothing is sent and nothing is recorded; pauses, grants and sessions of a deployed gate are not known here.',
    )
    .action(async (options: CallOptions) => {
      const { authorized, summary } = await openCall(options, io);
      const [{ locationText }, { linesOfAsks }] = await Promise.all([
        import('../lint/finding.ts'),
        import('../offline/approver-text.ts'),
      ]);
      const stages = authorized.trace.map(({ stage, looked, verdict, why, rule }) => ({
        stage,
        looked,
        verdict,
        why,
        rule: rule ? [rule.pattern, locationText(rule.origin)].filter(Boolean).join(' at ') : null,
      }));
      if (options.json) io.out(jsonLine({ ...summary, stages }));
      else {
        const headings = ['STAGE', 'LOOKED AT', 'VERDICT', 'WHY', 'RULE'];
        const rows = stages.map(({ stage, looked, verdict, why, rule }) => [stage, looked, verdict, why, rule ?? '']);
        const { agent, mode, toolName, cwd, verdict, message } = authorized;
        const folder = cwd === undefined ? '' : `in the folder ${plain(cwd)}\n`;
        io.out(`${plain(toolName)} by ${plain(agent)} in mode ${mode}\n${folder}\n`);
        io.out(
          table(headings, rows, io.columns, (text, column, row) =>
            row < 0 ? bold(text, io) : column === VERDICT ? colored(text, io) : text,
          ),
        );
        io.out(`\n${colored(verdict, io)}  ${plain(message)}\n`);
        for (const line of linesOfAsks(authorized.asks, authorized.onTimeout)) io.out(`${plain(line)}\n`);
      }
      exit(EXIT[authorized.verdict]);
    });
}
