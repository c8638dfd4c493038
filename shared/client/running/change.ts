/** Tells the model which arguments ran where they are not those that it proposed. */
import { begun } from '../calls/declared-tool.ts';

/** Longer arguments are cut: the model has to learn that they differ, and how they begin. */
const MAX_SHOWN = 1_000;
const BEGINNING = 'This call ran with ';

/** One sentence, the same in every adapter; undefined if the call ran as proposed. */
export function changeOf(input: Readonly<Record<string, unknown>>, isEdited: boolean): string | undefined {
  if (!isEdited) return undefined;
  const text = JSON.stringify(input);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return `${BEGINNING}${shown} in place of the arguments that you proposed.`;
}

/** Longer arguments are not repeated to a model that has to call the tool with them. */
const MAX_REPEATED = 10_000;

/** Tells the model to come again, where a program cannot be given the arguments that may run. */
export function otherArguments(input: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(input);
  const shown = text.length > MAX_REPEATED ? '(too long to repeat here)' : text;
  return `This call may run only with other arguments, and was not run. Call the tool again with exactly these: ${shown}`;
}

/** A tool's output as the model gets it: with the sentence after a text, and beside anything else. */
export function withChange<Output>(output: Output, change: string | undefined): Output | string | WithChange<Output> {
  if (change === undefined) return output;
  return typeof output === 'string' ? `${output}\n\n${change}` : { output: begun(output), note: change };
}

/** An output that is no text, and the sentence. */
export interface WithChange<Output> {
  readonly output: Output;
  readonly note: string;
}

/** Whether an output is one that `withChange` made, also if it was stored as JSON since, which drops an undefined output. */
export function isWithChange(output: unknown): output is WithChange<unknown> {
  if (typeof output !== 'object' || output === null) return false;
  const { output: _, note, ...more } = output as Partial<WithChange<unknown>>;
  return Object.keys(more).length === 0 && typeof note === 'string' && note.startsWith(BEGINNING);
}
