/**
 * Renames people in an entry of the record: to aliases when it is written, back when it is read.
 *
 * Only fields that the gate fills are touched. Proposals, answers and inputs stay as agents and people wrote them.
 */
import type { AuditEntry, Decision, Person } from '../../contract/index.ts';
import { isSlackUser } from '../../domain/record/alias.ts';
import type { AuditRecord } from '../../ports/stores/audit-log.ts';

/** A person's other name; the name itself for all other words. */
export type Rename = (name: string) => string;

/** Characters of texts, as the contract has them. */
const MAX_MESSAGE = 4000;
const MAX_DETAIL = 1000;

/** Everything in a record that may name people, by the first words of the page of the record: `evaluated` and `decided`, votes, operations. */
export function renamedRecord<Named extends AuditRecord>(record: Named, rename: Rename): Named {
  const { entry, decision } = record;
  return {
    ...record,
    entry: renamedEntry(entry, rename),
    ...(decision ? { decision: renamedDecision(decision, rename) } : {}),
  };
}

/** Ids and aliases are words of their own in every text. */
const inText = (text: string, rename: Rename, most: number): string =>
  text.replaceAll(/\w+/g, rename).slice(0, most).toWellFormed();

const inPerson = <Named extends Person>(person: Named, rename: Rename): Named => ({
  ...person,
  user: rename(person.user),
});

type Voter = Person & { readonly standsFor?: Person | undefined };
const inVoter = <Named extends Voter>(voter: Named, rename: Rename): Named => ({
  ...inPerson(voter, rename),
  ...(voter.standsFor ? { standsFor: inPerson(voter.standsFor, rename) } : {}),
});

function renamedEntry(entry: AuditEntry, rename: Rename): AuditEntry {
  const { person, standsFor, operation, decidedBy, detail, choice, task } = entry;
  return {
    ...entry,
    ...(person ? { person: inPerson(person, rename) } : {}),
    ...(standsFor ? { standsFor: inPerson(standsFor, rename) } : {}),
    ...(operation ? { operation: renamedOperation(operation, rename) } : {}),
    ...(decidedBy ? { decidedBy: renamedDecider(decidedBy, rename) } : {}),
    ...(detail === undefined ? {} : { detail: inText(detail, rename, MAX_DETAIL) }),
    ...(choice ? { choice: { ...choice, stages: choice.stages.map((stage) => renamedStage(stage, rename)) } } : {}),
    ...(task ? { task: { ...task, user_id: rename(task.user_id) } } : {}),
  };
}

function renamedOperation(operation: NonNullable<AuditEntry['operation']>, rename: Rename): AuditEntry['operation'] {
  const { person, to, about, problem } = operation;
  return {
    ...operation,
    ...(person === undefined ? {} : { person: rename(person) }),
    ...(to === undefined ? {} : { to: rename(to) }),
    ...(about === undefined ? {} : { about: inText(about, rename, MAX_DETAIL) }),
    ...(problem === undefined ? {} : { problem: inText(problem, rename, MAX_DETAIL) }),
  };
}

type Stage = NonNullable<AuditEntry['choice']>['stages'][number];
const renamedStage = (stage: Stage, rename: Rename): Stage =>
  stage.by === undefined ? stage : { ...stage, by: inText(stage.by, rename, 300) };

const renamedDecider = ({ type, id }: Decision['decidedBy'], rename: Rename): Decision['decidedBy'] => ({
  type,
  id: type === 'human' ? inText(id, rename, 300) : id,
});

export function renamedDecision(decision: Decision, rename: Rename): Decision {
  return {
    ...decision,
    message: inText(decision.message, rename, MAX_MESSAGE),
    decidedBy: renamedDecider(decision.decidedBy, rename),
    calls: decision.calls.map((call) => ({
      ...call,
      message: inText(call.message, rename, MAX_MESSAGE),
      decidedBy: renamedDecider(call.decidedBy, rename),
      ...(call.permit ? { permit: renamedPermit(call.permit, rename) } : {}),
    })),
  };
}

type Permit = NonNullable<Decision['calls'][number]['permit']>;
function renamedPermit(permit: Permit, rename: Rename): Permit {
  const { allowedBy } = permit;
  if (!allowedBy) return permit;
  const { people, requester } = allowedBy;
  return {
    ...permit,
    allowedBy: {
      ...allowedBy,
      ...(people ? { people: people.map((one) => inVoter(one, rename)) } : {}),
      ...(requester ? { requester: inPerson(requester, rename) } : {}),
    },
  };
}

/** Slack ids of the people in the fields of a record, besides those that only its texts name. */
export function peopleIn({ entry, decision }: Pick<AuditRecord, 'entry' | 'decision'>): string[] {
  const { person, standsFor, operation, decidedBy, task } = entry;
  const ids = [person?.user, standsFor?.user, operation?.person, operation?.to, task?.user_id];
  const own = [...ids.filter((id) => id !== undefined), ...decidersIn(decidedBy)].filter(isSlackUser);
  return [...new Set([...own, ...(decision ? peopleInDecision(decision) : [])])];
}

/** The same of a decision: who decided, and who is behind its permits. */
export function peopleInDecision({ decidedBy, calls }: Decision): string[] {
  const behind = calls.flatMap(({ permit }) => {
    const { people = [], requester } = permit?.allowedBy ?? {};
    return [...people.flatMap((voter) => [voter, voter.standsFor]), requester];
  });
  const users = behind.flatMap((one) => (one ? [one.user] : []));
  const deciders = [decidedBy, ...calls.map((call) => call.decidedBy)].flatMap(decidersIn);
  return [...new Set([...users, ...deciders])].filter(isSlackUser);
}

/** `team/user`, joined by commas. */
const decidersIn = (decidedBy: Decision['decidedBy'] | undefined): string[] =>
  decidedBy?.type === 'human' ? decidedBy.id.split(',').map((one) => one.slice(one.indexOf('/') + 1)) : [];
