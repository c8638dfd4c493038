/** Reads a length of time as programs state it: milliseconds, or a number with its unit. */
import { InvalidSettingError } from './errors.ts';
import type { Check } from './settings.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const TEXT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A length of time: milliseconds as a number, or a text such as `'500ms'`, `'30s'`, `'5m'`, `'1h'`, `'7d'`. */
export type Duration = number | `${number}${keyof typeof UNITS}`;

/**
 * Milliseconds of a length of time.
 *
 * @param setting names the value in the message
 * @throws InvalidSettingError for a negative length, NaN, an infinite one, and a text without a unit
 */
export function durationMs(value: Duration, setting: string): number {
  const [, count, unit] = typeof value === 'string' ? (TEXT.exec(value) ?? []) : [];
  const ms = typeof value === 'number' ? value : Number(count) * UNITS[unit as keyof typeof UNITS];
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const stated = typeof value === 'string' ? JSON.stringify(value).slice(0, 40) : String(value).slice(0, 40);
  throw new InvalidSettingError(
    setting,
    `${stated} is no length of time: give milliseconds, or a text such as '30s' or '1h'`,
  );
}

/** Checks a setting that is a length of time. */
export const duration: Check = (value, setting) => void durationMs(value as Duration, setting);
