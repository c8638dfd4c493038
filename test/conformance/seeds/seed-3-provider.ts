/** Scripted providers of seed 3: what the words of a case make a tool do, call by call. */
import {
  authError,
  budgetExceededError,
  circuitOpenError,
  contractError,
  executionError,
  providerThrottledError,
  systemError,
  timeoutError,
} from '../../../shared/guardrails/errors.ts';
import type { ToolBehaviour } from '../../unit/guardrails/harness.ts';
import { Uninterpretable } from './seed-0-world.ts';
import { duration } from './seed-3-given.ts';

type Step = ToolBehaviour;

const COUNTS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 };

/** Steps in order; the last one stays. After counted failures the tool is well. */
export function providerOf(words: string): ToolBehaviour {
  const steps: Step[] = [];
  let counted = false;
  // Whether a tool listens when it is told to stop makes no difference to who waits for it.
  const plain = words.toLowerCase().replaceAll(/\b(always|keeps|and)\b\s*|,?\s*(ignoring|ignores) .*$/g, '');
  for (const part of plain.split(/\s*(?:,|\bthen\b)\s*/).filter((one) => one !== '')) {
    const [, what = part, times, word] =
      /^(fails|raises|sleeps\s+\S+)\s+(?:(\d+)\s+times?|(once|twice|thrice))\b/.exec(part) ?? [];
    const count = times === undefined ? (word === undefined ? undefined : COUNTS[word]) : Number(times);
    const rest = part.replace(/\s+(\d+\s+times?|once|twice|thrice)\b/, '');
    counted = count !== undefined;
    steps.push(...Array.from({ length: count ?? 1 }, () => stepOf(counted ? rest : part, what)));
  }
  if (counted) steps.push(ok);
  return (attempt, runtime) => {
    const step = steps.length > 1 ? steps.shift() : steps[0];
    if (!step) throw new Uninterpretable('a provider without words');
    return step(attempt, runtime);
  };
}

export const ok: Step = async () => 'ok';

function stepOf(words: string, _what: string): Step {
  const throttled = /^(?:answers )?429(?:\s+(?:with\s+)?retry-after\s+(\S+))?$/.exec(words);
  if (throttled)
    return rejecting(() => providerThrottledError('local', throttled[1] ? duration(throttled[1]) : undefined));
  const sleeps =
    /^(?:sleeps\s+)?([\d.]+\s*(?:ms|s)?)$/.exec(words) ??
    /^(?:ok|succeeds|answers|returns)(?: ok)? (?:after|in) ([\d.]+\s*(?:ms|s)?)$/.exec(words);
  if (sleeps) {
    const ms = duration(sleeps[1] ?? '');
    return async (_attempt, runtime) => {
      await runtime.sleep(ms);
      return 'ok';
    };
  }
  if (/^(ok|succeeds|answers|call|returns)( ok| late)?$/.test(words)) return ok;
  if (/^(hangs|times? ?out|never (returns|answers|completes|finishes|responds)|(hangs|sleeps) forever)$/.test(words))
    return () => new Promise(() => {});
  const failure = /^(?:fails|failing|raises|throws|returns|error)?\s*(?:with\s+|an?\s+)*(.*?)\s*(?:error)?$/.exec(
    words,
  )?.[1];
  return failing(failure ?? '');
}

const ERRORS: Readonly<Record<string, () => Error>> = {
  '': () => executionError('failed', { transient: true }),
  fail: () => executionError('failed', { transient: true }),
  transient: () => executionError('failed', { transient: true }),
  execution: () => executionError('failed', { transient: true }),
  executionerror: () => executionError('failed', { transient: true }),
  retryable: () => executionError('failed', { transient: true }),
  network: () => executionError('failed', { transient: true }),
  nonretryable: () => executionError('failed'),
  permanent: () => executionError('failed'),
  nontransient: () => executionError('failed'),
  fatal: () => executionError('failed'),
  timeout: () => timeoutError(1, 1, 'unknown'),
  circuitopen: () => circuitOpenError('open', 1000),
  budgetexceeded: () => budgetExceededError('other', 1000),
  contract: () => contractError('Invalid', 'invalid'),
  contracterror: () => contractError('Invalid', 'invalid'),
  validation: () => contractError('Invalid', 'invalid'),
  auth: () => authError('Forbidden', 'forbidden'),
  autherror: () => authError('Forbidden', 'forbidden'),
  system: () => systemError('Broken', 'broken'),
  systemerror: () => systemError('Broken', 'broken'),
  ratelimited: () => providerThrottledError('local'),
};

export function failing(kind: string): Step {
  const name = kind.toLowerCase().replaceAll(/[_\s-]/g, '');
  const make = ERRORS[name] ?? ERRORS[name.replace(/error$/, '')];
  if (!make) throw new Uninterpretable(`provider ${kind}`);
  return rejecting(make);
}

const rejecting =
  (make: () => Error): Step =>
  async () => {
    throw make();
  };
