/** Plays the canary: a call for each verdict, compared with the gate's decision. */
import { CANARY, CANARY_TOOL, CANARY_VERDICTS, type CanaryVerdict } from '../domain/canary.ts';
import { ownValue } from '../domain/own.ts';
import { DigestMismatchError } from './errors.ts';
import { Exchange } from './exchange.ts';
import { type CountersignClientOptions, checkedOptions } from './options.ts';

/** One step of a check may take so long: all of them fit the time of one run. */
const STEP_TIMEOUT_MS = 24_000;
/** A question that could not be withdrawn ends by itself. */
const ENDS_AFTER_MS = 120_000;
/** A question stands for a moment before it is withdrawn. */
const ASKED_FOR_MS = 2_000;

/**
 * `right`: as it must be. `stricter`: a pause or a rule of the policy file for every tool says so, and nothing ran that must not. `wrong`:
 * the gate allows what must be asked or denied. `failed`: no decision came, or one that no rule makes.
 */
export type CanaryResult = 'right' | 'stricter' | 'wrong' | 'failed';

export interface CanaryCheck {
  readonly expected: CanaryVerdict;
  readonly result: CanaryResult;
  /** The gate's verdict or outcome, or the name of an error. */
  readonly got: string;
  readonly proposalId: string;
  /** Until the decision was read; of a question until its end was. */
  readonly ms: number;
}

export interface CanaryReport {
  /** Whether every check had an answer, and none of them a wrong one. */
  readonly passed: boolean;
  readonly checks: readonly CanaryCheck[];
}

/** Takes the options of a client; its agent is the canary. */
export async function runCanary(given: CountersignClientOptions): Promise<CanaryReport> {
  const options = checkedOptions({ ...given, agent: CANARY });
  const { clock, newId } = options;
  const exchange = new Exchange(options);
  const check = async (expected: CanaryVerdict): Promise<CanaryCheck> => {
    const began = clock.now();
    const proposalId = newId();
    const got = await verdictOn(expected, proposalId, exchange, options).catch(faultOf);
    return { expected, proposalId, ...compared(expected, got), ms: clock.now() - began };
  };
  try {
    const checks = await Promise.all(CANARY_VERDICTS.map(check));
    return { passed: checks.every(({ result }) => result === 'right' || result === 'stricter'), checks };
  } finally {
    options.close();
  }
}

/** The gate's word on one call, or another outcome. */
async function verdictOn(
  verdict: CanaryVerdict,
  proposalId: string,
  exchange: Exchange,
  { clock, sleep }: Pick<ReturnType<typeof checkedOptions>, 'clock' | 'sleep'>,
): Promise<string> {
  // Two runs are two questions: an identical call that waits would be joined to the first.
  const input = { verdict, run: proposalId };
  const expiresAt = new Date(clock.now() + ENDS_AFTER_MS).toISOString();
  await exchange.propose({ proposalId, toolName: CANARY_TOOL, input, expiresAt });
  const timeout = { timeout: STEP_TIMEOUT_MS };
  const isAsked = await exchange.isAsked(proposalId, timeout);
  // By then its card has been asked for, and with it whether Slack can be reached.
  if (isAsked) await sleep(ASKED_FOR_MS, undefined);
  if (isAsked) await exchange.cancel(proposalId, 'the canary has seen the question');
  const { outcome, reasonCode } = await exchange.wait(proposalId, timeout);
  // A person's answer to it, or silence, is no end of a question that was withdrawn at once.
  if (isAsked) return outcome === 'cancelled' ? 'ask' : `asked, then ${outcome}`;
  return ownValue(OUTCOMES, outcome) ?? `${outcome}: ${reasonCode}`;
}

const OUTCOMES: Readonly<Record<string, CanaryVerdict>> = { approved: 'allow', denied: 'deny' };

/** A decision about another call than the one that was sent is worse than none. */
const faultOf = (error: unknown): string =>
  error instanceof DigestMismatchError ? MISMATCH : error instanceof Error ? error.name : 'Error';

const MISMATCH = 'allows another call';
/** None of these ran by a rule of the canary. */
const WRONG: ReadonlySet<string> = new Set([MISMATCH, 'asked, then approved']);

function compared(expected: CanaryVerdict, got: string): Pick<CanaryCheck, 'result' | 'got'> {
  const order: readonly string[] = CANARY_VERDICTS;
  if (got === expected) return { result: 'right', got };
  if (WRONG.has(got)) return { result: 'wrong', got };
  if (!order.includes(got)) return { result: 'failed', got };
  return { result: order.indexOf(got) < order.indexOf(expected) ? 'stricter' : 'wrong', got };
}
