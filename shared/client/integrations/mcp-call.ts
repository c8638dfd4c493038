/** Answers one call of an MCP client behind the gate, in results of MCP. */
import { type Duration, durationMs } from '../../domain/duration.ts';
import { isCountersignError } from '../../domain/errors.ts';
import { isGuardrailError } from '../../guardrails/settings/errors.ts';
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

const SAME_CALL = 'The approval holds until its permit expires: call the tool again with the same arguments.';

/**
 * Waits for the decision and for a busy tool as long as the request is held, and runs the tool. A call whose client goes is withdrawn.
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
  let hasBegun = false;
  const answer: typeof tool = async (input, context) => {
    hasBegun = true;
    const ran = await tool(input, context);
    return context.change === undefined ? ran : { ...ran, content: [...(ran.content ?? []), textOf(context.change)] };
  };
  const counted = { tool: answer, isError: (ran: ToolResult) => ran.isError === true, effect: 'failed' } as const;
  try {
    return await countedRun(guard, { ...call, callId }, counted, { ...options, onAbort: 'leave' });
  } catch (error) {
    // A call within the tool may end in the same errors.
    const mayStillRun = !hasBegun && !options.signal?.aborted;
    const later = mayStillRun ? laterOf(error, round, options.timeout) : undefined;
    if (later) return later;
    if (options.signal?.aborted || isNamed(error, 'NoDecisionError'))
      await guard.withdraw({ callId }).catch(() => undefined);
    if (isNamed(error, 'NotApprovedError')) return refused(error.message);
    throw error;
  }
}

/** The answer to a call that its client may still have run. Under another id, people would be asked again. */
function laterOf(error: unknown, round: Round, hold: Duration | undefined): object | undefined {
  if (isUndecided(error)) return round.later(error.isAsked ? 'asked' : 'unjudged');
  if (isOutage(error)) return round.laterUnread(roundsOf(hold));
  if (isGuardrailError(error) && error.category === 'PolicyError') {
    if (error.code === 'ConcurrencyLimited') return round.later('busy');
    round.keep();
    return refused(`${error.message} ${SAME_CALL}`);
  }
  if (isCountersignError(error) && error.code === 'gate_unreachable') round.keep();
  return undefined;
}
