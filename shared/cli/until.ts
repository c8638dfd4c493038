/** A time that somebody types: an instant, or a duration from now. */
import { CliError, EXIT } from './io.ts';

/** @throws CliError if it is neither, or not in the future. */
export async function instantOf(text: string, now: number): Promise<string> {
  const { default: ms } = await import('ms');
  const isDuration = /^\d{1,5}(s|m|h|d)$/.test(text);
  const at = isDuration
    ? now + ms(text as `${number}m`)
    : /^\d{4}-\d\d-\d\dT/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isFinite(at)) {
    throw new CliError(`${text} is no time: write 2026-11-21T09:30:00Z, or 30m, 2h, 1d`, EXIT.usage);
  }
  if (at <= now) throw new CliError(`${text} is over already`, EXIT.usage);
  return new Date(at).toISOString();
}
