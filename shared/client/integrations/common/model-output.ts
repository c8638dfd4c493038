/** Keeps a tool's `toModelOutput` to the tool's own outputs: the gate's words go beside them. */
import { begun } from '../../calls/declared-tool.ts';
import { isWithChange, type WithChange, withChange } from '../../running/change.ts';

/** A refusal as the output of a tool that prepares its outputs for the model. Chats store outputs, so that this is plain JSON. */
interface NotRun {
  readonly notRun: string;
}

/** The output of a call that did not run: its words, marked for a tool whose `toModelOutput` would take them for an output. */
export const refusedOutput = (toModelOutput: unknown, message: string): string | NotRun =>
  typeof toModelOutput === 'function' ? { notRun: message } : message;

/** An output with the sentence about changed arguments: beside a text as well where `toModelOutput` would take both for the tool's own text. */
export const toldBeside = (toModelOutput: unknown, output: unknown, note: string | undefined): unknown =>
  typeof toModelOutput === 'function' && note !== undefined
    ? ({ output: begun(output), note } satisfies WithChange<unknown>)
    : withChange(output, note);

/** Prepares an output for the model. `own` knows outputs of the tool alone, and would fail at any other. */
export async function modelOutput(output: unknown, own: (output: unknown) => unknown): Promise<unknown> {
  if (isNotRun(output)) return { type: 'text', value: output.notRun };
  if (!isWithChange(output)) return own(output);
  return { type: 'content', value: [...contentOf(await own(output.output)), { type: 'text', text: output.note }] };
}

/** Whether an output is the words of `refusedOutput` for a tool that prepares its outputs. */
export function isNotRun(output: unknown): output is NotRun {
  if (typeof output !== 'object' || output === null) return false;
  return Object.keys(output).join() === 'notRun' && typeof (output as NotRun).notRun === 'string';
}

/** Whether a tool's own output says that it failed: a result of MCP, which clients of MCP within a framework hand on as it is. */
export const isFailedOutput = (output: unknown): boolean => Object(ownOutput(output)).isError === true;

/** The tool's own output, without the sentence that stands beside it. */
export const ownOutput = (output: unknown): unknown => (isWithChange(output) ? output.output : output);

/** One form for the texts, the JSON values and the lists of parts that `toModelOutput` may give. */
function contentOf(shown: unknown): readonly object[] {
  const { type, value } = Object(shown) as { readonly type?: unknown; readonly value?: unknown };
  if (type === 'content' && Array.isArray(value)) return value;
  const text = type === undefined || value === undefined ? shown : value;
  return [{ type: 'text', text: typeof text === 'string' ? text : (JSON.stringify(text) ?? '') }];
}

/** An output in the form that the Vercel AI SDK itself gives it. */
export const asItIs = ({ output }: { readonly output: unknown }): object =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') };

/** Under the permit: of a generator that nobody reads nothing runs. Any other output stays as it is. */
export async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const one of output as AsyncIterable<unknown>) last = one;
  return last;
}
