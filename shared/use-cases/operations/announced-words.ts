/** Every sentence that channels read of operations. Instants in them are shown in the reader's own time zone by the channel's adapter. */
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import type { AskedInSlack, Operation, Person } from '../../contract/index.ts';
import { samePerson } from '../../domain/approval.ts';
import { ownValue } from '../../domain/own.ts';
import { asSentence } from '../../domain/sentence.ts';
import { scopeText, textOf } from './operation-text.ts';
import type { OperationResult } from './refusal.ts';

type Settings = Pick<PolicyFile, 'people' | 'operators'>;

interface Announced {
  readonly wanted: Operation;
  readonly operator: string;
  readonly done: OperationResult;
}

/** Of an operation of an operator; `reason` and the problem are redacted by the caller's `safe`. */
export async function operationWords(
  { wanted, operator, done }: Announced,
  settings: Settings,
  safe: (text: string) => Promise<string>,
): Promise<string> {
  const what = await safe(textOf(named(wanted, settings)));
  const problem = sentence(await safe(done.problem ?? done.code.replaceAll('_', ' ')));
  const result = done.accepted ? `Done.${scopeText(wanted)}` : `Not done. ${problem}`;
  return `${operatorName(operator, settings)}: ${what}. ${result} Reason: ${await safe(wanted.reason)}`;
}

/** The person of the policy file who holds the role, beside the role's name. */
function operatorName(operator: string, { operators, people }: Settings): string {
  const person = ownValue(operators, operator)?.person;
  const name = person === undefined ? undefined : ownValue(people, person)?.name;
  return name === undefined ? `Operator ${operator}` : `${name} (operator ${operator})`;
}

/** People as the policy file calls them. */
function named(wanted: Operation, { people }: Settings): Operation {
  const nameOf = (key: string) => ownValue(people, key)?.name ?? key;
  if (wanted.kind === 'delegate') return { ...wanted, person: nameOf(wanted.person), to: nameOf(wanted.to) };
  return wanted.kind === 'undelegate' ? { ...wanted, person: nameOf(wanted.person) } : wanted;
}

/** Of a problem `field: what is wrong` what is wrong, as a sentence. */
function sentence(problem: string): string {
  const words = problem.replace(/^[A-Za-z.]+: /, '');
  return asSentence(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
}

/** Of a person's own request in Slack: no id of a grant, and everybody by name. */
export function requestWords({ wanted }: AskedInSlack, { people }: Pick<Settings, 'people'>): string {
  const nameOf = (person: Person) => Object.values(people).find((one) => samePerson(one, person))?.name ?? person.user;
  switch (wanted.kind) {
    case 'revoke':
      return `an approval for later of ${wanted.agent}, ${wanted.session === undefined ? 'for every session' : `session ${wanted.session}`}, is taken back`;
    case 'delegate':
      return `${nameOf(wanted.to)} votes in their place until ${wanted.until}`;
    case 'undelegate':
      return 'nobody votes in their place any more';
    default:
      return wanted satisfies never;
  }
}
