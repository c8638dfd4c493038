/** Says whether people can judge a call although secrets were taken out of it. */
import type { Proposal, Question } from '../../../contract/index.ts';
import { askedCallOf } from '../../proposal/asked-call.ts';
import { scriptAround } from '../readers/command-words.ts';
import { type Field, fieldBelow, isProse, programIn, RUNS, TOP } from '../readers/fields.ts';
import { isSqlPassword } from '../readers/sql-words.ts';
import { isSecretName } from '../tables/names.ts';
import { asUnshown, markersIn, PRIVATE_KEY, SEVERAL, type SecretSpan, UNSHOWN } from '../text/marker.ts';
import { inAddress } from './address-values.ts';
import {
  ARGUMENT,
  inCommand,
  isHandedOn,
  isValueOfLast,
  leavesToOptions,
  readsAgain,
  readsLine,
  starts,
} from './command-values.ts';
import { isValueOfFilter } from './filter-values.ts';
import { hiddenIn, leavesInput, runsHidden } from './hidden-commands.ts';
import { endsArgument, endsQuoted, isInWordOf, isLogon, startsValue } from './quoted-values.ts';

/** A call as it is shown: its secrets are taken out already. */
interface ShownCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd?: string | undefined;
}

/** The call with the marks in these fields as marks of places: a rule looks at them, so people have to see them too. */
export function withSubjectsUnshown<Call extends ShownCall>(call: Call, subjects: readonly string[]): Call {
  const { input } = call;
  if (!subjects.length || typeof input !== 'object' || input === null) return call;
  const shown = Object.entries(input).map(([key, value]): [string, unknown] =>
    subjects.includes(key) && !RUNS.test(key) && typeof value === 'string' ? [key, asUnshown(value)] : [key, value],
  );
  return { ...call, input: Object.fromEntries(shown) };
}

/**
 * Whether each mark in the call stands for a mere value. A mark must not hide a tool, a folder, a command word, a path, a host or another place,
 * because people have to see these. Cards, votes, operators and models check this before they ask for a yes.
 */
export function canBeJudged(call: ShownCall): boolean {
  if (markersIn(call.toolName).length || markersIn(call.cwd ?? '').length) return false;
  return partShows(call.input, TOP) && !runsHidden(call.input, TOP, new Set(hiddenIn(call.input, '')));
}

/** As `canBeJudged`, of everything that one answer to the question would let run. */
export function canQuestionBeJudged(question: Question, proposal: Proposal): boolean {
  switch (question.kind) {
    case 'calls':
      return question.calls.every((asked) => {
        const call = proposal.kind === 'tool-call' ? askedCallOf(asked, proposal) : undefined;
        return call !== undefined && canBeJudged(call);
      });
    case 'choice': {
      const { flowId, index } = question.proposed;
      const action = proposal.kind === 'action-choice' ? proposal.actionSpace.actions[index] : undefined;
      return action !== undefined && canBeJudged({ toolName: flowId, input: action });
    }
    case 'input':
      return true;
    default:
      return question satisfies never;
  }
}

function partShows(part: unknown, field: Field): boolean {
  if (typeof part === 'string') return markersIn(part).every((mark) => isValue(part, mark, field));
  if (Array.isArray(part))
    return part.every(
      (item, at) => (field.runs && isOptionValue(lineUpTo(part, at, field), item)) || partShows(item, field),
    );
  if (part === null || typeof part !== 'object') return true;
  const named = nameIn(part);
  const program = programIn(Object.entries(part));
  return Object.entries(part).every(([key, item]) => {
    const below = { ...fieldBelow(field, key), program };
    // `{ name: 'branch', value: … }`
    const isNamedLocation = named !== undefined && key.toLowerCase() === 'value' && fieldBelow(field, named).isLocation;
    return !markersIn(key).length && partShows(item, isNamedLocation ? { ...below, isLocation: true } : below);
  });
}

function nameIn(fields: object): string | undefined {
  const name = Object.entries(fields).find(([key]) => /^(?:name|key|field)$/i.test(key))?.[1];
  return typeof name === 'string' ? name : undefined;
}

const lineUpTo = (words: readonly unknown[], at: number, { program }: Field): unknown[] => [
  ...(program ? [program] : []),
  ...words.slice(0, at),
];

/** `["--token", "‹redacted: token›"]`: the mark is the whole word after its option. */
function isOptionValue(words: readonly unknown[], item: unknown): boolean {
  if (typeof item !== 'string' || !words.every((word) => typeof word === 'string') || !leavesToOptions(words))
    return false;
  const [mark, ...others] = markersIn(item);
  if (!mark || others.length || mark.kind.startsWith(UNSHOWN)) return false;
  if (mark.kind.startsWith(SEVERAL) && readsAgain(words)) return false;
  if (mark.end !== item.length) return false;
  if (mark.start > 0) return startsValue(item.slice(0, mark.start), mark.kind, words.at(-1));
  return isValueOfLast(words);
}

function isValue(text: string, { start, end, kind }: SecretSpan, { name, runs, isLocation }: Field): boolean {
  if (kind.startsWith(UNSHOWN)) return isProse(name) && !runs;
  if (runs && kind.startsWith(SEVERAL)) return false;
  const { before, after } = around(text, start, end);
  if (/:\/\/[^\s'"`]*$/.test(before)) return inAddress(before, after, kind);
  if (isSecretName(name)) return true;
  if (runs && kind.startsWith(ARGUMENT)) return isArgument(text, { start, end }, kind.slice(ARGUMENT.length));
  if (runs && isValueOfFilter(text.slice(0, start), after)) return true;
  if (/^(?:sql|query)$/i.test(name) && isSqlPassword(before, after)) return true;
  if (runs) return kind === PRIVATE_KEY ? isHandedOn(before, after) : inCommand(before, after);
  return !isLocation || (kind === ACCESS_KEY && /key_?-?(?:id)?$/i.test(name));
}

/** Whether a mark is one argument of `program`: the gate has read the words of the command to find it. */
function isArgument(text: string, { start, end }: Pick<SecretSpan, 'start' | 'end'>, program: string): boolean {
  if (program === 'sudo' && leavesInput(text)) return false;
  const script = scriptAround(text, start);
  if (script) {
    const { from, to } = script;
    return isArgument(text.slice(from, to), { start: start - from, end: end - from }, program);
  }
  const { before, after } = around(text, start, end);
  if (isInWordOf(text.slice(0, start), program))
    return isSqlPassword(before, after) || isLogon(before, after) || endsQuoted(text, start, end);
  const isRead = start === before.length && readsLine(before, program);
  return endsArgument(before, after) && (starts(before, program) || isRead);
}

const around = (text: string, start: number, end: number) => ({
  before: text.slice(Math.max(0, start - 600), start),
  after: text.slice(end, end + 1),
});

/** Such an id says nothing of where a call goes: `{ accessKeyId: …, status: 'Inactive' }`. */
const ACCESS_KEY = 'aws access key';
