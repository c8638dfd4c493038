/** Draws texts, asks the gate, runs what it allows in both shells, and makes each failure small. */
import { Gate } from './gate.ts';
import { minimised } from './minimise.ts';
import { type Failure, failuresOf } from './oracles.ts';
import { type DrawnPolicy, drawPolicy } from './policies.ts';
import { randomOf } from './random.ts';
import { isSafe } from './safe.ts';
import { Runner, SHELL_NAMES } from './shells.ts';
import { drawText } from './texts.ts';

export interface Found {
  readonly text: string;
  readonly policy: DrawnPolicy;
  readonly failure: Failure;
  /** Draws the same text again: `--seed` and the number of the text. */
  readonly seed: number;
  readonly index: number;
  readonly drawn: string;
}

export interface Summary {
  texts: number;
  allowed: number;
  ran: Record<string, number>;
  killed: number;
  /** All failures, also those that were not made small because their like had been. */
  failures: Record<string, number>;
}

export interface CampaignOptions {
  readonly seed: number;
  /** Asked before each text. */
  readonly goesOn: (summary: Summary) => boolean;
  readonly onFound: (found: Found) => void;
  /** How many failures of one class and program are made small. */
  readonly perShape: number;
}

const TEXTS_PER_POLICY = 30;

/** The same seed and number give the same policy and text, whatever ran before. */
export function drawn(seed: number, index: number): { policy: DrawnPolicy; text: string } {
  const policy = drawPolicy(randomOf(seed * 7_919 + Math.floor(index / TEXTS_PER_POLICY)));
  return { policy, text: drawText(randomOf(seed * 104_729 + index * 31 + 17), policy) };
}

export async function runCampaign(options: CampaignOptions): Promise<Summary> {
  const runners = SHELL_NAMES.map((shell) => new Runner(shell));
  const summary: Summary = { texts: 0, allowed: 0, ran: { bash: 0, dash: 0 }, killed: 0, failures: {} };
  const shapes = new Map<string, number>();
  const signatures = new Map<string, number>();
  let gate: Gate | undefined;
  try {
    for (let index = 0; options.goesOn(summary); index++) {
      const { policy, text } = drawn(options.seed, index);
      if (gate === undefined || index % TEXTS_PER_POLICY === 0) gate = new Gate(policy);
      summary.texts++;
      if (!isSafe(text) || gate.command(text).verdict !== 'allow') continue;
      summary.allowed++;
      const results = await Promise.all(runners.map((runner) => runner.run(text)));
      for (const seen of results) {
        summary.ran[seen.shell] = (summary.ran[seen.shell] ?? 0) + 1;
        if (seen.killed) summary.killed++;
      }
      const failures = results.flatMap((seen) => failuresOf(gate as Gate, seen));
      const failure = failures[0];
      if (failure === undefined) continue;
      for (const kind of new Set(failures.map((each) => each.kind)))
        summary.failures[kind] = (summary.failures[kind] ?? 0) + 1;
      const shape = `${failure.kind} ${failure.why.split(' ')[0]}`;
      const before = shapes.get(shape) ?? 0;
      shapes.set(shape, before + 1);
      if (before >= options.perShape) continue;
      const runner = runners.find((each) => each.shell === failure.shell);
      if (runner === undefined) continue;
      let last = failure;
      const smallest = await minimised({ text, policy }, async (smaller) => {
        const again = await failureOf(smaller.text, smaller.policy, runner, failure.kind);
        if (again !== undefined) last = again;
        return again !== undefined;
      });
      const signature = `${failure.kind} ${signatureOf(smallest.text)}`;
      const alike = signatures.get(signature) ?? 0;
      signatures.set(signature, alike + 1);
      if (alike >= options.perShape) continue;
      options.onFound({ ...smallest, failure: last, seed: options.seed, index, drawn: text });
    }
  } finally {
    for (const runner of runners) runner.close();
  }
  return summary;
}

/** The text without its names: what is left is the shape that the gate and the shell read differently. */
function signatureOf(text: string): string {
  return text.replaceAll(/[\w./~-]+/g, 'w');
}

async function failureOf(
  text: string,
  policy: DrawnPolicy,
  runner: Runner,
  kind: string,
): Promise<Failure | undefined> {
  if (!isSafe(text)) return undefined;
  const gate = new Gate(policy);
  if (gate.command(text).verdict !== 'allow') return undefined;
  return failuresOf(gate, await runner.run(text)).find((each) => each.kind === kind);
}
