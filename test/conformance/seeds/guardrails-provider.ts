/** Scripts providers of the guardrails: what the words of a case make a tool do, call by call. */
import {
  budgetExceededError,
  circuitOpenError,
  providerThrottledError,
  timeoutError,
} from '../../../shared/guardrails/limits/limit-errors.ts';
import {
  authError,
  contractError,
  executionError,
  GuardrailError,
  systemError,
} from '../../../shared/guardrails/settings/errors.ts';
import type { ToolBehaviour } from '../../unit/guardrails/harness.ts';
import { duration } from './guardrails-given.ts';
import { Uninterpretable } from './uninterpretable.ts';

type Step = ToolBehaviour;

const COUNTS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 };

/** Texts of errors, which may hold any words: taken out before the other words are read. */
const QUOTED = /\(?\s*(['"])(.*?)\1\s*\)?/g;
/** A tool's name in front of the verb. */
const NAMED =
  /^(?!fails|raises|throws|sleeps|returns|errors?|hangs|never|times|ok|succeeds|answers)\S+\s+(?=(?:fails|raises|throws|sleeps|returns|hangs|never|times? out)\b)/;

/** Steps in order; the last one stays. After counted failures the tool is well, and after a sleep it fails where the words go on so. */
export function providerOf(words: string): ToolBehaviour {
  const texts: string[] = [];
  const unquoted = words.replaceAll(QUOTED, (_whole, _quote, text: string) => ` #${texts.push(text) - 1} `);
  const steps: Step[] = [];
  const [sleeping, broken] = [new Set<Step>(), new Set<Step>()];
  let counted = false;
  // Whether a tool listens when it is told to stop makes no difference to who waits for it.
  const plain = unquoted.toLowerCase().replaceAll(/\b(always|keeps|and)\b\s*|,?\s*(ignoring|ignores) .*$/g, '');
  for (const named of plain.split(/\s*(?:,|\bthen\b)\s*/).filter((one) => one.trim() !== '')) {
    const part = named.trim().replace(NAMED, '');
    const [, times, word] =
      /^(?:fails|raises|throws|sleeps\s+\S+|(?:answers\s+)?429(?:\s+(?:with\s+)?retry-after\s+\S+)?)(?:\s+(?:with\s+)?(?:\w+\s*)?#\d+)?\s+(?:(\d+)\s+times?|(once|twice|thrice))\b/.exec(
        part,
      ) ?? [];
    const count = times === undefined ? (word === undefined ? undefined : COUNTS[word]) : Number(times);
    const rest = part.replace(/\s+(\d+\s+times?|once|twice|thrice)\b/, '');
    counted = count !== undefined;
    const made = Array.from({ length: count ?? 1 }, () => stepOf(counted ? rest : part, texts));
    if (/^sleeps\b/.test(part)) for (const step of made) sleeping.add(step);
    if (/^(fails|raises|throws)\b/.test(part)) for (const step of made) broken.add(step);
    steps.push(...made);
  }
  if (counted) steps.push(ok);
  const next = () => {
    const step = steps.length > 1 ? steps.shift() : steps[0];
    if (!step) throw new Uninterpretable('a provider without words');
    return step;
  };
  return async (attempt, runtime) => {
    const step = next();
    const answer = await step(attempt, runtime);
    // One whose time ran out during the sleep leaves the failure to the next attempt.
    const failsNow = sleeping.has(step) && !attempt.signal.aborted && steps[0] !== undefined && broken.has(steps[0]);
    return failsNow ? next()(attempt, runtime) : answer;
  };
}

export const ok: Step = async () => 'ok';

function stepOf(words: string, texts: readonly string[]): Step {
  const throttled = /^(?:answers )?429(?:\s+(?:with\s+)?retry-after\s+(\S+))?\s*$/.exec(words);
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
  const [late, after] = /\s*\b(?:in|after) ([\d.]+\s*(?:ms|s|))(?=\s|$)/.exec(words) ?? [];
  const [mark, index] = /#(\d+)/.exec(words) ?? [];
  const bare = words
    .replace(late ?? '', '')
    .replace(mark ?? '', '')
    .trim();
  const kind = /^(?:fails|failing|raises|throws|returns|errors?)?\s*(?:with\s+|an?\s+)*(.*?)\s*(?:error)?$/.exec(
    bare,
  )?.[1];
  const fails = failing(kind ?? '', texts[Number(index)]);
  if (after === undefined) return fails;
  const ms = duration(after);
  return async (attempt, runtime) => {
    await runtime.sleep(ms);
    return fails(attempt, runtime);
  };
}

const ERRORS: Readonly<Record<string, () => GuardrailError>> = {
  '': () => executionError('failed', { transient: true }),
  fail: () => executionError('failed', { transient: true }),
  transient: () => executionError('failed', { transient: true }),
  execution: () => executionError('failed', { transient: true }),
  executionerror: () => executionError('failed', { transient: true }),
  retryable: () => executionError('failed', { transient: true }),
  network: () => executionError('failed', { transient: true }),
  toolfailed: () => executionError('failed', { transient: true }),
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

/** An error by its kind; one that has only a text may be worth another try, as any failure without a kind. */
function failing(kind: string, text?: string): Step {
  const found = errorOf(kind) ?? (text === undefined ? undefined : (errorOf(text) ?? errorOf('')));
  if (!found) throw new Uninterpretable(`provider ${kind}`);
  if (text === undefined) return rejecting(found);
  return rejecting(() => {
    const { category, code, details, isRetryable, effect } = found();
    return new GuardrailError(category, code, text, { details, isRetryable, effect });
  });
}

export const isKindOfError = (word: string): boolean => errorOf(word) !== undefined;

function errorOf(kind: string): (() => GuardrailError) | undefined {
  const name = kind.toLowerCase().replaceAll(/[_\s-]/g, '');
  return ERRORS[name] ?? ERRORS[name.replace(/error$/, '')];
}

const rejecting =
  (make: () => Error): Step =>
  async () => {
    throw make();
  };
