/** Refuses an option as the value of the option before it, and two values of an option that takes one. */
import type { Command } from 'commander';

export function checkOptionValues(command: Command): void {
  const names = new Set(['-h', '--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  for (const option of command.options.filter(({ required }) => required)) {
    let before: unknown;
    command.on(`option:${option.name()}`, (value: unknown) => {
      // An option without its value would take the next option for it, and the command would do without that one.
      if (typeof value === 'string' && names.has(value))
        command.error(`error: ${option.flags} needs a value, and ${value} is an option`);
      // The last one would count in silence: of two agents to pause, one would go on.
      if (!option.variadic && before !== undefined && before !== value)
        command.error(`error: ${option.flags} takes one value, and is given two`);
      before = value;
    });
  }
}
