/** Sends operations as the plan says: the brake, what is taken back, rules. */
import { EVERY_SESSION } from '../../shared/contract/index.ts';
import { newSession } from '../../shared/domain/session.ts';
import { type AddRule, MAX_PATTERN, type Operate, type Revoke } from './plan.ts';
import type { World } from './world.ts';

export async function operate({ effect, scope, copies }: Operate, world: World): Promise<void> {
  const operation = { at: world.clock.now(), id: world.ids.next(), effect, scope };
  world.history.operations.push(operation);
  const raw = JSON.stringify({ kind: 'pause', operationId: operation.id, reason: 'a test', scope, effect });
  world.tell(() => `the operator sends ${operation.id}: ${effect} ${JSON.stringify(scope)}`);
  world.gate.operateAs('oncall', raw);
  for (const later of copies)
    world.clock.after(later, () => {
      if (effect === 'lift') world.history.operations.push({ ...operation, at: world.clock.now() });
      world.gate.operateAs('oncall', raw);
    });
}

export async function revoke({ agent, everywhere }: Revoke, world: World): Promise<void> {
  const operation = { at: world.clock.now(), id: world.ids.next(), agent };
  world.history.revoked.push(operation);
  const session = everywhere ? {} : { session: 'main' };
  world.tell(() => `the operator takes back as ${operation.id} what ${agent} may do`);
  const wanted = { kind: 'revoke', operationId: operation.id, reason: 'a test', agent, ...session };
  world.gate.operateAs('oncall', JSON.stringify(wanted));
}

/** Operators add rules one at a time over months: those that are there already are put there. */
export async function addRule({ agent, length }: AddRule, world: World): Promise<void> {
  for (const session of ['main', EVERY_SESSION]) {
    const row = newSession(agent, session);
    const rule = { effect: 'deny', source: 'session', reason: 'r'.repeat(MAX_PATTERN), by: 'oncall' } as const;
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
    'oncall',
    JSON.stringify({ kind: 'add-rule', operationId: operation.id, reason: 'a test', ...rule }),
  );
}

const MAX_RULES = 50;
/** Denies a program that nobody runs. */
const patternOf = (index: number, length: number): string =>
  `Bash(tool-${index} `.padEnd(length - 3, 'x').concat(':*)');
