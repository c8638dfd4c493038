/** Decides an admitted proposal in its session, and computes the session's changes. */
import { EVERY_SESSION, type SessionRow } from '../../../contract/index.ts';
import type { BatchView } from '../../../ports/stores/claim-store.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import type { Ended } from '../../kernel/calls/run.ts';
import type { Journal } from '../../kernel/state/journal.ts';
import type { Session } from '../../kernel/state/session.ts';
import { redactRun } from '../../redaction/redact-proposal.ts';
import type { SessionCache } from '../../sessions/session-cache.ts';
import { tellsModel } from '../../sessions/session-reads.ts';
import { changesOf } from '../../sessions/session-updates.ts';
import type { Admitted, Refused } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { runOnce } from './run-once.ts';
import { type SessionFacts, sessionFactsOf } from './session-facts.ts';

/** The rows that the batch has read for all of its messages. */
export type Known = Pick<BatchView, 'claims' | 'control'> & { readonly sessionCache: SessionCache };

/** The result of one run of the kernel for an admitted proposal. */
export type Attempt =
  /** A model or a hook has to answer, which only `deliberate` may ask. */
  | { readonly kind: 'deferred' }
  | (Refused & AttemptBase & { readonly writes?: undefined })
  | (AttemptBase & {
      readonly kind: 'ran';
      readonly session: Session;
      readonly run: Ended;
      /** Undefined where the run changes no session. */
      readonly writes: SessionWrites | undefined;
    });

interface AttemptBase {
  /** The session row that the run read. If another one is stored by now, the run is out of date. */
  readonly own: SessionRow;
  /** The answers of the run as they are stored, without secrets. */
  readonly journal: Journal;
  /** The answers that a further run takes over, so that it asks no model again. */
  readonly answersSoFar: Journal;
}

export async function decideInSession(
  admitted: Admitted,
  answersSoFar: Journal,
  known: Known,
  deps: IntakeDependencies,
): Promise<Attempt> {
  const facts = await sessionFactsOf(admitted, known, deps);
  const { own } = facts;
  if (facts.kind === 'refused') return { ...facts, journal: answersSoFar, answersSoFar };
  const done = await runOnce(admitted, answersSoFar.with([facts.entry]), facts, deps);
  if (!done) return { kind: 'deferred' };
  const journal = done.journal.without(admitted.redacted.secrets);
  const run = await redactRun(done.run, admitted.redacted, deps.redactor);
  return {
    kind: 'ran',
    own,
    session: facts.session,
    run,
    journal,
    answersSoFar: answersSoFar.with(journal.answers.filter((entry) => !answersSoFar.has(entry))),
    writes: await writesOf(run, journal, facts, admitted, known.sessionCache, deps),
  };
}

async function writesOf(
  run: Ended,
  journal: Journal,
  { own, child, session }: SessionFacts,
  { proposal, requester, message }: Admitted,
  sessionCache: SessionCache,
  deps: IntakeDependencies,
): Promise<SessionWrites | undefined> {
  // Only a model reads the session's recent calls, and it is told of all of them, also of those that rules decided.
  const classified =
    journal.answers.some(({ type }) => type === 'classifier') || (session.mode === 'auto' && tellsModel(deps.policy));
  const approved = run.kind === 'decided' && run.answer.outcome === 'approved';
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const outcome = { calls: run.calls, approved, classified, starts, requester };
  const always = await sessionCache.row(session.agent, EVERY_SESSION);
  return changesOf(outcome, { own, always, child, day: sessionCache.day, now: message.startedAt }, deps);
}
