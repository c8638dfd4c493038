/** Performs operations of operators from their own queue. Every operation is audited and announced. */
import { type DelegationOperation, type Operation, operation } from '../../contract/operation.ts';
import { type Arrival, arrivalOf } from '../../domain/approval/order.ts';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { jsonWords, problemIn } from '../../domain/issue-messages.ts';
import { AHEAD_MS } from '../../domain/proposal/read-proposal.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { resolveSender, UNREGISTERED } from '../identity.ts';
import { changeDelegation } from '../people/delegation.ts';
import { aboutOperation, announce, announcedAs, note, statedOperation } from './announce.ts';
import { operationWords } from './announcement-text.ts';
import { castBreakGlassVote } from './break-glass-vote.ts';
import { pause, voidPermits } from './control-operations.ts';
import type { OperatorDependencies, OperatorMessage } from './dependencies.ts';
import { forget, withoutPerson } from './forget.ts';
import { redrive } from './redrive.ts';
import { delegationDone, type OperationResult, refuse, unknownName } from './refusal.ts';
import { replayEvents } from './replay-events.ts';
import { secretNameOf } from './secret-names.ts';
import { changeSession } from './session-operations.ts';
import { isFromSlack, performSlackRequest } from './slack-requests.ts';

/** Does one operation once; what cannot be read or is not allowed is audited and changes nothing. */
export async function performOperation(message: OperatorMessage, deps: OperatorDependencies): Promise<void> {
  const json = readIJson(message.raw);
  if (isFromSlack(message, deps)) return performSlackRequest(message, json, deps);
  const operator = await resolveSender(message.principal, deps.operators, deps);
  const parsed = json.ok ? operation.safeParse(json.value, { error: jsonWords }) : undefined;
  const stated = statedOperation(json);
  // Registered once and no longer in the policy file is not registered.
  if (operator === undefined || !Object.hasOwn(deps.policy.settings.operators, operator))
    return note(message, UNREGISTERED, { ...refuse('unregistered_sender'), detail: '', operation: stated }, deps);
  if (!parsed?.success) {
    const why = json.ok ? problemIn(parsed?.error.issues ?? []) : json.fault.message;
    const detail = await deps.redactor.text(why);
    return note(message, operator, { ...refuse('invalid_operation', detail), detail, operation: stated }, deps);
  }
  // People type secrets too; a reason is stored, announced and told to the model.
  const wanted = { ...parsed.data, reason: await deps.redactor.text(parsed.data.reason) };
  const field = await secretNameOf(wanted, deps.redactor);
  if (field !== undefined) {
    const refusal = refuse(
      'secret_in_name',
      `${field}: holds what looks like a secret, and is kept and shown as it is`,
    );
    return note(message, operator, { ...refusal, detail: wanted.reason, operation: stated }, deps);
  }
  const statedAt = message.statedAt ?? (wanted.sentAt === undefined ? undefined : Date.parse(wanted.sentAt));
  const times = { sentAt: message.sentAt, statedAt };
  const sent = arrivalOf(`${operator}/${wanted.operationId}`, times, deps.clock.now());
  const done = await perform(wanted, operator, sent, deps);
  const told = wanted.kind === 'forget' ? withoutPerson(wanted, done) : wanted;
  const about = await aboutOperation(told, deps);
  await note(message, operator, { ...done, detail: told.reason, operation: about }, deps);
  const text = await operationWords({ wanted: told, operator, done }, deps.policy.settings, (one) =>
    deps.redactor.text(one),
  );
  await announce(text, `${announcedAs(operator, wanted)}${done.accepted ? '' : '#refused'}`, deps);
}

async function perform(
  wanted: Operation,
  operator: string,
  sent: Arrival,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  if (wanted.sentAt !== undefined && Date.parse(wanted.sentAt) > deps.clock.now() + AHEAD_MS)
    return refuse('sent_in_future');
  const unknown = unknownName(wanted, deps.policy);
  // An agent that was taken out of the policy file may have left questions: whatever a click ends, an operator ends as well.
  if (unknown && wanted.kind !== 'decide') return unknown;
  switch (wanted.kind) {
    case 'pause':
      return pause(wanted, operator, sent, deps);
    case 'decide': {
      const voted = await castBreakGlassVote(wanted, operator, sent, deps);
      return unknown && voted.code === 'unknown_approval' ? unknown : voted;
    }
    case 'set-mode':
    case 'revoke':
    case 'add-rule':
    case 'remove-rule':
      return changeSession(wanted, operator, sent, deps);
    case 'delegate':
    case 'undelegate':
      return delegateFor(wanted, operator, sent, deps);
    case 'void-permits':
      return voidPermits(wanted, operator, deps);
    case 'replay':
      return replayEvents(wanted, deps);
    case 'redrive':
      return redrive(wanted, deps);
    case 'forget':
      return forget(wanted, operator, sent, deps);
    default:
      return wanted satisfies never;
  }
}

/** For others: an operator who took a seat would be one vote that nobody gave them. */
async function delegateFor(
  wanted: DelegationOperation,
  operator: string,
  sent: Arrival,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  const { operators } = deps.policy.settings;
  const to = wanted.kind === 'delegate' ? wanted.to : undefined;
  if (to === wanted.person) return refuse('same_person');
  if (to !== undefined && to === operators[operator]?.person) return refuse('own_place');
  const times = wanted.kind === 'delegate' ? { from: wanted.from, until: wanted.until } : {};
  const request = {
    person: deps.policy.person(wanted.person),
    ...(to ? { to: deps.policy.person(to) } : {}),
    ...times,
  };
  // Digests all that it says: another one under the same id is another operation, and would be told as done.
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  return delegationDone(await changeDelegation(request, operator, { id, sent }, deps), wanted.kind);
}
