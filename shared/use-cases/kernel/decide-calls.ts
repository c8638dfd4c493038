/** Decides the tool calls of a proposal together, or names the question that they need. */
import { readTightening } from '../../config/compile.ts';
import type { DecisionOutcome, ToolCall } from '../../contract/index.ts';
import type { ToolCallProposal } from '../../contract/proposal.ts';
import { messages } from '../model-messages.ts';
import { answersAt } from './calls/authorization/allowed-by.ts';
import { authorizeCall, type KernelPorts, slotOf } from './calls/authorization/authorize-call.ts';
import { hasMoved } from './calls/authorization/folders.ts';
import { hookPrefix } from './calls/authorization/hook-facts.ts';
import { type AuthorizedCall, type CallAnswer, resolveCalls } from './calls/call-decisions.ts';
import { effectiveCalls } from './calls/question/edits.ts';
import { withImpact } from './calls/question/impact.ts';
import { type KernelAnswer, type KernelRun, refused } from './calls/run.ts';
import type { Journal } from './state/journal.ts';
import type { Need } from './state/need.ts';
import type { Session } from './state/session.ts';

export async function decideCalls(
  proposal: ToolCallProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<KernelRun> {
  const added = readTightening(proposal.rules ?? []);
  if (!added.ok) return refused('invalid_rule', added.message);
  const authorized: AuthorizedCall[] = [];
  const needs: Need[] = [];
  const effective = effectiveCalls(proposal, journal, session.askedAs ?? session.pid);
  const { calls, place, edits } = effective;
  const part = edits.size ? `${place}.` : '';
  const edited: ReadonlySet<string> = new Set(edits.keys());
  const answered: ReadonlySet<string> = new Set(journal.human(place)?.calls.filter((id) => edits.has(id)));
  const judging = { proposal, session, journal, added: added.rules, edited, answered, part, now };
  for (const [index, call] of calls.entries()) {
    const result = await authorizeCall(call, index, judging, ports);
    if (result.kind === 'needs') needs.push(...result.needs);
    else {
      const answers = answersAt(slotOf(call, index, judging), journal);
      authorized.push({ call, authorization: result, answers, hasMoved: hasMovedSince(journal, call, session) });
    }
  }
  const hooks = calls.reduce((sum, call, index) => sum + hooksAnswered(slotOf(call, index, judging), journal), 0);
  if (hooks + needs.filter(({ type }) => type === 'hook').length > MAX_HOOK_CALLS)
    return refused('too_many_hook_calls', messages.tooManyHookCalls(MAX_HOOK_CALLS));
  if (needs.length) return { kind: 'needs', needs };
  const { allowedDecisions: offered, starts, mode, idempotencyKey } = proposal;
  const resolved = resolveCalls(
    authorized,
    { session, effective, offered, starts, mode, idempotencyKey },
    journal.human(place),
    ports,
    now,
  );
  if (resolved.question) {
    const question = await withImpact(resolved.question, calls, session, ports);
    return { kind: 'suspended', question, calls: resolved.calls };
  }
  return { kind: 'decided', answer: summarise(resolved.answers), calls: resolved.calls };
}

/**
 * Whether the call would run somewhere else now than where it was judged, and seen, when the run began. Journals of the previous release
 * hold no folders: an upgrade does not supersede what people were asked then.
 */
const hasMovedSince = ({ session }: Journal, call: ToolCall, { settings }: Session): boolean =>
  session?.folders !== undefined && hasMoved(call, session.folders, settings);

/** With an answer of a classifier for each of twenty calls the journal stays within its 64 entries (A16). */
const MAX_HOOK_CALLS = 40;

const hooksAnswered = (slot: string, { answers }: Journal): number =>
  answers.filter(({ place }) => place.startsWith(hookPrefix(slot))).length;

/** From the strongest to the weakest: one call that may not run keeps the proposal from being called approved. */
const RANK: readonly DecisionOutcome[] = [
  'error',
  'denied',
  'superseded',
  'expired',
  'cancelled',
  'answered',
  'approved',
];

function summarise(answers: readonly CallAnswer[]): KernelAnswer {
  const [decisive] = answers.toSorted((a, b) => RANK.indexOf(a.decision.outcome) - RANK.indexOf(b.decision.outcome));
  if (!decisive) return refused('empty_proposal', 'The proposal holds no call.').answer;
  const { outcome, message, reasonCode, decidedBy } = decisive.decision;
  const calls = answers.map(({ decision }) => decision);
  const differing = answers.some(({ decision }) => decision.outcome !== outcome);
  const whole = differing ? `${message} (Each call has its own decision.)` : message;
  const actionDigest = answers.length === 1 ? decisive.decision.actionDigest : null;
  return { outcome, message: whole, reasonCode, decidedBy, actionDigest, calls };
}
