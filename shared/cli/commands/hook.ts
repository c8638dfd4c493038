/** Answers one hook of Claude Code or Codex: `countersign hook`. */
import { Argument, type Command } from 'commander';
import type { CountersignClient } from '../../client/client.ts';
import type { HookAnswer } from '../../client/hooks/answer-hook.ts';
import { HOOK_PROGRAMS, type HookProgram } from '../../client/hooks/programs.ts';
import type { Duration } from '../../domain/duration.ts';
import { EXIT, type Io } from '../support/io.ts';
import { readInput } from '../support/read-input.ts';
import { onStop } from '../support/stop-signal.ts';
import { plain } from '../support/terminal.ts';

/** A program hands over its call at once. */
const INPUT_TIMEOUT_MS = 30_000;
/** So long the withdrawal of a call may take before the process ends. */
const GRACE_MS = 3_000;
/** Programs block the call at this exit code, and take the words on standard error for the reason. */
const BLOCKED = EXIT.usage;

export function addHook(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('hook')
    .summary('answer a hook of Claude Code or Codex with the decision')
    .description(
      "Reads the JSON of one PreToolUse or PermissionRequest hook on standard input, proposes the call, waits, and prints the answer for the program. Settings and credentials are those of an agent (the stack's output AgentEnvironment). A call that nobody decided is withdrawn and blocked: exit code 2, with the reason on standard error.",
    )
    .addArgument(new Argument('[program]', 'whose hook it is').choices(HOOK_PROGRAMS).default('claude'))
    .option('--timeout <time>', 'how long to wait, as in 10m; less than the time-out of the hook (default: 1435m)')
    .action(async (hooked: HookProgram, { timeout }: { readonly timeout?: string }) => {
      exit(BLOCKED);
      const { output, failure } = await answered(hooked, timeout, io);
      if (failure !== undefined) io.err(`${plain(failure)}\n`);
      else {
        io.out(`${JSON.stringify(output)}\n`);
        exit(EXIT.ok);
      }
    });
}

async function answered(program: HookProgram, timeout: string | undefined, io: Io): Promise<HookAnswer> {
  const [{ answerHook, undecided }, { CountersignClient }, { settingsOf }, { MAX_HOOK_BYTES }] = await Promise.all([
    import('../../client/hooks/answer-hook.ts'),
    import('../../client/client.ts'),
    import('../../client/calls/options.ts'),
    import('../../client/hooks/input.ts'),
  ]);
  const stopping = onStop(BLOCKED, GRACE_MS);
  let client: CountersignClient | undefined;
  try {
    const deadline = AbortSignal.any([stopping.signal, AbortSignal.timeout(INPUT_TIMEOUT_MS)]);
    const raw = await readInput(io.stdin(), MAX_HOOK_BYTES, deadline);
    const made = () => (client = new CountersignClient(settingsOf(io.env)));
    return await answerHook(raw, { client: made, program, signal: stopping.signal, timeout: timeout as Duration });
  } catch (error) {
    return undecided('', error);
  } finally {
    stopping.end();
    await client?.[Symbol.asyncDispose]();
  }
}
