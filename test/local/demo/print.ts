/** Prints the demo: one line a step with the time since its start, and the decisions as they arrive. */
import { stripVTControlCharacters } from 'node:util';

const began = performance.now();
const colour = process.stdout.isTTY && !process.env['NO_COLOR'];
const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

const elapsed = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`;

/** Text from another process is shown without control characters. */
const plain = (text: string): string => stripVTControlCharacters(text).replace(/[\p{Cc}]/gu, ' ');

export const say = (text: string): void => console.log(text);
export const step = (text: string): void => console.log(`${paint(2, elapsed())}  ${plain(text)}`);
export const heading = (text: string): void => console.log(`\n${paint(1, text)}`);
export const failure = (text: string): void => console.error(`\n${paint(31, plain(text))}`);

export interface AgentLine {
  readonly event: 'proposed' | 'decided' | 'ran';
  readonly proposalId: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly outcome?: string;
  readonly decidedBy?: { readonly type: string; readonly id: string };
  readonly message?: string;
  /** The input that may run in place of the proposed one. */
  readonly effective?: unknown;
  /** The tool's answer. */
  readonly output?: string;
  readonly ms?: number;
}

const COLOURS: Readonly<Record<string, number>> = { approved: 32, denied: 31 };

const MAX_SHOWN = 160;
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? {});
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
};

export const proposal = ({ tool = '', input }: AgentLine): void => step(`proposed ${tool} ${shown(input)}`);
export const run = ({ output = '' }: AgentLine): void => step(`ran: ${shown(output)}`);

/** `nameOf`: people as they are called, rules by their place in the policy file. */
export function decision(
  line: AgentLine,
  proposed: AgentLine | undefined,
  nameOf: (by: NonNullable<AgentLine['decidedBy']>) => string,
): void {
  const what = `${proposed?.tool ?? ''} ${shown(proposed?.input)}`;
  const outcome = (line.outcome ?? '').toUpperCase();
  say(`\n  ${paint(COLOURS[line.outcome ?? ''] ?? 33, outcome)}  ${plain(what)}`);
  say(`    by   ${plain(line.decidedBy ? nameOf(line.decidedBy) : 'nobody')}   after ${line.ms} ms`);
  if (line.effective) say(`    runs as ${plain(shown(line.effective))}`);
  say(`    told the model: ${plain(line.message ?? '')}`);
}

/** The CDK prints a line per resource; a person wants to know that it moves. */
export function deployProgress(): (line: string) => void {
  let last = '';
  let lastAt = 0;
  return (line) => {
    const resource =
      /\|\s*(\d+)(?:\/(\d+))?\s*\|.*\|\s*(\w+_(?:COMPLETE|IN_PROGRESS|FAILED))\s*\|\s*(AWS::\w+::\w+)/.exec(line);
    const text = resource ? `deploying: ${resource[4]}` : line.replace(/^cdk \w+: /, '');
    const now = performance.now();
    if (text === last || text.trim() === '' || (resource && now - lastAt < 1_000)) return;
    if (!resource && line.startsWith('cdk ')) return;
    [last, lastAt] = [text, now];
    step(text);
  };
}
