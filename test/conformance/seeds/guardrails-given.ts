/** Reads the words of a case of the guardrails. One that nobody understood makes the case fail. */
import { GuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import { type Fields, isFields } from '../fields.ts';
import { Uninterpretable } from './uninterpretable.ts';

/** The given fields of a case, and those of them that were read. */
export class Given {
  readonly #fields: Fields;
  readonly #read = new Set<string>();

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key);
  }

  get(key: string): unknown {
    this.#read.add(key);
    return this.#fields[key];
  }

  number(key: string, absent: number): number {
    const value = this.get(key);
    if (value === undefined || value === null) return absent;
    if (typeof value !== 'number') throw new Uninterpretable(`${key} is no number`);
    return value;
  }

  text(key: string, absent = ''): string {
    const value = this.get(key) ?? absent;
    if (typeof value !== 'string') throw new Uninterpretable(`${key} is no text`);
    return value;
  }

  list(key: string): unknown[] {
    const value = this.get(key) ?? [];
    if (!Array.isArray(value)) throw new Uninterpretable(`${key} is no list`);
    return value;
  }

  /** The keys that were not read yet. */
  unread(): string[] {
    return Object.keys(this.#fields).filter((key) => !this.#read.has(key));
  }

  /** The keys that were not read yet among the names that cases use for one thing. A name that is spelt otherwise is nobody's. */
  unreadOf(...names: readonly string[]): string[] {
    return this.unread().filter((key) => names.includes(key));
  }

  /** To be called last. */
  finish(): void {
    const rest = this.unread();
    if (rest.length > 0) throw new Uninterpretable(`given ${rest.join(', ')}`);
  }
}

/** The names that cases use for settings. */
const SETTINGS: Readonly<Record<string, readonly [name: string, factor?: number]>> = {
  timeout_ms: ['timeoutMs'],
  retries: ['maxRetries'],
  max_retries: ['maxRetries'],
  max_attempts: ['maxRetries'],
  max_retry_total_ms: ['maxRetryTotalMs'],
  max_total_ms: ['maxRetryTotalMs'],
  retry_total_ms: ['maxRetryTotalMs'],
  base_ms: ['backoffBaseMs'],
  backoff_base_ms: ['backoffBaseMs'],
  multiplier: ['backoffMultiplier'],
  jitter: ['backoffJitter'],
  max_delay_ms: ['maxDelayMs'],
  rate_per_s: ['ratePerSecond'],
  burst: ['burst'],
  concurrency: ['maxConcurrent'],
  max_concurrent: ['maxConcurrent'],
  tool_cap: ['maxConcurrent'],
  failure_threshold: ['failureThreshold'],
  reset_after_s: ['resetAfterMs', 1000],
  half_open_probes: ['halfOpenProbes'],
  window: ['windowCalls'],
};
const BUDGETS: Readonly<Record<string, readonly [name: string, factor?: number]>> = {
  time_budget_s_per_min: ['timeMsPerMinute', 1000],
  cost_budget_per_day: ['costPerDay'],
  cost_per_day: ['costPerDay'],
  budget: ['costPerDay'],
};

/** The settings among these fields, as the policy file calls them; `budget` apart. */
export function layerOf(fields: unknown): { settings: Fields; budget: Fields } {
  if (fields === undefined || fields === null) return { settings: {}, budget: {} };
  if (!isFields(fields)) throw new Uninterpretable('a layer that is no object');
  const settings: Fields = {};
  const budget: Fields = {};
  for (const [key, value] of Object.entries(fields)) {
    const [target, [name, factor]] = SETTINGS[key]
      ? [settings, SETTINGS[key]]
      : BUDGETS[key]
        ? [budget, BUDGETS[key]]
        : unknownSetting(key);
    if (value !== null) target[name] = scaled(value, factor ?? 1);
  }
  return { settings, budget };
}

function unknownSetting(key: string): never {
  throw new Uninterpretable(`setting ${key}`);
}

/** `"NaN"` and `"Infinity"` stand for what JSON cannot write. */
function scaled(value: unknown, factor: number): unknown {
  if (typeof value === 'string' && /^(NaN|[+-]?Infinity)$/.test(value)) return Number(value);
  return typeof value === 'number' ? value * factor : value;
}

/** Takes the settings out of what is given. */
export function settingsOf(given: Given): Fields {
  const names = given.unread().filter((key) => Object.hasOwn(SETTINGS, key));
  return layerOf(Object.fromEntries(names.map((key) => [key, given.get(key)]))).settings;
}

/** Resolved values under every name that a case may ask for. */
export function inCaseNames(values: Fields): Fields {
  const named = { ...SETTINGS, ...BUDGETS };
  const found = Object.entries(named).filter(([, [name]]) => values[name] !== undefined);
  return Object.fromEntries(found.map(([key, [name, factor]]) => [key, Number(values[name]) / (factor ?? 1)]));
}

export function clampedNames(clamped: readonly string[], stated: unknown): string[] {
  const keys = isFields(stated) ? Object.keys(stated) : [];
  return clamped.map((name) => keys.find((key) => (SETTINGS[key] ?? BUDGETS[key])?.[0] === name) ?? name);
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Error keys count in the error and then in its details, in either spelling. */
export function shownError(error: unknown): Fields | null {
  if (error === undefined || error === null) return null;
  const plain = error instanceof GuardrailError ? error.toToolError() : (error as Fields);
  const details = isFields(plain['details' as never]) ? (plain['details' as never] as Fields) : {};
  const merged: Fields = { ...details, ...plain };
  const spelled = Object.entries(merged).map(([key, value]): [string, unknown] => [snake(key), value]);
  return { ...Object.fromEntries(spelled), ...merged };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, '': 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** `200ms`, `3s`, `500`. */
export function duration(text: string): number {
  const [, digits, unit] = /^([\d.]+)\s*(ms|s|min|m|h|)$/.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  if (digits === undefined || factor === undefined) throw new Uninterpretable(`duration ${text}`);
  return Number(digits) * factor;
}
