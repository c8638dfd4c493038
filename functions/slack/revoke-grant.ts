/** Lists grants and takes them back, by command and in App Home, for the person that Slack signed for. */
import { COMMAND } from '../../shared/adapters/slack/texts/command.ts';
import type { AskedInSlack, Person } from '../../shared/contract/index.ts';
import { type ActiveGrant, activeGrants } from '../../shared/domain/session.ts';
import { canRevoke } from '../../shared/use-cases/approvals/voting/revocable-grants.ts';
import { type Actor, groupsOfPerson, voterStatus } from '../../shared/use-cases/people/seats.ts';
import type { HomeDependencies, ListenerDependencies } from './dependencies.ts';

/** The person who acts, by the signed request. */
export interface SignedActor extends Actor {
  readonly name: string;
  readonly requestId: string;
}

/** Lists the grants that the person may revoke; undefined for a person who may do nothing here. `operate` checks the right again. */
export async function revocable(
  person: Person,
  { deps, sessions, control }: HomeDependencies,
): Promise<ActiveGrant[] | undefined> {
  if ((await voterStatus({ person }, deps)) !== 'member') return undefined;
  const agents = Object.keys(deps.policy.settings.agents);
  const [groups, known, ...rows] = await Promise.all([
    groupsOfPerson(person, deps),
    control(),
    ...agents.map(sessions),
  ]);
  const now = deps.clock.now();
  return rows
    .flatMap((ofAgent) => activeGrants(ofAgent, known, now))
    .filter((grant) => canRevoke(grant, { person, groups }, deps.policy));
}

/** Why the person may do nothing here; undefined for a member. */
export async function barOf(actor: Actor, { deps }: Pick<HomeDependencies, 'deps'>): Promise<string | undefined> {
  const status = await voterStatus(actor, deps);
  return status === 'member' ? undefined : COMMAND.barred[status];
}

/** Asks for a grant to be taken back, and returns the text for the person. Reads the grants anew: the list that the person saw may be old. */
export async function revoke(id: string, actor: SignedActor, listening: ListenerDependencies): Promise<string> {
  const bar = await barOf(actor, listening);
  if (bar !== undefined) return bar;
  const grant = (await revocable(actor.person, listening))?.find((one) => one.id === id);
  if (!grant) return COMMAND.noSuchGrant;
  const { agent, sessionId } = grant;
  const where = sessionId === undefined ? {} : { session: sessionId };
  return ask({ kind: 'revoke', agent, ...where, grant: id }, actor, listening);
}

/** Passes on a request that this function has no right to carry out, in the name of the person that Slack signed for. */
export async function ask(
  wanted: AskedInSlack['wanted'],
  { person, workspace, name, requestId }: SignedActor,
  { deps, ask: send }: ListenerDependencies,
): Promise<string> {
  const bar = await barOf({ person, workspace }, { deps });
  if (bar !== undefined) return bar;
  const groups = await groupsOfPerson(person, deps);
  await send({ kind: 'asked-in-slack', operationId: requestId, person, name, groups, wanted });
  return COMMAND.onItsWay;
}
