/** Asks the handler while listening for a cancel, which wins even when both are there. */
import { ApprovalDecision, type ApprovalHandler } from './approval-handler.ts';
import type { AgentToolCall, ToolClass } from './tool.ts';

/** The decision where a handler throws or gives no readable answer: a denial. */
const UNREADABLE = ApprovalDecision.Deny('the approval handler failed');

/**
 * Resolves with the handler's answer, or with `'cancelled'` once the signal aborts. An answer that cannot be read is a denial. The handler's own
 * signal aborts when nobody waits for it any more.
 */
export async function awaitApproval(
  handler: ApprovalHandler,
  call: AgentToolCall,
  toolClass: ToolClass,
  signal: AbortSignal,
): Promise<ApprovalDecision | 'cancelled'> {
  if (signal.aborted) return 'cancelled';
  const nobodyWaits = new AbortController();
  let stop = () => {};
  const cancelled = new Promise<'cancelled'>((resolve) => {
    const listener = () => resolve('cancelled');
    signal.addEventListener('abort', listener, { once: true });
    stop = () => signal.removeEventListener('abort', listener);
  });
  try {
    const decision = await Promise.race([cancelled, ask(handler, call, toolClass, nobodyWaits.signal)]);
    return signal.aborted ? 'cancelled' : decision;
  } finally {
    stop();
    nobodyWaits.abort();
  }
}

/** The handler gets a copy, so that its changes never reach the call that runs. */
async function ask(handler: ApprovalHandler, call: AgentToolCall, toolClass: ToolClass, signal: AbortSignal) {
  try {
    return readDecision(await handler.approve(call.name, structuredClone(call.input), toolClass, signal));
  } catch {
    return UNREADABLE;
  }
}

/** Handlers may be anybody's: only an exact allow allows. */
function readDecision(answer: ApprovalDecision | undefined): ApprovalDecision {
  if (answer?.type === 'allow') return ApprovalDecision.Allow;
  if (answer?.type === 'deny') return ApprovalDecision.Deny(String(answer.reason));
  return UNREADABLE;
}
