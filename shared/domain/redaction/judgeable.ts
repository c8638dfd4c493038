/** Says whether people can judge a call although secrets were taken out of it (A20, D33). */
import type { Proposal, Question } from '../../contract/index.ts';
import { askedCallOf } from '../asked-call.ts';
import { keyKind, namesPlace } from '../path-keys.ts';
import { asUnshown, type Found, markersIn, PRIVATE_KEY, UNSHOWN } from './marker.ts';
import { isSecretName } from './names.ts';

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
  return !markersIn(call.toolName).length && !markersIn(call.cwd ?? '').length && partShows(call.input, '');
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

function partShows(part: unknown, name: string): boolean {
  if (typeof part === 'string') return markersIn(part).every((mark) => isValue(part, mark, name));
  if (Array.isArray(part)) return part.every((item, at) => isOptionValue(part[at - 1], item) || partShows(item, name));
  if (part === null || typeof part !== 'object') return true;
  return Object.entries(part).every(([key, item]) => !markersIn(key).length && partShows(item, key));
}

/** `["--token", "‹redacted: token›"]`: the mark is the whole word after its option. */
function isOptionValue(before: unknown, item: unknown): boolean {
  if (typeof before !== 'string' || typeof item !== 'string') return false;
  const [mark, ...others] = markersIn(item);
  if (!mark || others.length || mark.kind.startsWith(UNSHOWN)) return false;
  return mark.start === 0 && mark.end === item.length && /^-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}$/.test(before);
}

function isValue(text: string, { start, end, kind }: Found, name: string): boolean {
  const runs = RUNS.test(name);
  // Prose goes nowhere: what stands in it is written or sent, wherever the other fields say.
  if (kind.startsWith(UNSHOWN)) return keyKind(name) === 'prose' && !runs && name !== 'value';
  const before = text.slice(Math.max(0, start - 600), start);
  const after = text.slice(end, end + 1);
  if (isSecretName(name)) return true;
  if (/:\/\/[^\s'"`]*$/.test(before)) return inAddress(before, after);
  // The gate has read the command's words to find it: it is an argument of that program.
  if (runs && kind.startsWith(ARGUMENT)) return ENDS.test(after) && starts(before, kind.slice(ARGUMENT.length));
  if (runs) return kind === PRIVATE_KEY ? isHandedOn(before, after) : inCommand(before, after);
  return !namesPlace(name);
}

/** Kinds of `commands.ts`; no name in a message makes one of them, because theirs have no blanks. */
const ARGUMENT = 'password of ';

/** A key that a shell only hands on: between quotes, or the first lines of a here-document. */
function isHandedOn(before: string, after: string): boolean {
  const quote = before.at(-1) ?? '';
  return (
    (/["']/.test(quote) && after === quote) ||
    /<<-?[ \t]*(["']?)[A-Za-z0-9_]{1,20}\1(?:[ \t;|>&][^\n]*)?\n$/.test(before)
  );
}

/** Of an address only the credentials and the values of its query may be hidden. */
function inAddress(before: string, after: string): boolean {
  const address = before.slice(before.lastIndexOf('://') + 3);
  if (!/[/?#]/.test(address)) return after === '@';
  return /[?&#][^?&#=\s]{1,100}=$/.test(address) && ENDS.test(after);
}

const ENDS = /^(?:$|[\s"'`&#;,)}\]|<>\\])/;

/** The words of the command that the text ends in. */
const commandOf = (before: string): string[] =>
  before
    .slice(before.search(/[^;&|\n()]*$/))
    .split(/\s+/)
    .filter(Boolean);

/** Words before a program's name that only start it. */
const STARTS = /^(?:sudo|env|nohup|time|exec|command|nice|then|do|else|!|\{|-.*|[A-Za-z_][A-Za-z0-9_]*=.*)$/;

/** Whether the command is one of that program, or speaks into it: elsewhere its name may be an operand, and the mark another. */
function starts(before: string, program: string): boolean {
  const first = commandOf(before).find((word) => !STARTS.test(word)) ?? '';
  const name = first.slice(first.lastIndexOf('/') + 1).toLowerCase();
  return name === program || name === 'echo' || name === 'printf';
}

/** What takes every word as it is: an option's name before the mark does not make it a value. */
const TAKES_WORDS = /^(?:for|set|select|case|eval|echo|printf|test|\[|\[\[|read|xargs)$/;

/** `--name ‹…›` where the program reads it as an option. */
function isOption(before: string): boolean {
  if (!/(?:^|\s)-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}[ \t]{1,4}["']?$/.test(before)) return false;
  const words = commandOf(before);
  return !words.includes('--') && !words.some((word) => TAKES_WORDS.test(word) || word.startsWith('<<'));
}

/** After `NAME=`, `name: `, `"name": "`, `--name `, `Name: Scheme `, or as the password of `-u name:password`. */
function inCommand(before: string, after: string): boolean {
  if (!ENDS.test(after)) return false;
  return (
    /[A-Za-z0-9_.\]-]["']?(?:=|=>)[ \t]{0,4}["']?$/.test(before) ||
    /[A-Za-z0-9_-]["']?:[ \t]{1,4}["']?(?:[A-Za-z0-9-]{1,20}[ \t]{1,4})?$/.test(before) ||
    /["']:["']$/.test(before) ||
    isSecretName(/([A-Za-z0-9_-]{1,64}):["']?$/.exec(before)?.[1] ?? '') ||
    isOption(before) ||
    /(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"']{1,128}:$/.test(before)
  );
}
