/** Decides a proposal again with what people answered, under the rules and sessions of today. */
import type { AnswerEntry, Approval, Proposal } from '../../../contract/index.ts';
import { asksNobody, wasAbandoned } from '../../../domain/approval/asks-nobody.ts';
import { storedProposal } from '../../../domain/proposal/stored-proposal.ts';
import { canQuestionBeJudged } from '../../../domain/redaction/judgeable/judgeable.ts';
import { dayOf } from '../../../domain/session.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { Control } from '../../../ports/stores/control.ts';
import { editedCalls, effectiveProposal } from '../../kernel/calls/question/edits.ts';
import { type Ended, refused } from '../../kernel/calls/run.ts';
import { decideWith } from '../../kernel/decide.ts';
import { Journal } from '../../kernel/state/journal.ts';
import { lineageOf } from '../../kernel/state/lineage.ts';
import { modeOf, type Session } from '../../kernel/state/session.ts';
import { messages } from '../../model-messages.ts';
import { openSealed } from '../../redaction/open-sealed.ts';
import type { RedactionResult } from '../../redaction/redact-found.ts';
import { redactProposal, redactRun, unseenIn } from '../../redaction/redact-proposal.ts';
import { ASK_TIMEOUT_MS } from '../../resolvers/answered-before.ts';
import { askAgain } from '../../resolvers/ask-about-edits.ts';
import { withRulesOf } from '../../sessions/bounded-chain.ts';
import { chainReader, SessionCache } from '../../sessions/session-cache.ts';
import { chainOf } from '../../sessions/session-chain.ts';
import { sessionNames } from '../../sessions/session-names.ts';
import type { ResolveDependencies } from '../dependencies.ts';
import { endIfForged } from './end-forged.ts';
import { endMessages } from './end-messages.ts';
import { unlessUnreadable } from './end-unread.ts';
import { answerOf, sharedSilenceCounts, silenceCounts } from './human-answer.ts';
import type { Answered, Asking, Decided, LacksModel, Over, Resolved, Stale } from './resolution-states.ts';

export async function decideAgain(
  { view }: Answered,
  deps: ResolveDependencies,
): Promise<Over | LacksModel | Asking | Resolved | Decided | Stale> {
  const day = dayOf(deps.clock.now());
  const readRows = async (opened?: Proposal) => {
    const proposal = opened ?? storedProposal(view.proposal);
    const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
    const sessions = sessionNames(view.approval, starts, deps.policy);
    const rows = [deps.journal.read(view.approval.pid), deps.sessions.readTogether(sessions, day)] as const;
    const [entries, read] = await Promise.all(rows);
    return { entries, read, sessions };
  };
  // Somebody waits: what is stored is read while the votes are compared with the record.
  const ahead = view.sealed === undefined ? Promise.allSettled([readRows()]) : undefined;
  const checked = await endIfForged(view, deps);
  if (checked === 'changed') return { kind: 'stale' };
  if (checked !== 'genuine') return { kind: 'decided', view, decision: checked };
  const original = await openSealed(view, deps.unsealer);
  if (original.kind === 'sealed') return { kind: 'over', as: 'sealed' };
  const { approval } = view;
  const { proposal } = original;
  const human = answerOf(approval, await isSilenceYes(view, proposal, deps));
  const { entries, read, sessions } = await (ahead ? fulfilled(ahead) : readRows(proposal));
  const journal = new Journal([...entries, human]);
  // Found again, not kept: what is told of the call must not repeat it either.
  const redacted =
    view.sealed === undefined ? undefined : await redactProposal(proposal, deps.redactor, deps.policy.tools);
  const now = deps.clock.now();
  const sessionCache = new SessionCache(deps.sessions, day, read, sessions);
  const isKnown = original.kind !== 'gone';
  const rerun = isKnown
    ? await runAgain(approval, proposal, journal, { sessionCache, control: read.control, now, redacted }, deps)
    : { run: refused('seal_expired', endMessages.secretGone()), answers: [] };
  if (!rerun && view.sealed === undefined) return { kind: 'lacks_model', view };
  // Where a model may be asked, the original may not be read.
  const done = rerun ?? { run: refused('sealed_facts', endMessages.secretAndModel()), answers: [] };
  const run = redacted && 'found' in redacted ? await redactRun(done.run, redacted, deps.redactor) : done.run;
  const { calls, choice } = run;
  const { answers } = done;
  const redecided = { view, proposal, human, journal, answers, calls, choice, sessionCache, isKnown, now };
  return run.kind === 'suspended'
    ? { kind: 'asking', ...redecided, question: run.question }
    : { kind: 'resolved', ...redecided, answer: run.answer };
}

/** Waits for a read that was begun before anybody waited for it, and whose fault must not be an unhandled one. */
async function fulfilled<Value>(settled: Promise<readonly [PromiseSettledResult<Value>]>): Promise<Value> {
  const [one] = await settled;
  if (one.status === 'rejected') throw one.reason;
  return one.value;
}

/** Whether silence may be a yes: of a question that stood on another's card, as it was there. */
async function isSilenceYes(view: ApprovalView, { expiresAt }: Proposal, deps: ResolveDependencies): Promise<boolean> {
  // People cannot approve a call whose text a mark hides, so silence cannot approve it either.
  if (!canQuestionBeJudged(view.approval.question, storedProposal(view.proposal))) return false;
  const { askedAs, followedRound, round } = view.approval;
  if (askedAs === undefined || followedRound !== round) return silenceCounts(view, expiresAt);
  return sharedSilenceCounts(view, await deps.approvals.read(askedAs).catch(unlessUnreadable), expiresAt);
}

/** How the run ended, and what models answered on the way. */
interface Rerun {
  readonly run: Ended;
  readonly answers: readonly AnswerEntry[];
}

interface Rerunning {
  readonly sessionCache: SessionCache;
  readonly control: Control;
  readonly now: number;
  /** The redaction of a proposal that holds secrets. */
  readonly redacted: RedactionResult | undefined;
}

/** Runs the kernel again. Undefined where a model or a hook has to be asked elsewhere, and there is time left to ask. */
async function runAgain(
  approval: Approval,
  proposed: Proposal,
  journal: Journal,
  { sessionCache, control, now, redacted }: Rerunning,
  deps: ResolveDependencies,
): Promise<Rerun | undefined> {
  const settings = deps.policy.settings.agents[approval.agent];
  if (!settings || proposed.kind === 'cancel' || proposed.kind === 'task-message')
    return { run: refused('superseded', endMessages.unlistedAgent(), 'superseded'), answers: [] };
  const { agent, sessionId, pid, askedAs } = approval;
  // People may have edited the call, and remembered answers are looked up for the call that would run.
  const effective = effectiveProposal(proposed, journal, askedAs ?? pid);
  const requester = approval.requester ?? approval.owner;
  const reader = chainReader(sessionCache, deps, control);
  const lineage = await lineageOf({ agent, sessionId }, reader);
  const unseen = await unseenIn(redacted && 'found' in redacted ? redacted.proposal : effective);
  const chain = await chainOf({ agent, sessionId, requester, lineage, unseen }, effective, now, reader);
  const mode = modeOf(chain, settings.mode);
  const session: Session = { pid, askedAs, agent, settings, sessionId, requester, mode, control, lineage, chain };
  const about = { pid, agent, session: await sessionCache.row(agent, sessionId), until: now + ASK_TIMEOUT_MS };
  const ask = askAgain(about, effective, editedCalls(proposed, journal, askedAs ?? pid), deps);
  const done = await decideWith(ask, proposed, session, withRulesOf(journal, chain), deps, now);
  if (done) {
    const answers = done.journal.answers.filter((entry) => entry.type === 'model' || !journal.has(entry));
    return { run: unlessUnheard(done.run, approval, deps), answers };
  }
  const late = now >= Date.parse(approval.expiresAt);
  return late ? { run: refused('expired', messages.expired(), 'expired'), answers: [] } : undefined;
}

/** Tells a silence apart that came because nobody could answer: the policy file has lost the group that was asked, or too many of its people. */
function unlessUnheard(run: Ended, approval: Approval, { policy }: ResolveDependencies): Ended {
  if (run.kind !== 'decided' || run.answer.outcome !== 'expired') return run;
  if (asksNobody(approval, policy.settings.approvers))
    return refused('superseded', endMessages.unlistedGroup(), 'superseded');
  return wasAbandoned(approval) ? refused('superseded', endMessages.tooFewPeople(), 'superseded') : run;
}
