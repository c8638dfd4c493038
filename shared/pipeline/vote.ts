/** A person's click or an operator's word on an approval: one conditional write, audited whether it counts or not (G19, G20). */
import type { Approval, Person } from '../contract/index.ts';
import {
  type Ballot,
  castVote,
  isTerminal,
  type Refusal,
  samePerson,
  type VoteRefusal,
  type Voter,
} from '../domain/approval.ts';
import type { ApprovalView, Card } from '../ports/approval-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { CardQueue } from '../ports/outbox.ts';
import { changeApproval, wake } from './change.ts';
import type { VoteGate } from './gate.ts';
import { recordOf, type Subject } from './record.ts';

export type Voted =
  | { readonly kind: 'counted'; readonly approval: Approval }
  | { readonly kind: 'refused'; readonly refusal: VoteRefusal; readonly approval?: Approval };

export interface VotingGate extends VoteGate {
  readonly audit: AuditLog;
  readonly cards: CardQueue;
}

export interface Click {
  readonly pid: string;
  readonly person: Person;
  readonly name: string;
  readonly isBot: boolean;
  readonly ballot: Ballot;
  /** Names the request, so that the same one delivered twice is audited once. */
  readonly requestId: string;
  /** The card that was clicked and whether the channel vouches for it; absent where there is no card. */
  readonly from?: { readonly card: Card; readonly isOwn: (view: ApprovalView) => boolean };
}

/** Where verified clicks are recorded that name no approval of this gate; no agent can have this name. */
const UNKNOWN_APPROVAL: Subject = { agent: '-clicks', pid: '0'.repeat(64), proposalId: null };

/** Counts a vote or says why not. `detail` of the audit names the reason; nobody else's name or vote is told. */
export async function vote(click: Click, gate: VotingGate): Promise<Voted> {
  const known = await gate.approvals.read(click.pid);
  if (!known) return refuse(click, UNKNOWN_APPROVAL, 'unknown_approval', undefined, gate);
  const subject = subjectOf(known.approval);
  if (click.from && !click.from.isOwn(known)) return refuse(click, subject, 'foreign_card', known.approval, gate);
  if (click.from) await adopt(click.from.card, known, gate);

  const changed = await changeApproval(
    click.pid,
    ({ approval }) => castVote(approval, voterOf(click, approval, gate), click.ballot, gate.clock.now()),
    (_, next) =>
      recordOf(gate, subject, `vote#${next.version}`, {
        type: 'vote',
        person: click.person,
        accepted: true,
        reasonCode: click.ballot.choice,
        detail: click.ballot.via,
      }),
    gate,
    known,
  );
  if (changed.kind === 'missing') return refuse(click, UNKNOWN_APPROVAL, 'unknown_approval', undefined, gate);
  if (changed.kind === 'refused') {
    const refusal = changed.refusal as Refusal;
    // A repeated click on a row that ended: its workflow may still be asleep if the first click's run stopped in between.
    if (refusal === 'already_decided' && !changed.view.decision) await wake(click.pid, gate);
    return refuse(click, subject, refusal, changed.view.approval, gate);
  }
  const { approval } = changed;
  if (isTerminal(approval.status)) await wake(click.pid, gate);
  const channel = approval.question.stages[0]?.channel;
  if (channel) await gate.cards.refresh(click.pid, channel, `vote-${approval.version}`);
  return { kind: 'counted', approval };
}

/** A card that was posted but never registered, because its run stopped in between, is kept up to date from now on (A22). */
async function adopt(card: Card, known: ApprovalView, gate: VotingGate): Promise<void> {
  const registered = known.cards.some(({ channel, ts }) => channel === card.channel && ts === card.ts);
  if (registered) return;
  await gate.approvals.addCard(known.approval.pid, card);
  await gate.cards.refresh(known.approval.pid, card.channel, `card-${card.ts}`);
}

function voterOf(click: Click, approval: Approval, gate: VotingGate): Voter {
  const group = approval.question.stages[0]?.group;
  const members = group ? gate.policy.membersOf(group) : [];
  const inGroup = members.some((member) => samePerson(member, click.person));
  const known = Object.values(gate.policy.settings.people).find(({ team, user }) =>
    samePerson({ team, user }, click.person),
  );
  return { person: click.person, name: known?.name ?? click.name, isBot: click.isBot, inGroup };
}

async function refuse(
  click: Click,
  subject: Subject,
  refusal: VoteRefusal,
  approval: Approval | undefined,
  gate: VotingGate,
): Promise<Voted> {
  await gate.audit.put(
    recordOf(gate, subject, `click#${click.requestId}`, {
      type: 'click',
      person: click.person,
      accepted: false,
      reasonCode: refusal,
      detail: `${click.ballot.choice} via ${click.ballot.via}`,
    }),
  );
  return { kind: 'refused', refusal, ...(approval ? { approval } : {}) };
}

const subjectOf = ({ agent, pid, proposalId, sessionId }: Approval): Subject => ({ agent, pid, proposalId, sessionId });
