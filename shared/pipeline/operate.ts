/** What operators tell the gate through their own queue: pause, and break-glass votes (A5, A18). Always audited and announced. */
import { type Operation, operation, type PauseOperation, type RuleOperation } from '../contract/operation.ts';
import { samePerson } from '../domain/approval.ts';
import { canonicalJson, pidOf, sha256Hex } from '../domain/digest.ts';
import { readIJson } from '../domain/raw-json.ts';
import type { Control, ControlStore, Pause } from '../ports/control.ts';
import type { SessionStore } from '../ports/session-store.ts';
import { type Registry, UNREGISTERED, whoSent } from './identity.ts';
import { changeSession } from './operate-session.ts';
import { recordOf, type Subject } from './record.ts';
import { type VotingGate, vote } from './vote.ts';

export interface OperatorGate extends VotingGate {
  readonly operators: Registry;
  readonly accountsAllowed: boolean;
  readonly control: ControlStore;
  readonly sessions: SessionStore;
}

export interface OperatorMessage {
  readonly messageId: string;
  readonly raw: string;
  readonly principal: string;
}

const TRIES = 5;
/** Operations that the control row remembers. */
const REMEMBERED = 20;
/** The partition of operations in the audit; no agent can have this name. */
const OPERATIONS = '-operations';

/** Does one operation once; what cannot be read or is not allowed is audited and changes nothing. */
export async function operate(message: OperatorMessage, gate: OperatorGate): Promise<void> {
  const operator = await whoSent(message.principal, gate.operators, gate);
  const json = readIJson(message.raw);
  const parsed = json.ok ? operation.safeParse(json.value) : undefined;
  // Registered once and no longer in the policy file is not registered.
  if (operator === undefined || !Object.hasOwn(gate.policy.settings.operators, operator))
    return note(message, UNREGISTERED, 'unregistered_sender', false, '', gate);
  if (!parsed?.success) {
    const issue = parsed?.error.issues[0];
    const why = json.ok ? `${issue?.path.join('.')}: ${issue?.message}` : json.fault.message;
    return note(message, operator, 'invalid_operation', false, await gate.redactor.text(why), gate);
  }
  // People type secrets too; a reason is stored, announced and told to the model.
  const wanted = { ...parsed.data, reason: await gate.redactor.text(parsed.data.reason) };
  const done = await perform(wanted, operator, gate);
  await note(message, operator, done.code, done.accepted, wanted.reason, gate);
  await announce(wanted, operator, done.code, gate);
}

export interface Done {
  readonly accepted: boolean;
  readonly code: string;
}

async function perform(wanted: Operation, operator: string, gate: OperatorGate): Promise<Done> {
  switch (wanted.kind) {
    case 'pause':
      return pause(wanted, operator, gate);
    case 'decide':
      return decideFor(wanted, operator, gate);
    case 'set-mode':
    case 'revoke':
    case 'add-rule':
    case 'remove-rule':
      return changeSession(wanted, operator, gate);
    default:
      return wanted satisfies never;
  }
}

async function pause(wanted: PauseOperation, operator: string, gate: OperatorGate): Promise<Done> {
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  const done: Done = { accepted: true, code: wanted.effect === 'lift' ? 'pause_lifted' : `paused_${wanted.effect}` };
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const control = await gate.control.read();
    if (control.done?.includes(id)) return done;
    if (await gate.control.write(nextControl(control, wanted, operator, id))) return done;
  }
  throw new Error('the control row kept changing while it was written');
}

function nextControl(
  control: Control,
  { scope, effect, until, reason }: PauseOperation,
  by: string,
  id: string,
): Control {
  const key = JSON.stringify(scope);
  const others = control.pauses.filter((pause) => JSON.stringify(pause.scope) !== key);
  const added: Pause[] =
    effect === 'lift'
      ? []
      : [{ scope, effect, reason, by, ...(until === undefined ? {} : { until: Date.parse(until) }) }];
  const done = [...(control.done ?? []), id].slice(-REMEMBERED);
  return { ...control, version: control.version + 1, pauses: [...others, ...added], done };
}

/** One vote of the operator's person: the same rules as a click, so never for an agent of their own, never twice (A5). */
async function decideFor(
  wanted: Extract<Operation, { kind: 'decide' }>,
  operator: string,
  gate: OperatorGate,
): Promise<Done> {
  const pid = pidOf(gate.deployment, wanted.agent, wanted.proposalId);
  const known = await gate.approvals.read(pid);
  if (!known) return { accepted: false, code: 'unknown_approval' };
  const name = gate.policy.settings.operators[operator]?.person ?? '';
  const person = gate.policy.person(name);
  const voted = await vote(
    {
      pid,
      person,
      name: gate.policy.settings.people[name]?.name ?? operator,
      isBot: false,
      ballot: {
        choice: wanted.choice,
        reason: wanted.reason,
        questionDigest: known.approval.question.digest,
        via: 'operators',
        ...(wanted.remember ? { remember: wanted.remember } : {}),
      },
      requestId: sha256Hex(`${operator}#${wanted.operationId}`).slice(0, 32),
    },
    gate,
  );
  // A message delivered again finds the vote of its first delivery: what is noted is what it did.
  const cast = voted.approval?.votes.some(
    ({ by, choice, via }) => via === 'operators' && choice === wanted.choice && samePerson(by, person),
  );
  if (voted.kind === 'counted' || cast) return { accepted: true, code: `vote_${wanted.choice}` };
  return { accepted: false, code: voted.refusal };
}

const ruleText = ({ effect, pattern, agent, session }: RuleOperation): string =>
  `${effect} ${pattern} for ${agent}, ${session === undefined ? 'every session' : `session ${session}`}`;

async function note(
  message: OperatorMessage,
  operator: string,
  code: string,
  accepted: boolean,
  detail: string,
  gate: OperatorGate,
): Promise<void> {
  const pid = sha256Hex(`${operator}#${message.messageId}`);
  const subject: Subject = { agent: OPERATIONS, pid, proposalId: null };
  await gate.audit.put(
    recordOf(gate, subject, 'operation', {
      type: 'operation',
      reasonCode: code,
      accepted,
      decidedBy: { type: 'human', id: operator },
      ...(detail ? { detail: detail.slice(0, 1000) } : {}),
    }),
  );
}

/** Loud on purpose: everybody who approves reads what was done around them (A5). */
async function announce(done: Operation, operator: string, code: string, gate: OperatorGate): Promise<void> {
  const channels = new Set(Object.values(gate.policy.settings.channels).map(({ id }) => id));
  const what = textOf(done);
  const text = `Operator ${operator}: ${what} → ${code}. Reason: ${done.reason}`;
  for (const channel of channels)
    await gate.cards.announce(channel, text, `${channel}#${operator}#${done.operationId}`);
}

function textOf(done: Operation): string {
  switch (done.kind) {
    case 'pause':
      return `pause ${JSON.stringify(done.scope)}`;
    case 'decide':
      return `decide ${done.agent} ${done.proposalId}${done.remember ? ` for the ${done.remember}` : ''}`;
    case 'set-mode':
      return `set the mode of ${done.agent}, session ${done.session}, to ${done.mode}`;
    case 'revoke':
      return `revoke what was approved for ${done.agent}, session ${done.session}${done.tool ? `, tool ${done.tool}` : ''}`;
    case 'add-rule':
      return `add the rule ${ruleText(done)}${done.until === undefined ? '' : ` until ${done.until}`}`;
    case 'remove-rule':
      return `remove the rule ${ruleText(done)}`;
    default:
      return done satisfies never;
  }
}
