/** Names a call in plain words, the same on cards, in App Home, in the terminal and in messages. */
import type { Approval, Proposal, Question } from '../../contract/index.ts';
import { ownValue } from '../own.ts';
import { askedCallOf, questionAsEdited } from './asked-call.ts';
import { cut, firstLine, inOneLine, LINE_END, wordOf } from './one-line.ts';
import { AGENTS_WORDS, plainFields } from './plain-fields.ts';

/** How the policy file lets a tool's calls be called; its `tools` fit. */
export type ToolNames = Readonly<
  Record<
    string,
    {
      readonly title?: string | undefined;
      readonly subject?: readonly string[] | undefined;
      readonly shell?: boolean | object | undefined;
    }
  >
>;

export interface CallName {
  /** One line, as agents wrote it where it is theirs: each surface makes it safe to show. */
  readonly text: string;
  /** `title`: the policy file's words; `command`: the first line of a shell's command; `tool`: the tool or flow, and its subject, plain fields or description. */
  readonly kind: 'title' | 'command' | 'tool';
}

/** Holds what a name needs of a call; a call of a proposal fits. */
interface NamedCall {
  readonly toolName: string;
  readonly input?: unknown;
}

const MAX_NAME = 300;
/** Fields that say what a call is about, where the policy file names none: those of the built-in tools first. */
const SUBJECTS = ['file_path', 'path', 'notebook_path', 'url', 'pattern', 'query', 'to', 'name', 'id'] as const;

/** Characters cut off, and further lines, are marked with `…`. */
export function nameOfCall({ toolName, input }: NamedCall, tools: ToolNames = {}): CallName {
  const tool = ownValue(tools, toolName);
  const titled = tool?.title === undefined ? undefined : filled(tool.title, input);
  if (titled !== undefined) return { text: cut(titled, MAX_NAME), kind: 'title' };
  const command = fieldOf(input, 'command');
  const isCommand = typeof command === 'string' && command.trim() !== '';
  if (isCommand && (toolName === 'Bash' || tool?.shell)) return { text: commandLine(command), kind: 'command' };
  const subject = subjectFields(tool?.subject)
    .map((field) => wordOf(fieldOf(input, field)))
    .find((word) => word !== undefined);
  // Beside other fields it may be one that the tool does not have, put there to speak for the call.
  const whole = isCommand && holdsNothingBeside('command', input) ? commandLine(command) : undefined;
  const words = [toolName, ...methodOf(input), subject ?? whole ?? plainFields(input)].filter((word) => word !== '');
  return { text: cut(inOneLine(words.join(' ')), MAX_NAME), kind: 'tool' };
}

const holdsNothingBeside = (field: string, input: unknown): boolean =>
  Object.keys(input ?? {}).every((name) => name === field || AGENTS_WORDS.has(name));

/** Whether a request reads or deletes, its method says. */
function methodOf(input: unknown): string[] {
  const method = fieldOf(input, 'method');
  return typeof method === 'string' && /^[A-Za-z]{3,7}$/.test(method) && fieldOf(input, 'url') !== undefined
    ? [method.toUpperCase()]
    : [];
}

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
      const said = action?.description?.trim();
      // The agent describes its actions itself: what runs is the flow, which rules and people know.
      return [{ text: firstLine(said ? `${flowId}: ${said}` : flowId, MAX_NAME), kind: 'tool' }];
    }
    case 'input':
      return [{ text: firstLine(question.question, MAX_NAME), kind: 'title' }];
    default:
      return question satisfies never;
  }
}

/** All of an approval in one line: its call, its question, or how many calls and the first of them. */
export function nameOfApproval(
  approval: Pick<Approval, 'question' | 'votes'>,
  proposal: Proposal | undefined,
  tools: ToolNames = {},
): string {
  const [first, ...others] = namesOfQuestion(questionAsEdited(approval), proposal, tools);
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
