/** Decides an admitted proposal in its session, and computes the session's changes. */
import { EVERY_SESSION, type SessionRow } from '../../../contract/index.ts';
import type { BatchView } from '../../../ports/stores/claim-store.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import type { Ended } from '../../kernel/calls/run.ts';
import type { Journal } from '../../kernel/state/journal.ts';
import type { Session } from '../../kernel/state/session.ts';
import { redactRun } from '../../redaction/redact-proposal.ts';
import type { SessionCache } from '../../sessions/session-cache.ts';
import { changesOf } from '../../sessions/session-updates.ts';
import { tellsModel } from '../../sessions/tells-model.ts';
import type { Admitted, Refused } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { runOnce } from './run-once.ts';
import { type SessionFacts, sessionFactsOf } from './session-facts.ts';

/** The rows that the batch has read for all of its messages. */
export type Known = Pick<BatchView, 'claims' | 'control'> & { readonly sessionCache: SessionCache };

/** The end of one run. */
export type Attempt =
  /** Somebody has to be asked who cannot be asked here. */
  | { readonly kind: 'deferred' }
  | (Refused & Left & { readonly writes?: undefined })
  | (Left & {
      readonly kind: 'ran';
      readonly session: Session;
      readonly run: Ended;
      /** Undefined: the run changes no session. */
      readonly writes: SessionWrites | undefined;
    });

interface Left {
  /** The session row that was read: another one means that the run is out of date. */
  readonly own: SessionRow;
  /** As it is stored. */
  readonly journal: Journal;
  /** For a further run, which asks no model again. */
  readonly heard: Journal;
}

export async function decideInSession(
  admitted: Admitted,
  heard: Journal,
  known: Known,
  deps: IntakeDependencies,
): Promise<Attempt> {
  const facts = await sessionFactsOf(admitted, known, deps);
  const { own } = facts;
  if (facts.kind === 'refused') return { ...facts, journal: heard, heard };
  const done = await runOnce(admitted, heard.with([facts.entry]), facts, deps);
  if (!done) return { kind: 'deferred' };
  const journal = done.journal.without(admitted.redacted.secrets);
  const run = await redactRun(done.run, admitted.redacted, deps.redactor);
  return {
    kind: 'ran',
    own,
    session: facts.session,
    run,
    journal,
    heard: heard.with(journal.answers.filter((entry) => !heard.has(entry))),
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
  // A model is told of all that the session did, also of what rules decided; nobody else reads it.
  const classified =
    journal.answers.some(({ type }) => type === 'classifier') || (session.mode === 'auto' && tellsModel(deps.policy));
  const approved = run.kind === 'decided' && run.answer.outcome === 'approved';
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const outcome = { calls: run.calls, approved, classified, starts, requester };
  const always = await sessionCache.row(session.agent, EVERY_SESSION);
  return changesOf(outcome, { own, always, child, day: sessionCache.day, now: message.startedAt }, deps);
}
