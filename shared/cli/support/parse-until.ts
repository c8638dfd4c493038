/** Reads a time ahead that somebody types: an instant, a date, or a duration from now. */
import { LIMITS } from '../../contract/bounds.ts';
import { parseInstant } from '../../domain/parse-instant.ts';
import { CliError, EXIT } from './io.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * @param option names the value in messages
 * @throws CliError if it is no time, not in the future, or more than `longestMs` ahead
 */
export function instantOf(option: string, text: string, now: number, longestMs: number = LIMITS.namedEndMs): string {
  const at = parseInstant(text, now);
  if (at === undefined) {
    throw new CliError(
      `${option}: ${text} is no time: write 2026-11-21T09:30:00Z, 2026-11-21, or 30m, 2h, 1d`,
      EXIT.usage,
    );
  }
  if (at <= now) throw new CliError(`${option}: ${text} is over already`, EXIT.usage);
  if (at > now + longestMs)
    throw new CliError(`${option}: ${text} is more than ${longestMs / DAY_MS} days ahead`, EXIT.usage);
  return new Date(at).toISOString();
}
