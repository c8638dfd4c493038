/** Refuses an option as the value of the option before it. */
import type { Command } from 'commander';

/** An option without its value would take the next option for it, and the command would do without that one. */
export function refuseOptionsAsValues(command: Command): void {
  const names = new Set(['-h', '--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  for (const option of command.options.filter(({ required }) => required))
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (typeof value === 'string' && names.has(value))
        command.error(`error: ${option.flags} needs a value, and ${value} is an option`);
    });
}
