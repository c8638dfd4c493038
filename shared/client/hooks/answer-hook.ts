/** Answers one hook: proposes the call, waits, and never ends without a decision. */
import { randomUUID } from 'node:crypto';
import type { Duration } from '../../domain/duration.ts';
import { isCountersignError } from '../../domain/errors.ts';
import type { CountersignClient } from '../client.ts';
import { denied, type HookOutput, outputOf } from './answers.ts';
import { eventNear, readHook } from './input.ts';
import { HOOK_WAIT_MS, type HookProgram } from './programs.ts';

/** How a hook is answered. */
export interface HookSettings {
  /** Made once the input was read: settings that are missing end in a refusal as well. */
  readonly client: () => Pick<CountersignClient, 'guard'>;
  readonly program: HookProgram;
  /** Ends the wait and withdraws the call: nobody should approve what no longer runs. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the wait. Default: shortly before a program ends a hook that may run for a day. */
  readonly timeout?: Duration | undefined;
}

/** The answer, and why nobody decided it: the call is refused then, too. */
export interface HookAnswer {
  readonly output: HookOutput;
  readonly failure?: string;
}

/** Never rejects. A hook that runs again for the same call meets the same approval. */
export async function answerHook(raw: string, { client, program, ...options }: HookSettings): Promise<HookAnswer> {
  const { signal, timeout = HOOK_WAIT_MS } = options;
  try {
    const { event, session, callId = randomUUID(), cwd, tool, input } = readHook(raw);
    const guard = client().guard({ run: session, sessionId: session });
    const decision = await guard.decide({ callId, cwd, tool, input }, { signal, timeout });
    return { output: outputOf(decision, event, program) };
  } catch (error) {
    return undecided(raw, error);
  }
}

/** The refusal of a call that nobody decided. */
export function undecided(raw: string, error: unknown): HookAnswer {
  const failure = `Countersign has not decided this call, so it does not run: ${reasonOf(error)}`;
  return { output: denied(eventNear(raw), failure), failure };
}

const MAX_REASON = 300;

/** The model reads it: names of accounts and roles are none of its business. */
function reasonOf(error: unknown): string {
  if (isCountersignError(error)) return error.message;
  if (!(error instanceof Error)) return 'the hook was stopped';
  const words = error.message
    .replace(/arn:[^\s"']*/g, 'arn:…')
    .replace(/\b\d{12}\b/g, '…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_REASON);
  return error.name === 'Error' ? words : [error.name, words].filter(Boolean).join(': ');
}
