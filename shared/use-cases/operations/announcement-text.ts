/**
 * Holds every sentence that channels and people read of operations, requests and runs.
 *
 * Instants in them are shown in the reader's own time zone by the channel's adapter.
 */
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import type { AskedInSlack, Operation, Person } from '../../contract/index.ts';
import { samePerson } from '../../domain/approval/approval.ts';
import { ownValue } from '../../domain/own.ts';
import { inOneLine } from '../../domain/proposal/one-line.ts';
import { asSentence } from '../../domain/text/sentence.ts';
import { DEAD_LETTER } from '../intake/dead-letter.ts';
import { scopeText, textOf, withPeople } from './operation-text.ts';
import type { OperationResult } from './refusal.ts';

type Settings = Pick<PolicyFile, 'people' | 'operators'>;

interface Announced {
  readonly wanted: Operation;
  readonly operator: string;
  readonly done: OperationResult;
}

/**
 * Words an operation of an operator; the caller's `safe` redacts `reason` and the problem. In one line: a further line of an operator's own would
 * look like another announcement of the gate, such as a seal of the record.
 */
export async function operationWords(
  { wanted, operator, done }: Announced,
  settings: Settings,
  safe: (text: string) => Promise<string>,
): Promise<string> {
  const what = await safe(textOf(named(wanted, settings)));
  const problem = sentence(await safe(done.problem ?? done.code.replaceAll('_', ' ')));
  const left = done.problem === undefined ? '' : ` ${problem}`;
  const result = done.accepted
    ? `Done.${replacedText(done)}${scopeText(wanted)}${figuresOf(done)}${left}`
    : `${undone(done)}. ${problem}`;
  return inOneLine(`${operatorName(operator, settings)}: ${what}. ${result} Reason: ${await safe(wanted.reason)}`);
}

/** Somebody set the stricter or longer pause, and counts on it. */
function replacedText({ replaced }: OperationResult): string {
  if (!replaced) return '';
  const { effect, until } = replaced;
  const end = until === undefined ? 'until somebody lifts it' : `until ${new Date(until).toISOString()}`;
  return ` Without this, ${effect === 'deny' ? 'it would be denied' : 'people would be asked'} ${end}.`;
}

/** A dead letter may have been done, and not told. */
const undone = ({ code }: Pick<OperationResult, 'code'>): string =>
  code === DEAD_LETTER ? 'Not finished' : 'Not done';

function figuresOf({ redriven }: OperationResult): string {
  if (!redriven) return '';
  const { moved, left } = redriven;
  return ` Brought back: ${moved}.${left.length ? ` Not taken by the queue: ${left.length}.` : ''}`;
}

/** The person of the policy file who holds the role, beside the role's name. */
function operatorName(operator: string, { operators, people }: Settings): string {
  const person = ownValue(operators, operator)?.person;
  const name = person === undefined ? undefined : ownValue(people, person)?.name;
  return name === undefined ? `Operator ${operator}` : `${name} (operator ${operator})`;
}

/** People as the policy file calls them. */
const named = (wanted: Operation, { people }: Settings): Operation =>
  withPeople(wanted, (key) => ownValue(people, key)?.name ?? key);

/** Makes a sentence of a problem such as `field: is wrong`, without the field. */
function sentence(problem: string): string {
  const words = problem.replace(/^[A-Za-z.]+: /, '');
  return asSentence(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

/** Words a person's own request in Slack, without ids of grants and with everybody's name. `whose`: whether that person reads it, or others do. */
export function requestWords(
  { wanted }: AskedInSlack,
  { people }: Pick<Settings, 'people'>,
  whose: 'your' | 'their',
): string {
  const nameOf = (person: Person) => Object.values(people).find((one) => samePerson(one, person))?.name ?? person.user;
  switch (wanted.kind) {
    case 'revoke':
      return `an approval for later of ${wanted.agent}, ${wanted.session === undefined ? 'for every session' : `session ${wanted.session}`}, is taken back`;
    case 'delegate':
      return `${nameOf(wanted.to)} votes in ${whose} place until ${wanted.until}`;
    case 'undelegate':
      return `nobody votes in ${whose} place any more`;
    default:
      return wanted satisfies never;
  }
}

/** To the person who asked. */
export const requestEnded = (told: string, { accepted, code }: OperationResult): string =>
  accepted ? `Done: ${told}.` : `${undone({ code })}: ${told}. ${refusedRequest(code) ?? ''}`.trimEnd();

/** To everybody who approves. */
export const requestDoneBy = (name: string, told: string): string => `${name}: ${told}.`;

/** In words for the person who asked; undefined for a code that no request is refused with. */
export const refusedRequest = (code: string): string | undefined => ownValue(REFUSED, code);

const REFUSED: Readonly<Record<string, string>> = {
  unknown_agent: 'There is no such agent.',
  unknown_grant: 'There is no such approval for later any more.',
  may_not_revoke: 'Only the person who gave it, a member of the group that is asked, or an operator may take it back.',
  unknown_person: 'Choose somebody else, who is listed in the policy file.',
  no_place: 'You are in no group that approves.',
  until_is_over: 'That time is over.',
  until_is_too_late: 'At most 90 days ahead.',
  no_delegation: 'Nobody votes in your place.',
  too_many: 'There are too many delegations.',
  superseded: 'A newer change of your place was done already. Ask again if this one is meant.',
  dead_letter:
    'The gate tried for an hour and could not finish this. Look whether it was done, and ask again if it was not.',
  sent_in_future: 'The time of this request lies ahead. Ask again.',
};

/** Words a run whose end nobody reported, and which may have changed something. The record has the call, and its ids. */
export const unknownRunWords = (toolName: string, agent: string, startedAt: string): string =>
  `Nobody knows whether a call took effect: ${toolName} of ${agent}, started ${startedAt}. It gave no usable answer, and it will not be ` +
  `repeated. Look into the tool itself; countersign audit --agent ${agent} has the call.`;
