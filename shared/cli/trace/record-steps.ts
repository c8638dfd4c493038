/** Reads what the record, the approval and its cards have of a proposal. */
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import type { Unreadable } from '../../ports/stores/audit-log.ts';
import type { Io } from '../support/io.ts';
import type { Candidate, Step } from './step.ts';

export async function recordSteps(
  { agent, pid }: Candidate,
  { audit, unreadable }: { readonly audit: string; readonly unreadable: Unreadable },
  io: Io,
): Promise<Step[]> {
  const [{ recordLog }, { rowOf }, { namesFor }] = await Promise.all([
    import('../support/audit/record-log.ts'),
    import('../support/audit/audit-row.ts'),
    import('../support/audit/audit-names.ts'),
  ]);
  const log = await recordLog(audit, io);
  const records = await log.ofProposal(agent, pid, undefined, unreadable);
  const { person: nameOf, callOf } = await namesFor(records, io);
  return records.map((record) => {
    const [, what = '', ...others] = rowOf(record, { withId: false, nameOf, callOf });
    return { at: record.entry.recordedAt, source: 'record', what, detail: others.filter(Boolean).join(' · ') };
  });
}

export async function approvalSteps({ agent, pid }: Candidate, tables: { readonly state: string }): Promise<Step[]> {
  const [{ dynamoApprovalStore }, { dynamo }, { UnreadableApprovalError }] = await Promise.all([
    import('../../adapters/dynamodb/approvals/approval-store.ts'),
    import('../support/clients.ts'),
    import('../../domain/approval/unread-approval.ts'),
  ]);
  // The texts of large proposals are not for readers of the trace.
  const inputs = { put: async () => undefined, get: async () => '' };
  const store = dynamoApprovalStore(await dynamo(), { state: tables.state, audit: '' }, inputs);
  const view = await store.read(pid).catch((error: unknown) => {
    if (error instanceof UnreadableApprovalError) throw new Error('its row is not as this version writes it');
    throw error;
  });
  // An id of a decision is tried with every agent.
  return view?.approval.agent === agent ? [...rowSteps(view), ...cardSteps(view)] : [];
}

function rowSteps({ approval, cardProblem }: ApprovalView): Step[] {
  const { requestedAt, stageSince, endedAt, status, question, stage = 0, escalated, round, follows } = approval;
  const asked = (at: string, index: number): Step => {
    const { group, channel } = question.stages[index] ?? { group: '', channel: '' };
    const which = `round ${round}, stage ${index + 1} of ${question.stages.length}`;
    return { at, source: 'approval', what: 'asked', detail: `${group} in ${channel}, ${which}` };
  };
  const problem = follows === undefined ? cardProblem : 'waits for the same call that was asked before it';
  const now = { at: stageSince ?? requestedAt, source: 'approval', what: 'waits' } as const;
  return [
    asked(requestedAt, 0),
    ...(stageSince !== undefined && stage > 0 ? [asked(stageSince, stage)] : []),
    ...(stageSince !== undefined && escalated ? [{ ...now, what: 'escalated', detail: '' }] : []),
    ...(problem && endedAt === undefined ? [{ ...now, detail: `no card: ${problem}` }] : []),
    ...(endedAt === undefined ? [] : [{ at: endedAt, source: 'approval' as const, what: 'ended', detail: status }]),
  ];
}

/** Slack's id of a message is its time. */
const cardSteps = ({ cards }: ApprovalView): Step[] =>
  cards.map(({ channel, ts, gone, list }) => ({
    at: new Date(Number(ts) * 1000).toISOString(),
    source: 'card',
    what: gone ? 'posted, and deleted since' : 'posted',
    detail: `${channel} ${ts}${list === undefined ? '' : ', in a list'}`,
  }));
