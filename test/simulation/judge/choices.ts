/** Judges action choices: one answer each, of the stated flows, and approved where that is needed. */
import { type Decided, type History, liftOf, mayCount } from '../model/history.ts';
import { CHOOSERS, type FlowName, TIMEOUT_MS } from '../model/policies.ts';
import { type Fail, isSameAnswer, type Remaining } from '../world/remains.ts';
import { countedIn, seatsOf } from './seats.ts';

type Chosen = History['choices'][number];

export function judgeChoices(history: History, proposals: ReadonlyMap<string, Remaining>, fail: Fail): void {
  for (const choice of history.choices) judgeEnd(choice, proposals.get(choice.id), fail);
  for (const decided of history.decided) {
    const choice = history.choices.find(({ id }) => id === decided.decision.proposalId);
    if (!choice) continue;
    judgeWhy(decided, choice, history, fail);
    if (decided.decision.outcome === 'answered') judgeAnswer(decided, choice, history, fail);
  }
}

/** One decision, which its sender can read, and which the record says once. */
function judgeEnd({ id }: Chosen, end: Remaining | undefined, fail: Fail): void {
  if (!end?.read) {
    fail('G33', `the sender of ${id} never reads a decision`);
    return;
  }
  const { read, records, replies } = end;
  const decisions = records.filter(({ decision }) => decision);
  if (decisions.length !== 1) fail('G18', `${id} has ${decisions.length} decisions`);
  if (!isSameAnswer(decisions[0]?.decision, read))
    fail('G39', `the record and the sender of ${id} read different decisions`);
  if (!replies.every((reply) => isSameAnswer(reply, read)))
    fail('G33', `the queue of its agent was sent another decision on ${id}`);
}

function judgeWhy({ decision, at, since }: Decided, { id, sentAt }: Chosen, history: History, fail: Fail): void {
  if (decision.outcome === 'approved') fail('D35', `${id} is a choice, and ends approved`);
  if (decision.outcome === 'expired' && at < sentAt + TIMEOUT_MS - history.terms.apartMs)
    fail('G21', `${id} expires before its time`);
  if (decision.outcome === 'cancelled' && !history.withdrawn.some((one) => one.id === id && one.at <= at))
    fail('G33', `${id} is cancelled, and nobody withdrew it`);
  if (decision.outcome !== 'answered' || decision.answer === null) return;
  for (const pause of history.operations) {
    const { doneAt, effect, scope } = pause;
    const concerns = 'all' in scope || ('agent' in scope && scope.agent === decisionOwner(history, id));
    if (effect === 'deny' && concerns && doneAt !== undefined && since > doneAt && at < liftOf(pause, history))
      fail('A18', `${id} is answered with an action while ${pause.id} denies it`);
  }
}

const decisionOwner = ({ choices }: History, id: string) => choices.find((one) => one.id === id)?.agent;

/** One of the flows that were stated, and with the yes of whoever has to give it. */
function judgeAnswer({ decision, at, since }: Decided, choice: Chosen, history: History, fail: Fail): void {
  const { answer } = decision as { readonly answer?: { readonly flow_id: FlowName } | null };
  const { id, flows, policy } = choice;
  if (!answer) return;
  if (!flows.includes(answer.flow_id)) fail('G9', `${id} is answered with ${answer.flow_id}, which nobody offered`);
  const needed: readonly FlowName[] = CHOOSERS[policy];
  if (!needed.includes(answer.flow_id)) return;
  const votes = history.votes.filter((vote) => vote.id === id && vote.at <= at);
  const isRefused = votes.some(
    ({ choice: cast, told, toldAt = at }) => cast === 'reject' && told === 'counted' && toldAt < since,
  );
  if (isRefused) fail('G18', `${id} is answered after somebody's refusal counted`);
  // A person says yes to the flow on the card before their eyes, or names another.
  const yes = votes.filter(
    (vote) =>
      (vote.choice === 'approve' || vote.choice === 'substitute') &&
      seatsOf(history, vote.who, countedIn(vote)).length > 0 &&
      mayCount(vote.told) &&
      vote.flow === answer.flow_id,
  );
  if (!yes.length) fail('G26', `${id} is answered with ${answer.flow_id}, and nobody approved that`);
}
