/** What operators tell the gate through their own queue: pause, and break-glass votes (A5, A18). Always audited and announced. */
import {
  type DecideOperation,
  type DelegationOperation,
  type Operation,
  operation,
  type PauseOperation,
  type RuleOperation,
} from '../contract/operation.ts';
import type { SentOperation } from '../contract/operation-order.ts';
import { canonicalJson, sha256Hex } from '../domain/digest.ts';
import {
  type Arrival,
  arrivalOf,
  type OrderRefusal,
  orderIn,
  orderRefusal,
  withOperation,
  withOrderIn,
} from '../domain/order.ts';
import { readIJson } from '../domain/raw-json.ts';
import type { Control, ControlStore, Pause } from '../ports/control.ts';
import type { DelegationStore } from '../ports/delegation-store.ts';
import type { SessionStore } from '../ports/session-store.ts';
import { doAsked } from './asked-in-slack.ts';
import { decideFor } from './decide-for.ts';
import { changeDelegation } from './delegate.ts';
import { type Registry, UNREGISTERED, whoSent } from './identity.ts';
import { announce, note } from './operate-record.ts';
import { changeSession, ownsAgent } from './operate-session.ts';
import type { VotingGate } from './vote.ts';

export interface OperatorGate extends VotingGate {
  readonly operators: Registry;
  readonly accountsAllowed: boolean;
  readonly control: ControlStore;
  readonly sessions: SessionStore;
  readonly delegations: DelegationStore;
  /** The sender through which people ask in Slack: IAM's id of the function that verified their requests. Absent: nobody can. */
  readonly desk?: string | undefined;
}

export interface OperatorMessage {
  readonly messageId: string;
  readonly raw: string;
  readonly principal: string;
  /** When the queue received it, in milliseconds since 1970. */
  readonly sentAt: number;
  /** When its sender says that it was sent first: a message that was sent again keeps it. It can only make the operation older. */
  readonly statedAt?: number | undefined;
}

const TRIES = 5;
/** Operations that the control row remembers. */
const REMEMBERED = 20;
/** Does one operation once; what cannot be read or is not allowed is audited and changes nothing. */
export async function operate(message: OperatorMessage, gate: OperatorGate): Promise<void> {
  const json = readIJson(message.raw);
  if (gate.desk !== undefined && message.principal.split(':')[0] === gate.desk) return doAsked(message, json, gate);
  const operator = await whoSent(message.principal, gate.operators, gate);
  const parsed = json.ok ? operation.safeParse(json.value) : undefined;
  // Registered once and no longer in the policy file is not registered.
  if (operator === undefined || !Object.hasOwn(gate.policy.settings.operators, operator))
    return note(message, UNREGISTERED, { code: 'unregistered_sender', accepted: false, detail: '' }, gate);
  if (!parsed?.success) {
    const issue = parsed?.error.issues[0];
    const why = json.ok ? `${issue?.path.join('.')}: ${issue?.message}` : json.fault.message;
    const detail = await gate.redactor.text(why);
    return note(message, operator, { code: 'invalid_operation', accepted: false, detail }, gate);
  }
  // People type secrets too; a reason is stored, announced and told to the model.
  const wanted = { ...parsed.data, reason: await gate.redactor.text(parsed.data.reason) };
  const sent = arrivalOf(`${operator}/${wanted.operationId}`, message, gate.clock.now());
  const done = await perform(wanted, operator, sent, gate);
  const order = orderText(done);
  await note(message, operator, { ...done, detail: `${order}${wanted.reason}` }, gate);
  const text = `Operator ${operator}: ${textOf(wanted)} → ${done.code}.${done.accepted ? scopeText(wanted) : ` ${order}`.trimEnd()} Reason: ${wanted.reason}`;
  await announce(text, `${operator}#${wanted.operationId}`, gate);
}

export interface Done {
  readonly accepted: boolean;
  readonly code: string;
  /** The newer operation that this one would have undone. */
  readonly by?: SentOperation | undefined;
}

/** An operation that its order refuses. */
export const outOfOrder = (refusal: OrderRefusal): Done => ({ accepted: false, ...refusal });

/** Why it came too late or too early, as people read it; empty for all others. */
export function orderText({ code, by }: Done): string {
  if (code === 'sent_in_future') return 'Its time lies ahead: check the clock of the machine that sent it. ';
  return by
    ? `A newer operation holds, ${by.id} of ${new Date(by.at).toISOString()}: send this one again if it is meant. `
    : '';
}

async function perform(wanted: Operation, operator: string, sent: Arrival, gate: OperatorGate): Promise<Done> {
  switch (wanted.kind) {
    case 'pause':
      return pause(wanted, operator, sent, gate);
    case 'decide':
      return decideFor(wanted, operator, gate);
    case 'set-mode':
    case 'revoke':
    case 'add-rule':
    case 'remove-rule':
      return changeSession(wanted, operator, sent, gate);
    case 'delegate':
    case 'undelegate':
      return delegateFor(wanted, operator, sent, gate);
    default:
      return wanted satisfies never;
  }
}

/** For others: an operator who took a place would be one vote that nobody gave them (A5). */
async function delegateFor(
  wanted: DelegationOperation,
  operator: string,
  sent: Arrival,
  gate: OperatorGate,
): Promise<Done> {
  const { people, operators } = gate.policy.settings;
  const to = wanted.kind === 'delegate' ? wanted.to : undefined;
  const refuse = (code: string): Done => ({ accepted: false, code });
  if (!Object.hasOwn(people, wanted.person) || (to !== undefined && !Object.hasOwn(people, to)) || to === wanted.person)
    return refuse('unknown_person');
  if (to !== undefined && to === operators[operator]?.person) return refuse('own_place');
  const times = wanted.kind === 'delegate' ? { from: wanted.from, until: wanted.until } : {};
  const place = { person: gate.policy.person(wanted.person), ...(to ? { to: gate.policy.person(to) } : {}), ...times };
  const id = sha256Hex(`${operator}#${wanted.operationId}`).slice(0, 16);
  const change = await changeDelegation(place, operator, { id, sent }, gate);
  if (change.code === 'changed') return { accepted: true, code: `${wanted.kind}d` };
  return change.code === 'superseded' ? outOfOrder(change) : refuse(change.code);
}

async function pause(wanted: PauseOperation, operator: string, sent: Arrival, gate: OperatorGate): Promise<Done> {
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  const done: Done = { accepted: true, code: wanted.effect === 'lift' ? 'pause_lifted' : `paused_${wanted.effect}` };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const control = await gate.control.read();
    if (control.done?.includes(id)) return done;
    const loosens = loosensPause(wanted, control, gate.clock.now());
    // Nobody loosens the pause of an agent of their own, as they could not approve its calls either (A5, G19).
    if (loosens && 'agent' in wanted.scope && ownsAgent(operator, wanted.scope.agent, gate))
      return { accepted: false, code: 'own_agent' };
    const late =
      loosens || wanted.effect === 'lift'
        ? orderRefusal(orderIn(control.orders, scopeOf(wanted)), sent, true)
        : undefined;
    if (late) return outOfOrder(late);
    if (await gate.control.write(nextControl(control, wanted, operator, { id, sent }))) return done;
  }
  throw new Error('the control row kept changing while it was written');
}

const scopeOf = ({ scope }: Pick<Pause, 'scope'>): string => JSON.stringify(scope);

/** Whether less is stopped afterwards, or for a shorter time, than by the pause that holds now. */
function loosensPause(wanted: PauseOperation, control: Control, now: number): boolean {
  const { effect, until } = wanted;
  const held = control.pauses.find((pause) => scopeOf(pause) === scopeOf(wanted));
  if (!held || (held.until !== undefined && held.until <= now)) return false;
  const ends = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  return (
    effect === 'lift' || (held.effect === 'deny' && effect === 'ask') || ends < (held.until ?? Number.POSITIVE_INFINITY)
  );
}

function nextControl(
  control: Control,
  wanted: PauseOperation,
  by: string,
  { id, sent }: { readonly id: string; readonly sent: Arrival },
): Control {
  const { scope, effect, until, reason } = wanted;
  const key = scopeOf(wanted);
  const others = control.pauses.filter((pause) => scopeOf(pause) !== key);
  const added: Pause[] =
    effect === 'lift'
      ? []
      : [{ scope, effect, reason, by, ...(until === undefined ? {} : { until: Date.parse(until) }) }];
  const done = [...(control.done ?? []), id].slice(-REMEMBERED);
  const order = withOperation(orderIn(control.orders, key), sent, effect !== 'lift');
  const orders = withOrderIn(control.orders, key, order);
  return { ...control, version: control.version + 1, pauses: [...others, ...added], done, orders };
}

function decideText(done: DecideOperation): string {
  if (done.choice === 'substitute') return `substitute ${done.flow} in`;
  const calls = 'calls' in done && done.calls ? ` calls ${done.calls.join(', ')} of` : '';
  const remember = done.choice === 'approve' && done.remember ? ` for the ${done.remember}` : '';
  return `${done.choice}${remember}${calls}`;
}

const sessionText = ({ session }: { readonly session?: string | undefined }): string =>
  session === undefined ? 'every session' : `session ${session}`;

/** Names the scope: a reader in a hurry must not take one session for all (D58). */
function scopeText(wanted: Operation): string {
  if (wanted.kind !== 'set-mode' && wanted.kind !== 'add-rule') return '';
  if (wanted.session !== undefined) return ' It holds in that session alone, and the agent may open another.';
  return wanted.kind === 'set-mode'
    ? ' It holds in every session of the agent; where a session has a mode of its own, the stricter holds.'
    : ' It holds in every session of the agent.';
}

const ruleText = (operation: RuleOperation): string =>
  `${operation.effect} ${operation.pattern} for ${operation.agent}, ${sessionText(operation)}`;

function textOf(done: Operation): string {
  switch (done.kind) {
    case 'pause':
      return `pause ${JSON.stringify(done.scope)}`;
    case 'decide':
      return `${decideText(done)} ${done.agent} ${done.proposalId}`;
    case 'set-mode':
      return `set the mode of ${done.agent}, ${sessionText(done)}, to ${done.mode}`;
    case 'revoke':
      return `revoke what was approved for ${done.agent}, ${sessionText(done)}${done.tool ? `, tool ${done.tool}` : ''}${done.grant ? `, grant ${done.grant}` : ''}`;
    case 'add-rule':
      return `add the rule ${ruleText(done)}${done.until === undefined ? '' : ` until ${done.until}`}`;
    case 'remove-rule':
      return `remove the rule ${ruleText(done)}`;
    case 'delegate':
      return `${done.to} votes in the place of ${done.person}${done.from ? ` from ${done.from}` : ''} until ${done.until}`;
    case 'undelegate':
      return `nobody votes in the place of ${done.person} any more`;
    default:
      return done satisfies never;
  }
}
