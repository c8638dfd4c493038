/** Names a call in plain words, the same on cards, in App Home, in the terminal and in messages. */
import type { Approval, Proposal, Question } from '../../contract/index.ts';
import { compareText } from '../compare-text.ts';
import { ownValue } from '../own.ts';
import { askedCallOf } from './asked-call.ts';

/** How the policy file lets a tool's calls be called; its `tools` fit. */
export type ToolNames = Readonly<
  Record<string, { readonly title?: string | undefined; readonly subject?: readonly string[] | undefined }>
>;

export interface CallName {
  /** One line, as agents wrote it where it is theirs: each surface makes it safe to show. */
  readonly text: string;
  /** `title`: the policy file's words; `command`: the first line of a command; `tool`: the tool and its subject, or its plain fields. */
  readonly kind: 'title' | 'command' | 'tool';
}

/** Holds what a name needs of a call; a call of a proposal fits. */
export interface NamedCall {
  readonly toolName: string;
  readonly input?: unknown;
}

const MAX_VALUE = 60;
const MAX_NAME = 300;
/** Fields that say what a call is about, where the policy file names none: those of the built-in tools first. */
const SUBJECTS = ['file_path', 'path', 'notebook_path', 'url', 'pattern', 'query', 'to', 'name', 'id'] as const;

/** Characters cut off, and further lines, are marked with `…`. */
export function nameOfCall({ toolName, input }: NamedCall, tools: ToolNames = {}): CallName {
  const tool = ownValue(tools, toolName);
  const titled = tool?.title === undefined ? undefined : filled(tool.title, input);
  if (titled !== undefined) return { text: cut(titled, MAX_NAME), kind: 'title' };
  const command = fieldOf(input, 'command');
  if (typeof command === 'string' && command.trim() !== '') return { text: commandLine(command), kind: 'command' };
  const subject = subjectFields(tool?.subject)
    .map((field) => wordOf(fieldOf(input, field)))
    .find((word) => word !== undefined);
  const words = [toolName, ...methodOf(input), subject ?? plainFields(input)].filter((word) => word !== '');
  return { text: cut(words.join(' '), MAX_NAME), kind: 'tool' };
}

/** Whether a request reads or deletes, its method says. */
function methodOf(input: unknown): string[] {
  const method = fieldOf(input, 'method');
  return typeof method === 'string' && /^[A-Za-z]{3,7}$/.test(method) && fieldOf(input, 'url') !== undefined
    ? [method.toUpperCase()]
    : [];
}

/** The plain values of an input without a subject, for calls of one tool stand side by side in lists. By name: an agent chooses no first one. */
function plainFields(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input).toSorted(byName) : [];
  const words = fields.flatMap(([name, value]) => {
    const word = wordOf(value);
    return word === undefined ? [] : [`${name} ${word}`];
  });
  return cut(words.join(', '), MAX_VALUE);
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => compareText(a, b);

/** The fields that come first where a call is shown. */
export const subjectFields = (named: readonly string[] | undefined): readonly string[] => named ?? SUBJECTS;

/** The names of everything that a question asks about. Without the proposal the tools alone. */
export function namesOfQuestion(question: Question, proposal: Proposal | undefined, tools: ToolNames = {}): CallName[] {
  switch (question.kind) {
    case 'calls':
      return question.calls.map((asked) => {
        const call = proposal?.kind === 'tool-call' ? askedCallOf(asked, proposal) : undefined;
        return nameOfCall(call ?? { toolName: asked.toolName, input: asked.input }, tools);
      });
    case 'choice': {
      const { index, flowId } = question.proposed;
      const action = proposal?.kind === 'action-choice' ? proposal.actionSpace.actions[index] : undefined;
      return [{ text: firstLine(action?.description?.trim() || flowId, MAX_NAME), kind: 'title' }];
    }
    case 'input':
      return [{ text: firstLine(question.question, MAX_NAME), kind: 'title' }];
    default:
      return question satisfies never;
  }
}

/** All of an approval in one line: its call, its question, or how many calls and the first of them. */
export function nameOfApproval(
  { question }: Pick<Approval, 'question'>,
  proposal: Proposal | undefined,
  tools: ToolNames = {},
): string {
  const [first, ...others] = namesOfQuestion(question, proposal, tools);
  return others.length ? `${others.length + 1} calls: ${first?.text ?? ''}, …` : (first?.text ?? '');
}

/** `{amount}` and `{order.id}` stand for values of the input. One that is missing, or is no plain value, makes the title unusable. */
function filled(title: string, input: unknown): string | undefined {
  let isComplete = true;
  const text = title.replace(PLACEHOLDER, (_, path: string) => {
    const word = wordOf(path.split('.').reduce<unknown>(fieldOf, input));
    if (word === undefined) isComplete = false;
    return word ?? '';
  });
  return isComplete ? text : undefined;
}

export const PLACEHOLDER = /\{([^{}]*)\}/g;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
    return firstLine(value.join(', '), MAX_VALUE);
  return typeof value === 'string' && value.trim() !== '' ? firstLine(value, MAX_VALUE) : undefined;
}

/** The first line that runs. A comment would speak for what stands below it, and blanks would push the end of a line out of sight. */
function commandLine(command: string): string {
  const lines = command.split(LINE_END);
  const runs = lines.findIndex((line) => /^\s*[^\s#]/.test(line));
  const text = lines
    .slice(Math.max(0, runs))
    .join('\n')
    .replaceAll(/[ \t]{2,}/g, ' ');
  const name = firstLine(text, MAX_NAME);
  return runs > 0 && lines.slice(0, runs).some((line) => line.trim() !== '') && !name.endsWith('…')
    ? `${name} …`
    : name;
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** The first line that is not blank. */
function firstLine(text: string, most: number): string {
  const [line = '', ...rest] = text.trim().split(LINE_END);
  const cutLine = cut(line.trimEnd(), most);
  return rest.length && !cutLine.endsWith('…') ? `${cutLine} …` : cutLine;
}

function cut(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}
