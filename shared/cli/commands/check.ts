/** `countersign check`: what the gate would answer, by exit code for scripts and in words for people. */
import type { Command } from 'commander';
import type { AuthorizedCall } from '../offline/authorize-call.ts';
import { type CallOptions, onCall, openCall } from '../offline/one-call.ts';
import { CliError, colored, EXIT, type Io } from '../support/io.ts';
import { jsonLine, plain } from '../support/terminal.ts';

export function addCheck(program: Command, io: Io, exit: (code: number) => void): void {
  onCall(program.command('check'))
    .summary('show what the policy decides about a call')
    .description(
      'Shows what the policy file decides about a call, or about each call of a file. Nothing is sent or recorded; ' +
        'pauses, grants and sessions of a deployed gate are not known here.',
    )
    .option(
      '--batch <file>',
      'decide a call per line of a JSONL file (- for standard input), and print a line of JSON for each',
    )
    .addHelpText(
      'after',
      `
Exit codes
  0  allow     3  ask     4  deny     5  error (the gate would refuse the message, or the policy file does not load)
  2  a wrong option or argument
  With --batch: 0 when every line was decided, 5 when one of them is an error.

Lines of --batch
  {"tool":"Bash","input":{"command":"ls"},"cwd":"/srv/a","mode":"auto","id":"1"}
  Only tool and input are needed. A line may name its agent; tool may be called toolName. Every line has an answer, in order.

Fields of --json and of each answer of --batch
  verdict (allow, ask, deny, error), reason, code (the reason, or one that is more exact), stage, message, tool, agent, mode
  rule: null, or id, effect, pattern, source, file, line and column of the rule that decided
  Where they apply: cwd, effective (what would run instead), asks (the stages), onTimeout, hooks; of --batch line and id

Examples
  countersign check --tool Bash --input '{"command":"git push --force"}'
  countersign check --batch calls.jsonl | jq -r .verdict | sort | uniq -c`,
    )
    .action(async (options: CallOptions & { readonly batch?: string }) => {
      if (options.batch !== undefined) {
        if (options.tool !== undefined || options.input !== undefined) {
          throw new CliError('--batch takes its calls from a file: leave --tool and --input away', EXIT.usage);
        }
        const { checkBatch } = await import('../offline/batch.ts');
        exit(await checkBatch(options.batch, options, io));
        return;
      }
      const { authorized, summary } = await openCall(options, io);
      if (options.json) io.out(jsonLine(summary));
      else await print(authorized, io);
      exit(EXIT[authorized.verdict]);
    });
}

/** Prints the verdict for people, a line for each fact. */
async function print(authorized: AuthorizedCall, io: Io): Promise<void> {
  const { verdict, message, rule, reason, code, asks, onTimeout, hooks, cwd, effective } = authorized;
  const [{ locationText }, { linesOfAsks }] = await Promise.all([
    import('../lint/finding.ts'),
    import('../offline/approver-text.ts'),
  ]);
  const location = locationText(rule?.origin);
  io.out(`${colored(verdict, io)}  ${plain(message)}\n`);
  io.out(
    `reason  ${plain([reason, code].filter((word, index, all) => word && all.indexOf(word) === index).join(', '))}\n`,
  );
  if (cwd !== undefined) io.out(`folder  ${plain(cwd)}\n`);
  if (rule)
    io.out(
      `rule    ${plain(`${rule.effect} ${rule.pattern}`)} (${rule.id})${location ? `, ${plain(location)}` : ''}\n`,
    );
  if (effective) io.out(`runs as ${plain(JSON.stringify(effective))}\n`);
  if (hooks) io.out(`hooks   ${plain(hooks.join(', '))}: asked by the gate, and not here\n`);
  for (const line of linesOfAsks(asks, onTimeout)) io.out(`${plain(line)}\n`);
}
