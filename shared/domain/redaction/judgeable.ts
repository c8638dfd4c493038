/** Says whether people can judge a call although secrets were taken out of it. */
import type { Proposal, Question } from '../../contract/index.ts';
import { keyKind, namesLocation } from '../path-keys.ts';
import { askedCallOf } from '../proposal/asked-call.ts';
import { ARGUMENT, ENDS, inCommand, isHandedOn, isPlainWord, readsLine, starts } from './command-values.ts';
import { asUnshown, type Found, markersIn, PRIVATE_KEY, SEVERAL, UNSHOWN } from './words/marker.ts';
import { isSecretName } from './words/names.ts';
import { isSqlPassword } from './words/sql-words.ts';

/** A call as it is shown: its secrets are taken out already. */
export interface ShownCall {
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

/** Fields whose texts run: a mark in them has to stand where a value does. */
const RUNS = /^(?:command|cmd|commands|script|args|argv|arguments|code|query|sql|program|executable|shell|run)$/i;

/**
 * True if each mark in the call stands for a value. A mark may not stand for a tool, a folder, a command word, a path, a host or another
 * place: people have to see these, and whoever asks for a yes (card, vote, operator, model) asks this first.
 */
export function canBeJudged(call: ShownCall): boolean {
  return !markersIn(call.toolName).length && !markersIn(call.cwd ?? '').length && partShows(call.input, TOP);
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

/** Where a text stands in the input. */
interface Field {
  readonly name: string;
  /** The text runs, or is a part of text that runs. */
  readonly runs: boolean;
  /** The text is a location, or a part of one. */
  readonly isLocation: boolean;
}

const TOP: Field = { name: '', runs: false, isLocation: false };

function fieldBelow(above: Field, name: string): Field {
  const runs = RUNS.test(name) || (above.runs && !isSecretName(name));
  const isOther = runs || isSecretName(name) || isProse(name);
  return { name, runs, isLocation: !isOther && (above.isLocation || namesLocation(name)) };
}

/** Prose goes nowhere: it is written or sent to wherever the other fields say. */
const isProse = (name: string): boolean => name !== 'value' && keyKind(name) === 'prose';

function partShows(part: unknown, field: Field): boolean {
  if (typeof part === 'string') return markersIn(part).every((mark) => isValue(part, mark, field));
  if (Array.isArray(part))
    return part.every((item, at) => (field.runs && isOptionValue(part.slice(0, at), item)) || partShows(item, field));
  if (part === null || typeof part !== 'object') return true;
  const named = nameIn(part);
  return Object.entries(part).every(([key, item]) => {
    const below = fieldBelow(field, key);
    // `{ name: 'branch', value: … }`
    const isNamedLocation = named !== undefined && key.toLowerCase() === 'value' && fieldBelow(field, named).isLocation;
    return !markersIn(key).length && partShows(item, isNamedLocation ? { ...below, isLocation: true } : below);
  });
}

function nameIn(fields: object): string | undefined {
  const name = Object.entries(fields).find(([key]) => /^(?:name|key|field)$/i.test(key))?.[1];
  return typeof name === 'string' ? name : undefined;
}

/** `["--token", "‹redacted: token›"]`: the mark is the whole word after its option. */
function isOptionValue(words: readonly unknown[], item: unknown): boolean {
  const before = words.at(-1);
  if (typeof before !== 'string' || typeof item !== 'string' || !words.every(isPlainWord)) return false;
  const [mark, ...others] = markersIn(item);
  if (!mark || others.length || mark.kind.startsWith(UNSHOWN)) return false;
  if (mark.end !== item.length) return false;
  // `-p‹…›` is one word of a program that takes its password so.
  if (mark.start > 0)
    return mark.kind.startsWith(ARGUMENT) && /^-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}=?$/.test(item.slice(0, mark.start));
  return /^-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}$/.test(before);
}

function isValue(text: string, { start, end, kind }: Found, { name, runs, isLocation }: Field): boolean {
  if (kind.startsWith(UNSHOWN)) return isProse(name) && !runs;
  if (runs && kind.startsWith(SEVERAL)) return false;
  const before = text.slice(Math.max(0, start - 600), start);
  const after = text.slice(end, end + 1);
  if (/:\/\/[^\s'"`]*$/.test(before)) return inAddress(before, after);
  if (isSecretName(name)) return true;
  // The gate has read the command's words to find it: it is an argument of that program.
  if (runs && kind.startsWith(ARGUMENT)) {
    const program = kind.slice(ARGUMENT.length);
    return ENDS.test(after) && (starts(before, program) || (start === before.length && readsLine(before, program)));
  }
  if (/^(?:sql|query)$/i.test(name) && isSqlPassword(before, after)) return true;
  if (runs) return kind === PRIVATE_KEY ? isHandedOn(before, after) : inCommand(before, after);
  return !isLocation;
}

/** In a value of a query, as of an address or JSON within it: `?next=%2Fx%3Ftoken%3D‹…›`. */
const IN_ESCAPES = /[?&#][^?&#=\s]{1,100}=[^?&#\s]{0,500}%(?:25){0,2}(?:3D|3A|20|22|27)$/i;

/** Of an address only the credentials and the values of its query may be hidden. */
function inAddress(before: string, after: string): boolean {
  const address = before.slice(before.lastIndexOf('://') + 3);
  if (!/[/?#]/.test(address)) return after === '@';
  if (IN_ESCAPES.test(address)) return after === '%' || ENDS.test(after);
  return /[?&#][^?&#=\s]{1,100}=$/.test(address) && ENDS.test(after);
}
