/** Answers one call of an MCP client behind the gate, in results of MCP. */
import { type Duration, durationMs } from '../../domain/duration.ts';
import { isNamed, isUndecided } from '../calls/errors.ts';
import type { GuardedCall, GuardRunOptions } from '../calls/guarded-call.ts';
import { isRefusal, MAX_UNREADABLE_MS } from '../exchange/failing-reads.ts';
import type { RunGuard, ToolOfRun } from '../guard.ts';
import { countedRun } from './common/counted-run.ts';
import type { Round } from './mcp-rounds.ts';

/** The fields of a tool's result that the gate reads. */
export interface ToolResult {
  readonly content?: readonly object[];
  readonly isError?: boolean;
}

const textOf = (text: string) => ({ type: 'text' as const, text });

/** A result that tells the model why the call did not run. */
export const refused = (message: string): ToolResult => ({ content: [textOf(message)], isError: true });

/** A service that refuses to be read will do so again. */
const isOutage = (error: unknown): boolean =>
  isNamed(error, 'NoDecisionError') && error.cause !== undefined && !isRefusal(error.cause);

/** So many rounds ride out as long an outage as one wait does. */
const roundsOf = (hold: Duration | undefined): number =>
  hold === undefined ? 1 : Math.ceil(MAX_UNREADABLE_MS / Math.max(1, durationMs(hold, 'hold')));

/**
 * Waits for the decision as long as the request is held, and runs the tool. A call whose client goes is withdrawn.
 *
 * @throws errors of the client and the tool's own
 */
export async function answerCall(
  guard: RunGuard,
  call: Omit<GuardedCall, 'callId'>,
  tool: ToolOfRun<Promise<ToolResult>>,
  { round, ...options }: Omit<GuardRunOptions, 'onAbort'> & { readonly round: Round },
): Promise<ToolResult> {
  const { callId } = round;
  const answer: typeof tool = async (input, context) => {
    const ran = await tool(input, context);
    return context.change === undefined ? ran : { ...ran, content: [...(ran.content ?? []), textOf(context.change)] };
  };
  const counted = { tool: answer, isError: (ran: ToolResult) => ran.isError === true, effect: 'failed' } as const;
  try {
    return await countedRun(guard, { ...call, callId }, counted, { ...options, onAbort: 'leave' });
  } catch (error) {
    if (isUndecided(error) && !options.signal?.aborted) return round.later();
    const later = isOutage(error) && !options.signal?.aborted && round.laterUnread(roundsOf(options.timeout));
    if (later) return later;
    if (options.signal?.aborted || isNamed(error, 'NoDecisionError'))
      await guard.withdraw({ callId }).catch(() => undefined);
    if (isNamed(error, 'NotApprovedError')) return refused(error.message);
    throw error;
  }
}
