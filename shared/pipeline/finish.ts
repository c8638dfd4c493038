/** Ends an approval: decides again with what people answered, writes the decided row once, tells the world (A7, A8, A17). */
import type { Approval, Decision, HumanAnswer } from '../contract/index.ts';
import { proposal as proposalSchema } from '../contract/proposal.ts';
import { expire, isTerminal } from '../domain/approval.ts';
import { CountersignError } from '../domain/errors.ts';
import type { ApprovalView } from '../ports/approval-store.ts';
import type { Control } from '../ports/control.ts';
import { changeApproval, dueAfter } from './change.ts';
import { type Answer, decide, refused } from './decide.ts';
import type { FinishGate } from './gate.ts';
import { callRecord, decisionOf, recordOf, type Subject } from './record.ts';
import { Journal, type Session } from './session.ts';
import type { JudgedCall } from './settle.ts';

/** `waiting`: the row is pending and its time has not come, whatever the caller thought. */
export type Finished = { readonly state: 'done' | 'waiting' | 'missing' };

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
  await tell(view.approval, decision, gate);
  return { state: 'done' };
}

async function decideAndWrite(view: ApprovalView, gate: FinishGate): Promise<Decision> {
  const { approval } = view;
  const human = answerOf(approval);
  // The row has ended, so every run writes and reads the same answer: the three need not wait for one another.
  const [, entries, control] = await Promise.all([
    gate.journal.append(approval.pid, human),
    gate.journal.read(approval.pid),
    gate.control.read(),
  ]);
  const others = entries.filter(({ place, round }) => place !== human.place || round !== human.round);
  const { answer, calls } = await rerun(view, new Journal([...others, human]), control, gate);
  const subject = subjectOf(approval);
  const decision = decisionOf(answer, subject, gate, stateOf(view));
  const fields = { type: 'decided' as const, calls: calls.map((call) => callRecord(gate, call)) };
  const record = recordOf(gate, subject, 'decided', fields, decision);
  const written = await gate.approvals.finish(approval, record, dueAfter(approval, gate.clock.now()));
  if (written) return decision;
  const stored = (await gate.approvals.read(approval.pid))?.decision;
  if (!stored) throw new Error('the decided row was refused, and there is none');
  return stored;
}

async function rerun(
  view: ApprovalView,
  journal: Journal,
  control: Control,
  gate: FinishGate,
): Promise<{ readonly answer: Answer; readonly calls: readonly JudgedCall[] }> {
  const { approval } = view;
  const settings = gate.policy.settings.agents[approval.agent];
  const proposal = proposalSchema.parse(JSON.parse(view.proposal));
  if (!settings || proposal.kind === 'cancel') {
    return refused('superseded', 'The policy no longer lists this agent. The call was not run.', 'superseded');
  }
  const session: Session = {
    pid: approval.pid,
    agent: approval.agent,
    settings,
    sessionId: approval.sessionId,
    mode: settings.mode,
    control,
  };
  const run = await decide(proposal, session, journal, gate, gate.clock.now());
  if (run.kind === 'decided') return run;
  return refused(
    'superseded',
    'The policy asks another question now. Propose the call again under a new id.',
    'superseded',
  );
}

function answerOf(approval: Approval): HumanAnswer {
  const { question, votes, status, round, endedAt, expiresAt } = approval;
  if (status === 'pending') throw new Error('a pending approval has no answer');
  const decisive = votes.filter(({ choice }) => choice === (status === 'rejected' ? 'reject' : 'approve'));
  const by = status === 'approved' || status === 'rejected' ? decisive : [];
  const reason = decisive.find((vote) => vote.reason)?.reason;
  return {
    type: 'human',
    place: question.place,
    round,
    at: endedAt ?? expiresAt,
    digest: question.digest,
    stagesDigest: question.stagesDigest,
    calls: question.calls.map(({ id }) => id),
    result: status,
    by: by.map((vote) => ({ person: vote.by, name: vote.name })),
    ...(reason ? { reason } : {}),
  };
}

function subjectOf({ agent, pid, proposalId, sessionId }: Approval): Subject {
  return { agent, pid, proposalId, sessionId };
}

function stateOf(view: ApprovalView): { state?: string } {
  const { state } = JSON.parse(view.proposal) as { state?: string };
  return state === undefined ? {} : { state };
}

/** After the row: the card is drawn again and the agent's queue, if it has one, gets the decision. Until both are done the row stays due. */
async function tell(approval: Approval, decision: Decision, gate: FinishGate): Promise<void> {
  const channel = approval.question.stages[0]?.channel;
  if (channel) await gate.cards.refresh(approval.pid, channel, `decided-${approval.version}`);
  await gate.replies.send(approval.agent, decision);
  await gate.approvals.release(approval.pid);
}
