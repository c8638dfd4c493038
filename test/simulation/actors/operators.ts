/** Sends operations as the plan says: the brake, what is taken back, rules. */
import { EVERY_SESSION } from '../../../shared/contract/index.ts';
import { newSession } from '../../../shared/domain/session.ts';
import {
  type AddRule,
  type Decide,
  type Delegate,
  inputOf,
  MAX_PATTERN,
  type Operate,
  type Redrive,
  type Replay,
  type Revoke,
} from '../model/plan.ts';
import { OPERATOR, OPERATOR_IS, WEBHOOK } from '../model/policies.ts';
import type { World } from '../world/world.ts';

export async function operate({ effect, scope, copies, lasts }: Operate, world: World): Promise<void> {
  const at = world.clock.now();
  const ends = lasts === undefined ? {} : { until: at + lasts };
  const sent = { at, id: world.ids.next(), effect, scope, ...ends };
  const operation = { ...sent };
  world.history.operations.push(operation);
  const until = lasts === undefined ? {} : { until: new Date(at + lasts).toISOString() };
  const wanted = { kind: 'pause', operationId: operation.id, reason: 'a test', scope, effect, ...until };
  const raw = JSON.stringify(wanted);
  world.tell(() => `the operator sends ${operation.id}: ${effect} ${JSON.stringify(scope)}`);
  world.gate.operateAs(OPERATOR, raw);
  for (const later of copies)
    world.clock.after(later, () => {
      // Sent anew, it may lift, or end sooner, what somebody ordered in between.
      if (effect === 'lift' || lasts !== undefined) world.history.operations.push({ ...sent, at: world.clock.now() });
      world.gate.operateAs(OPERATOR, raw);
    });
}

/** By the question that stands there as the operator looks. */
export async function decide({ id, choice, edit, copies }: Decide, world: World): Promise<void> {
  const agent = world.history.sent.find((sent) => sent.id === id)?.agent;
  if (agent === undefined) return;
  const pid = world.pid(agent, id);
  const approval = async () => (await world.stored.approvals.read(pid).catch(() => undefined))?.approval;
  for (let look = 0; look < 12 && (await approval())?.status !== 'pending'; look++) await world.sleep(20_000);
  const row = await approval();
  // Nobody answers what they have not seen.
  if (row?.status !== 'pending') return;
  const { round, question } = row;
  const vote = {
    at: world.clock.now(),
    id,
    who: OPERATOR_IS,
    choice: edit === undefined ? choice : ('edit' as const),
    remember: false,
    seen: question.kind === 'calls' ? question.calls.map(({ actionDigest }) => actionDigest) : [],
    requestId: world.ids.next(),
    ...(edit === undefined ? {} : { edit }),
  };
  world.history.votes.push(vote);
  world.tell(() => `the operator decides ${id} as ${vote.requestId}: ${vote.choice} ${edit ?? ''}`);
  const about = { kind: 'decide', operationId: vote.requestId, reason: 'a test', agent, proposalId: id, round };
  const raw = JSON.stringify({
    ...about,
    choice: vote.choice,
    ...(edit === undefined ? {} : { input: inputOf(edit) }),
  });
  world.gate.operateAs(OPERATOR, raw);
  for (const later of copies) world.clock.after(later, () => world.gate.operateAs(OPERATOR, raw));
}

export async function delegate({ person, to, lasts = 0, begins = 0, copies }: Delegate, world: World): Promise<void> {
  const at = world.clock.now();
  const [from, until] = [at + begins, at + begins + lasts];
  const operation = { at, id: world.ids.next(), person, ...(to ? { to } : {}), from, until };
  world.history.delegated.push(operation);
  world.tell(() => `the operator delegates ${person}'s seat to ${to ?? 'nobody'} as ${operation.id}`);
  const times = { ...(begins ? { from: timeOf(from) } : {}), until: timeOf(until) };
  const about = { operationId: operation.id, reason: 'a test', person };
  const raw = JSON.stringify({ ...about, ...(to ? { kind: 'delegate', to, ...times } : { kind: 'undelegate' }) });
  world.gate.operateAs(OPERATOR, raw);
  for (const later of copies) world.clock.after(later, () => world.gate.operateAs(OPERATOR, raw));
}

export async function replay({ since, copies }: Replay, world: World): Promise<void> {
  const at = world.clock.now();
  const operation = { at, id: world.ids.next(), from: at - since };
  world.history.replayed.push(operation);
  world.tell(() => `the operator has the events since ${since / 1_000} s ago sent again as ${operation.id}`);
  const about = { kind: 'replay', operationId: operation.id, reason: 'a test', webhook: WEBHOOK };
  const raw = JSON.stringify({ ...about, from: timeOf(operation.from), until: timeOf(at) });
  world.gate.operateAs(OPERATOR, raw);
  for (const later of copies) world.clock.after(later, () => world.gate.operateAs(OPERATOR, raw));
}

export async function redrive({ queue, limit, copies }: Redrive, world: World): Promise<void> {
  const operation = { at: world.clock.now(), id: world.ids.next(), queue, isPart: limit !== undefined };
  world.history.redriven.push(operation);
  world.tell(() => `the operator brings back what ${queue} set aside as ${operation.id}`);
  const about = { kind: 'redrive', operationId: operation.id, reason: 'a test', queue };
  const raw = JSON.stringify({ ...about, ...(limit === undefined ? {} : { limit }) });
  world.gate.operateAs(OPERATOR, raw);
  for (const later of copies) world.clock.after(later, () => world.gate.operateAs(OPERATOR, raw));
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

export async function voidPermits(world: World): Promise<void> {
  const operation = { at: world.clock.now(), id: world.ids.next() };
  world.history.voided.push(operation);
  world.tell(() => `the operator makes permits void as ${operation.id}`);
  world.gate.operateAs(OPERATOR, JSON.stringify({ kind: 'void-permits', operationId: operation.id, reason: 'a test' }));
}

export async function revoke({ agent, everywhere }: Revoke, world: World): Promise<void> {
  const operation = { at: world.clock.now(), id: world.ids.next(), agent };
  world.history.revoked.push(operation);
  const session = everywhere ? {} : { session: 'main' };
  world.tell(() => `the operator takes back as ${operation.id} what ${agent} may do`);
  const wanted = { kind: 'revoke', operationId: operation.id, reason: 'a test', agent, ...session };
  world.gate.operateAs(OPERATOR, JSON.stringify(wanted));
}

/** Operators add rules one at a time over months: those that are there already are put there. */
export async function addRule({ agent, length }: AddRule, world: World): Promise<void> {
  for (const session of ['main', EVERY_SESSION]) {
    const row = newSession(agent, session);
    const rule = { effect: 'deny', source: 'session', reason: 'r'.repeat(MAX_PATTERN), by: OPERATOR } as const;
    const rules = Array.from({ length: MAX_RULES - 1 }, (_, index) => ({
      ...rule,
      pattern: patternOf(index, MAX_PATTERN),
    }));
    // Refused where the agent has a row already.
    await world.stored.sessions.write({ ...row, version: 1, rules });
  }
  const operation = { at: world.clock.now(), id: world.ids.next(), length };
  world.history.ruled.push(operation);
  world.tell(() => `the operator adds a rule of ${length} characters as ${operation.id}`);
  const rule = { agent, session: 'main', effect: 'deny', pattern: patternOf(MAX_RULES, length) };
  world.gate.operateAs(
    OPERATOR,
    JSON.stringify({ kind: 'add-rule', operationId: operation.id, reason: 'a test', ...rule }),
  );
}

const MAX_RULES = 50;
/** Denies a program that nobody runs. */
const patternOf = (index: number, length: number): string =>
  `Bash(tool-${index} `.padEnd(length - 3, 'x').concat(':*)');
