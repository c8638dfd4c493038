/** Writes the messages for the model: refused, not answered, or no longer fitting. */
import type { HumanAnswer } from '../contract/index.ts';
import { idsOfPeople } from '../domain/people-ids.ts';
import { asSentence } from '../domain/text/sentence.ts';

/** Decisions are entries of the record: they hold ids, and no names. */
export const idsOf = (by: HumanAnswer['by']): string => idsOfPeople(by.map(({ person }) => person)) || 'an approver';

/** Characters of `decidedBy.id`, and those of an alias, which may stand for an id there. */
const MAX_DECIDED_BY = 300;
const ALIAS_LENGTH = 28;

/** `team/user`: as many whole ids as the field takes. All of them are in the votes on the record, and in the permit. */
export function deciderIds(by: HumanAnswer['by']): string {
  let ids = '';
  let left = MAX_DECIDED_BY;
  for (const { person } of by) {
    left -= `,${person.team}/`.length + Math.max(person.user.length, ALIAS_LENGTH);
    if (left < 0) break;
    ids = `${ids}${ids && ','}${person.team}/${person.user}`;
  }
  return ids;
}

/** Silence may be a yes as well. */
const yesOf = (byPeople: boolean, what: string): string =>
  byPeople ? `People approved ${what}` : `The time to answer was over, after which ${what} may run`;

export const messages = {
  allowed: (tool: string) =>
    `Allowed: you may run this ${tool} call now, exactly as proposed, under the permit of this decision.`,
  printed: (tool: string) =>
    `Allowed: you may run this ${tool} call now under the permit of this decision, exactly as \`effective.input\` of this decision says: the command as the gate has read it.`,
  approved: (people: HumanAnswer['by']) =>
    `Approved by ${idsOf(people)}: run this call now, exactly as proposed, under the permit of this decision.`,
  rejected: (people: HumanAnswer['by'], reason: string | undefined) =>
    `${asSentence(`${idsOf(people)} refused this call${reason ? `: ${reason}` : ''}`)} Do not try it again in another form; choose another way or ask the user.`,
  movedFolder: () =>
    'The policy file names another folder for this agent than when the call was judged. It was not run. Propose it again under a new id.',
  /** `others` approved the changed call. */
  edited: (editors: HumanAnswer['by'], others: HumanAnswer['by'], tool: string) =>
    `${idsOf(editors)} changed the arguments of this ${tool} call${others.length ? `, and ${idsOf(others)} approved it so` : ''}. Run it now exactly as \`effective.input\` of this decision says, and not as you proposed it.`,
  editRefused: (people: HumanAnswer['by'], why: string) =>
    `${idsOf(people)} changed this call, and the changed call is refused. It was not run. ${why}`,
  timedOutApproved: () =>
    'The time to answer was over, and the policy file lets this call run then. Run it now, exactly as proposed, under the permit of this decision.',
  answered: (people: HumanAnswer['by'], answer: string) => `${idsOf(people)} answered: ${answer}`,
  declined: (people: HumanAnswer['by'], reason: string | undefined) =>
    `${idsOf(people)} declined to answer this question${reason ? `: ${reason}` : ''}. Do not ask it again; go on without the answer or tell the user.`,
  unansweredInTime: () =>
    'Nobody answered this question in time. This is not a refusal: it may be asked again under a new id if the answer is still needed.',
  paused: (reason: string, isAnswered: boolean) =>
    `An operator has paused this for now: ${asSentence(reason)} ${
      isAnswered
        ? 'People answered, and the answer is not passed on; ask again under a new id when the pause is lifted.'
        : 'Nothing was asked.'
    }`,
  responded: (people: HumanAnswer['by'], answer: string) =>
    `${idsOf(people)} did not let this call run, and answered instead: ${answer}`,
  expired: () =>
    'The time to answer was over before enough people had approved. This is not a refusal: the call may be proposed again under a new id if it is still needed.',
  cancelled: () => 'This proposal was cancelled by the agent that made it. It was not run.',
  policyChanged: (why: string, byPeople = true) =>
    `${yesOf(byPeople, 'this call')}, but the policy changed while it waited and now denies it. ${why}`,
  pausedMeanwhile: (why: string, byPeople = true) =>
    `${yesOf(byPeople, 'this')}, but an operator paused it before the decision was made. ${why} It was not run; propose it again under a new id when the pause is lifted.`,
  superseded: () =>
    'The approval no longer matches what would run: the policy changed while it waited. Propose the call again under a new id.',
  quorumUnavailable: (severity: string) =>
    `This call is of ${severity} severity and needs two different people, and the policy file does not name enough who may approve it. It was not run.`,
  tooManyStages: (most: number) =>
    `This call would need more than ${most} groups of approvers, one after the other. It was not run.`,
  noApprovers: () => 'This call needs a person, and the policy file names nobody who may approve it. It was not run.',
  nobodyAsked: (why: 'dont_ask' | 'no_handler') =>
    `${why === 'dont_ask' ? 'This session asks nobody' : 'Nobody attends this agent'}, so that nobody was asked. Go on without an answer.`,
  mixedApprovers: () =>
    'The calls of this proposal need different groups of approvers. Propose them one by one. This call was not run.',
  secretInName: (field: string) =>
    `${field}: holds what looks like a secret. It is kept and shown as it is, so it may not hold one: put the secret into the input, or a reference to it here.`,
  unsupported: (kind: string) => `This deployment does not answer proposals of the kind ${kind}.`,
  unknownTurn: () =>
    'No turn of this conversation waits for the results of that proposal: another message came first, or it was finished.',
  runTheseCalls: () => 'Run these calls, then send this again with their results.',
  tooManyWaiting: (whose: 'agent' | 'group') =>
    whose === 'agent'
      ? 'Too many of your calls wait for people already (maxWaiting of the agent). Wait for their decisions, or cancel some, then propose this again under a new id.'
      : 'Too many calls wait for the same approvers already (maxWaiting of the group). Propose this again later under a new id.',
  tooManyHookCalls: (most: number) =>
    `The policy file has hooks asked about each call of this proposal, together more than the ${most} that one proposal may need. Propose fewer calls together under a new id.`,
  notYourAgent: () => 'The message speaks for another agent than the one that sent it.',
  parentProblem: () =>
    'The policy file does not let this session be the parent of that one, or that one has another parent already.',
  unlistedRequester: () => 'The policy file does not let this agent act in the name of that person.',
  evaluationFailed: (name: string) =>
    `The gate could not evaluate this proposal (${name}). Nothing was run, and the same proposal would fail again: change it, and use a new id.`,
  deadLetter: () =>
    'The gate tried several times to work this message and could not. Nothing was run. Propose it again under a new id; if that fails too, tell the operators of the gate.',
  unregistered: () => 'The sender of this message is registered as no agent of this deployment.',
  rowGone: () =>
    'The gate has lost this question, so that nobody could answer it. It was not run; propose it again under a new id.',
  conflict: () => 'Another proposal was sent under this id before. The first one stands; use a new id.',
  expiredBeforeRead: () =>
    'The proposal had expired when the gate read it. It was not evaluated; propose it again if it is still needed.',
} as const;
