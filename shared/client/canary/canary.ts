/** Runs the canary's plays, and compares what the gate did with what it must do. */
import { CANARY, CANARY_CHECKS, CANARY_VERDICTS, type CanaryCheckName } from '../../domain/canary.ts';
import { DigestMismatchError } from '../calls/errors.ts';
import { type CountersignClientOptions, checkedOptions } from '../calls/options.ts';
import { Exchange } from '../exchange/exchange.ts';
import { endOf, usesOfPermit, verdictOn } from './canary-plays.ts';

/**
 * `right`: as it must be. `stricter`: a pause or a rule of the policy file for every tool says so, and nothing ran that must not. `wrong`:
 * the gate allows what must be asked or denied. `failed`: no decision came, or one that no rule makes.
 */
type CanaryResult = 'right' | 'stricter' | 'wrong' | 'failed';

interface CanaryCheck {
  readonly expected: CanaryCheckName;
  readonly result: CanaryResult;
  /** The gate's verdict or outcome, how often a permit was of use, or the name of an error. */
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

/** Takes the options of a client; its agent is the canary. `expiresAfterMs`: a question is left to expire as well, which takes as long. */
export async function runCanary(
  given: CountersignClientOptions,
  { expiresAfterMs }: { readonly expiresAfterMs?: number } = {},
): Promise<CanaryReport> {
  const options = checkedOptions({ ...given, agent: CANARY });
  const { clock, newId } = options;
  const exchange = new Exchange(options);
  const check = async (
    expected: CanaryCheckName,
    play: (proposalId: string) => Promise<string>,
  ): Promise<CanaryCheck> => {
    const began = clock.now();
    const proposalId = newId();
    const got = await play(proposalId).catch(faultOf);
    return { expected, proposalId, ...compared(expected, got), ms: clock.now() - began };
  };
  const plays: Readonly<Record<CanaryCheckName, ((proposalId: string) => Promise<string>) | undefined>> = {
    deny: (id) => verdictOn('deny', id, exchange, options),
    ask: (id) => verdictOn('ask', id, exchange, options),
    allow: (id) => verdictOn('allow', id, exchange, options),
    redeem: options.redeemer && ((id) => usesOfPermit(id, exchange, options)),
    expire: expiresAfterMs === undefined ? undefined : (id) => endOf(id, expiresAfterMs, exchange, options),
  };
  try {
    const checks = await Promise.all(
      CANARY_CHECKS.flatMap((name) => {
        const play = plays[name];
        return play ? [check(name, play)] : [];
      }),
    );
    return { passed: checks.every(({ result }) => result === 'right' || result === 'stricter'), checks };
  } finally {
    options.close();
  }
}

/** A decision about another call than the one that was sent is worse than none. */
const faultOf = (error: unknown): string =>
  error instanceof DigestMismatchError ? MISMATCH : error instanceof Error ? error.name : 'Error';

const MISMATCH = 'allows another call';
/** None of these ran by a rule of the canary. */
const WRONG: ReadonlySet<string> = new Set([MISMATCH, 'asked, then approved', 'twice']);
/** Each in the gate's word, the strictest first; of a check without a verdict the first is an answer that is stricter. */
const ORDER: Readonly<Record<CanaryCheckName, readonly string[]>> = {
  deny: CANARY_VERDICTS,
  ask: CANARY_VERDICTS,
  allow: CANARY_VERDICTS,
  // A pause, a question or a limit for every tool came before the permit was of use.
  redeem: ['deny', 'ask', 'not now', 'once'],
  expire: ['deny', 'expired', 'allow'],
};
const RIGHT: Readonly<Record<CanaryCheckName, string>> = {
  deny: 'deny',
  ask: 'ask',
  allow: 'allow',
  redeem: 'once',
  expire: 'expired',
};

function compared(expected: CanaryCheckName, got: string): Pick<CanaryCheck, 'result' | 'got'> {
  const order = ORDER[expected];
  const right = RIGHT[expected];
  if (got === right) return { result: 'right', got };
  if (WRONG.has(got)) return { result: 'wrong', got };
  if (!order.includes(got)) return { result: 'failed', got };
  return { result: order.indexOf(got) < order.indexOf(right) ? 'stricter' : 'wrong', got };
}
