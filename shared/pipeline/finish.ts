/** Ends an approval: decides again with what people answered, writes the decided row once, tells the world (A7, A8, A17). */
import type { Approval, Decision, HumanAnswer, Proposal } from '../contract/index.ts';
import { expire, isTerminal } from '../domain/approval.ts';
import { CountersignError } from '../domain/errors.ts';
import { dayOf } from '../domain/session.ts';
import type { ApprovalView } from '../ports/approval-store.ts';
import type { Control } from '../ports/control.ts';
import type { SessionWrites } from '../ports/session-store.ts';
import { answerOf } from './answer.ts';
import { chainOf } from './chain.ts';
import { changeApproval, dueAfter } from './change.ts';
import { decideWith } from './decide.ts';
import { chainReader, Desk } from './desk.ts';
import type { FinishGate } from './gate.ts';
import { keepable, keepRun } from './keepable.ts';
import { messages } from './messages.ts';
import { nobodyToAsk } from './need.ts';
import { originalOf } from './original.ts';
import { callRecord, decisionOf, recordOf, type Subject } from './record.ts';
import { redraw } from './redraw.ts';
import { type Ended, refused } from './run.ts';
import { Journal, type Session } from './session.ts';
import { changesAfterPeople } from './session-changes.ts';

/**
 * `waiting`: the row is pending and its time has not come, whatever the caller thought. `sealed`: only who may read the original can go
 * on (A20).
 */
export type Finished = { readonly state: 'done' | 'waiting' | 'missing' | 'sealed' };

/** The row is pending and its time has not come: the workflow goes back to wait on. */
export class StillWaiting extends CountersignError {
  override readonly name = 'StillWaiting';
  constructor() {
    super('still_waiting', 'the approval waits on');
  }
}

/** Safe to run at any time, twice, concurrently: `resume` and `reconcile` both call it. */
export async function finish(pid: string, gate: FinishGate): Promise<Finished> {
  let view = await gate.approvals.read(pid);
  if (!view) return { state: 'missing' };
  if (!isTerminal(view.approval.status)) {
    const ended = await changeApproval(
      pid,
      ({ approval }) => expire(approval, gate.clock.now()),
      () => undefined,
      gate,
      view,
    );
    if (ended.kind === 'refused' && ended.refusal === 'not_yet_expired') return { state: 'waiting' };
    view = await gate.approvals.read(pid);
    if (!view || !isTerminal(view.approval.status)) return { state: 'waiting' };
  }
  const decision = view.decision ?? (await decideAndWrite(view, gate));
  if (!decision) return { state: 'sealed' };
  await tell(view.approval, decision, gate);
  return { state: 'done' };
}

/** Another process may change the session meanwhile: decided again with it, a few times. */
const TRIES = 5;

/** Undefined: the original is sealed, and not for this caller. */
async function decideAndWrite(view: ApprovalView, gate: FinishGate): Promise<Decision | undefined> {
  const { approval } = view;
  const original = await originalOf(view, gate.unsealer);
  if (original.kind === 'sealed') return undefined;
  const human = answerOf(approval);
  // The row has ended, so every run writes and reads the same answer: the three need not wait for one another.
  const [, entries, control] = await Promise.all([
    gate.journal.append(approval.pid, human),
    gate.journal.read(approval.pid),
    gate.control.read(),
  ]);
  const others = entries.filter(({ place, round }) => place !== human.place || round !== human.round);
  const journal = new Journal([...others, human]);
  const proposal = original.proposal;
  // Found again, not kept: what is told of the call must not repeat it either.
  const kept = view.sealed !== undefined ? await keepable(proposal, gate.redactor) : undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const now = gate.clock.now();
    const desk = new Desk(gate.sessions, dayOf(now));
    const redecided =
      original.kind === 'gone'
        ? refused('seal_expired', messages.secretGone())
        : await rerun(approval, proposal, journal, { desk, control, now }, gate);
    const concluded = kept && 'found' in kept ? await keepRun(redecided, kept, gate.redactor) : redecided;
    const { answer, calls } = concluded;
    const subject = { ...subjectOf(approval), mode: journal.session?.levels[0]?.mode };
    const decision = decisionOf(answer, subject, gate, stateOf(proposal));
    const fields = { type: 'decided' as const, calls: calls.map((call) => callRecord(gate, call)) };
    const record = recordOf(gate, subject, 'decided', fields, decision);
    const writes =
      original.kind === 'gone' ? undefined : await remembered(approval, proposal, human, concluded, desk, now, gate);
    const written = await gate.approvals.finish(approval, record, dueAfter(approval, now), writes);
    if (written === 'written') return decision;
    if (written === 'session_changed') continue;
    const stored = (await gate.approvals.read(approval.pid))?.decision;
    if (!stored) throw new Error('the decided row was refused, and there is none');
    return stored;
  }
  throw new Error('the session kept changing while it was written');
}

type Redecided = Extract<Ended, { kind: 'decided' }>;

async function rerun(
  approval: Approval,
  proposal: Proposal,
  journal: Journal,
  { desk, control, now }: { readonly desk: Desk; readonly control: Control; readonly now: number },
  gate: FinishGate,
): Promise<Redecided> {
  const settings = gate.policy.settings.agents[approval.agent];
  if (!settings || proposal.kind === 'cancel' || proposal.kind === 'task-message') {
    return refused('superseded', 'The policy no longer lists this agent. The call was not run.', 'superseded');
  }
  const { agent, sessionId, pid } = approval;
  const chain = await chainOf(agent, sessionId, proposal, now, chainReader(desk, gate));
  const mode = chain.levels[0]?.mode ?? settings.mode;
  const session: Session = { pid, agent, settings, sessionId, mode, control, chain };
  const ended = await decideWith(nobodyToAsk, proposal, session, journal, gate, now);
  if (ended?.run.kind === 'decided') return ended.run;
  return refused(
    'superseded',
    'The policy asks another question now. Propose the call again under a new id.',
    'superseded',
  );
}

/** What the session keeps of people's answer, in the transaction that writes the decision. */
async function remembered(
  approval: Approval,
  proposal: Proposal,
  human: HumanAnswer,
  { answer, calls }: Redecided,
  desk: Desk,
  now: number,
  gate: FinishGate,
): Promise<SessionWrites | undefined> {
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message' || !gate.policy.settings.agents[approval.agent])
    return undefined;
  const own = await desk.row(approval.agent, approval.sessionId);
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const child = starts && (await desk.row(starts.agentId, starts.sessionId));
  const outcome = { proposal, calls, approved: answer.outcome === 'approved', classified: false };
  const { remember } = gate.policy.settings.approvals;
  return changesAfterPeople(outcome, human, { own, child, day: desk.day, now }, remember, gate);
}

function subjectOf({ agent, pid, proposalId, sessionId }: Approval): Subject {
  return { agent, pid, proposalId, sessionId };
}

function stateOf({ state }: Proposal): { state?: string } {
  return state === undefined ? {} : { state };
}

/** After the row: the card is drawn again and the agent's queue, if it has one, gets the decision. Until both are done the row stays due. */
async function tell(approval: Approval, decision: Decision, gate: FinishGate): Promise<void> {
  await redraw(approval, `decided-${approval.version}`, gate.cards);
  await gate.replies.send(approval.agent, decision);
  await gate.approvals.release(approval.pid);
}
