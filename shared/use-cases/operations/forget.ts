/**
 * Takes a person out of the record: destroys the secret of their alias, and ends their delegations.
 *
 * Entries stay as they are, so that they can be proved. The result counts those of before there were aliases, which hold the id.
 */
import { usersOf } from '../../config/readers/record-people.ts';
import { LIMITS } from '../../contract/bounds.ts';
import type { Person } from '../../contract/index.ts';
import type { ForgetOperation } from '../../contract/operation.ts';
import { type Arrival, withoutUser } from '../../domain/approval/order.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { aliasOf } from '../../domain/record/alias.ts';
import { OPERATIONS } from '../../domain/record/operation-id.ts';
import { withRemembered } from '../../domain/record/remembered-operations.ts';
import { UNKNOWN_APPROVAL } from '../approvals/voting/cast-vote.ts';
import { UNREGISTERED } from '../identity.ts';
import { MAX_REMEMBERED } from '../people/delegation.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { type OperationResult, refuse } from './refusal.ts';

type Forgetting = Pick<OperatorDependencies, 'aliases' | 'audit' | 'clock' | 'delegations' | 'policy'>;

/** Safe to repeat: a message that comes again finds what is left, and its result says so. */
export async function forget(
  { person: user, operationId }: ForgetOperation,
  operator: string,
  sent: Arrival,
  deps: Forgetting,
): Promise<OperationResult> {
  const { policy, aliases } = deps;
  // A person of the file may vote, and would be in the next entry again. So no operator forgets themselves either.
  if (usersOf(policy.settings).has(user)) return refuse('still_listed');
  if (!policy.record.hasAliases) return refuse('no_aliases');
  // The mark names operator, operation and person: an id that was used for somebody else tells nothing of this one.
  const id = sha256Hex(`forget#${operator}#${operationId}#${user}`).slice(0, 16);
  const key = (await aliases.keysOf([user])).get(user);
  const read = await deps.delegations.read();
  const isKnown = key !== undefined || read.done.includes(id) || read.delegations.some(isOf(user));
  if (!isKnown && !(await stillNamed(user, deps)).stillNamed) return refuse('nobody_named');
  await endDelegations(user, { id, sent }, deps);
  if (key) await aliases.destroy(key);
  const left = await stillNamed(user, deps);
  return {
    accepted: true,
    code: left.stillNamed ? 'forgotten_since_aliases' : 'forgotten',
    forgotten: { ...(key ? { alias: aliasOf(key) } : {}), ...left },
  };
}

/** Delegations of the person, and to them: none of them comes back with a message that is late. */
async function endDelegations(
  user: string,
  { id, sent }: { readonly id: string; readonly sent: Arrival },
  { delegations }: Forgetting,
): Promise<void> {
  await retryOnConflict('the delegations kept changing while they were written', async () => {
    const read = await delegations.read();
    const next = {
      ...read,
      version: read.version + 1,
      delegations: read.delegations.filter((one) => !isOf(user)(one)),
      done: withRemembered(read.done, id, undefined, MAX_REMEMBERED),
      ...(read.orders ? { orders: withoutUser(read.orders, user, sent) } : {}),
    };
    return read.done.includes(id) || (await delegations.write(next)) ? undefined : CONFLICT;
  });
}

const isOf =
  (user: string) =>
  (one: { readonly person: Person; readonly to: Person }): boolean =>
    one.person.user === user || one.to.user === user;

/** Counts the entries that still hold the id itself, of the policy file's agents and of operators, and tells when the last of them expires. */
async function stillNamed(user: string, { audit, clock, policy }: Forgetting) {
  const agents = [...Object.keys(policy.settings.agents), OPERATIONS, UNREGISTERED, UNKNOWN_APPROVAL.agent];
  let unread = 0;
  // An entry that cannot be read, such as one of a newer release, counts as naming the person, and as written now.
  const unreadable = () => void unread++;
  const { records } = await audit.find({ agents, person: user, limit: LIMITS.countedEntries, unreadable });
  const [newest] = records;
  if (!newest && !unread) return { stillNamed: 0 };
  const longest = Math.max(...Object.values(policy.record.retention));
  const at = newest && !unread ? Date.parse(newest.entry.recordedAt) : clock.now();
  return { stillNamed: records.length + unread, stillNamedUntil: new Date(at + longest).toISOString() };
}

/** The operation as the record and the channels are told of it: by the alias that is nobody's, and not by the id, wherever that stands. */
export function withoutPerson(
  { person, ...wanted }: ForgetOperation,
  { forgotten }: Pick<OperationResult, 'forgotten'>,
): ForgetOperation {
  const name = forgotten?.alias ?? 'somebody';
  return { ...wanted, person: name, reason: wanted.reason.replaceAll(person, name) };
}
