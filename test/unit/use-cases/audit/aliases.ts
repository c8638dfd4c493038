/** Plays an ordinary day of people at a gate, and tells what its record holds of them. */
import { aliasOf } from '../../../../shared/domain/record/alias.ts';
import { bash, PEOPLE, policyOf, type World } from '../world.ts';

export const ALIASES = 'record: { people: aliases }';
const TWO = { approvals: '{ timeout: 1h, stages: [{ group: platform, quorum: 2 }] }' };
export const TWO_WITH_IDS = policyOf(TWO);
export const TWO_WITH_ALIASES = policyOf({ ...TWO, more: ALIASES });

export const bySlackId = /\bU0[A-Z]+\b|\b(?:Alice|Bob|Olga)\b/;

/** Everything that the record holds, as it is stored. */
export const recorded = ({ gate }: World): string =>
  JSON.stringify([...gate.parts.state.audit.values()].map((rows) => [...rows.values()]));

/** @throws Error where the person has none. */
export async function aliasIn({ gate }: World, user: string): Promise<string> {
  const key = (await gate.parts.aliases.keysOf([user])).get(user);
  if (!key) throw new Error(`${user} has no alias`);
  return aliasOf(key);
}

/** Votes of two, a refusal that answers again, a seat that is passed on, an edit, a click of a stranger, operations and a request in Slack. */
export async function ordinaryDay(world: World): Promise<void> {
  await world.send(bash('yes', 'git push origin yes'));
  await world.click('yes', 'alice');
  await world.click('yes', 'bob');
  await world.send(bash('no', 'git push origin no'));
  await world.click('no', 'alice', 'reject', { reason: 'ask U0BOB first' });
  await world.send(bash('again', 'git push origin no'));
  await world.send(bash('passed', 'git push origin passed'));
  await world.passOn('passed', 'alice', 'bob');
  await world.click('passed', 'bob');
  await world.send(bash('edited', 'git push origin edited'));
  await world.edit('edited', 'alice', { command: 'git push origin other' });
  await world.click('edited', 'stranger');
  const until = new Date(world.clock.now() + 3_600_000).toISOString();
  for (const [index, one] of [
    { kind: 'delegate', person: 'alice', to: 'bob', until, reason: 'U0ALICE is away' },
    { kind: 'undelegate', person: 'alice', reason: 'back' },
  ].entries())
    world.gate.operateAs('owner', JSON.stringify({ operationId: `day-${index}`, ...one }));
  world.gate.askInSlack({
    kind: 'asked-in-slack',
    operationId: 'asked',
    person: PEOPLE.alice,
    name: 'Alice',
    groups: ['platform'],
    wanted: { kind: 'delegate', to: PEOPLE.bob, until },
  });
  await world.rest();
}
