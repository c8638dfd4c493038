/** Draws texts, asks the gate, runs what it allows in both shells, and makes each failure small. */
import { Gate } from './gate.ts';
import { minimised } from './minimise.ts';
import { differences, type Failure, failuresOf } from './oracles.ts';
import { type DrawnPolicy, drawPolicy } from './policies.ts';
import { randomOf } from './random.ts';
import { isSafe } from './safe.ts';
import { Runner, SHELL_NAMES, type ShellName } from './shells.ts';
import { drawText } from './texts.ts';

export interface Finding {
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
  readonly ran: Record<ShellName, number>;
  killed: number;
  /** All failures, also those that were not made small because their like had been. */
  readonly failures: Record<string, number>;
}

interface CampaignOptions {
  readonly seed: number;
  /** Asked before each text. */
  readonly goesOn: (summary: Summary) => boolean;
  readonly onFound: (found: Finding) => void;
  /** How many failures of one class and program are made small. */
  readonly perShape: number;
}

const TEXTS_PER_POLICY = 30;
/** Each waits for its shells most of the time. */
const LANES = 3;

/** The same seed and number give the same policy and text, whatever ran before. */
function drawn(seed: number, index: number): { policy: DrawnPolicy; text: string } {
  const policy = drawPolicy(randomOf(seed * 7_919 + Math.floor(index / TEXTS_PER_POLICY)));
  return { policy, text: drawText(randomOf(seed * 104_729 + index * 31 + 17), policy) };
}

export async function runCampaign(options: CampaignOptions): Promise<Summary> {
  const campaign = new Campaign(options);
  await Promise.all(Array.from({ length: LANES }, () => campaign.lane()));
  return campaign.summary;
}

/** Lanes share the numbers of the texts; each has its own shells and folders. */
class Campaign {
  readonly summary: Summary = { texts: 0, allowed: 0, ran: { bash: 0, dash: 0 }, killed: 0, failures: {} };
  readonly #options: CampaignOptions;
  readonly #shapes = new Counter();
  readonly #signatures = new Counter();
  #next = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async lane(): Promise<void> {
    const runners = SHELL_NAMES.map((shell) => new Runner(shell));
    let gate: Gate | undefined;
    try {
      while (this.#options.goesOn(this.summary)) {
        const index = this.#next++;
        const { policy, text } = drawn(this.#options.seed, index);
        if (gate === undefined || !isSame(gate.policy, policy)) gate = new Gate(policy);
        this.summary.texts++;
        const run = isSafe(text) ? gate.runs(text) : undefined;
        if (run !== undefined) await this.#look(gate, text, run, index, runners);
      }
    } finally {
      for (const runner of runners) runner.close();
    }
  }

  async #look(gate: Gate, text: string, run: string, index: number, runners: readonly Runner[]): Promise<void> {
    const { policy } = gate;
    this.summary.allowed++;
    const results = await Promise.all(runners.map((runner) => runner.run(run, policy.cwd)));
    for (const { shell, killed } of results) {
      this.summary.ran[shell]++;
      if (killed) this.summary.killed++;
    }
    const failures = results.flatMap((seen) => failuresOf(gate, seen));
    const [bash] = runners;
    const [printed] = results;
    // Background parts may end in another order, and a process number is another one each time.
    if (run !== text && !text.includes('&') && !text.includes('$$') && bash !== undefined && printed !== undefined) {
      const original = await bash.run(text, policy.cwd);
      failures.push(...differences(original, printed));
    }
    const failure = failures[0];
    const runner = runners.find(({ shell }) => shell === failure?.shell);
    if (failure === undefined || runner === undefined) return;
    // A process that an earlier text left in the background may have written into this log: such a failure does not come again.
    if ((await failureOf(text, policy, runner, failure.kind)) === undefined) return;
    for (const kind of new Set(failures.map((each) => each.kind))) {
      this.summary.failures[kind] = (this.summary.failures[kind] ?? 0) + 1;
    }
    const { perShape, onFound, seed } = this.#options;
    if (this.#shapes.add(`${failure.kind} ${failure.why.split(' ')[0]}`) > perShape) return;
    let last = failure;
    const smallest = await minimised({ text, policy }, async (smaller) => {
      const again = await failureOf(smaller.text, smaller.policy, runner, failure.kind);
      if (again !== undefined) last = again;
      return again !== undefined;
    });
    if (this.#signatures.add(`${failure.kind} ${signatureOf(smallest.text)}`) > perShape) return;
    onFound({ ...smallest, failure: last, seed, index, drawn: text });
  }
}

class Counter {
  readonly #counts = new Map<string, number>();

  /** How often the key came, this time included. */
  add(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}

function isSame(one: DrawnPolicy, other: DrawnPolicy): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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
  const gate = new Gate(policy);
  const run = isSafe(text) ? gate.runs(text) : undefined;
  if (run === undefined) return undefined;
  const seen = await runner.run(run, policy.cwd);
  if (kind === 'printed') return differences(await runner.run(text, policy.cwd), seen)[0];
  return failuresOf(gate, seen).find((each) => each.kind === kind);
}
