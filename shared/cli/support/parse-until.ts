/** Reads a time that somebody types: an instant, a date, or a duration from now. */
import { parseInstant } from '../../domain/parse-instant.ts';
import { CliError, EXIT } from './io.ts';

/** @throws CliError if it is none, or not in the future. */
export function instantOf(text: string, now: number): string {
  const at = parseInstant(text, now);
  if (at === undefined) {
    throw new CliError(`${text} is no time: write 2026-11-21T09:30:00Z, 2026-11-21, or 30m, 2h, 1d`, EXIT.usage);
  }
  if (at <= now) throw new CliError(`${text} is over already`, EXIT.usage);
  return new Date(at).toISOString();
}
