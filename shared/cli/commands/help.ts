/** Runs `countersign help`: prints the help of a command, as the command itself does with --help. */
import type { Command } from 'commander';
import { orNearest } from '../../domain/text/nearest.ts';

export function addHelp(program: Command): void {
  program
    // The help of each command names --help, which does the same.
    .command('help', { hidden: true })
    .description('Prints the help of a command, as the command itself does with --help.')
    .argument('[command...]', 'such as audit, or audit verify')
    .action((words: readonly string[]) => within(program, words).help());
}

/** A word that names no command is an error: its help would be the one of another command. */
function within(program: Command, words: readonly string[]): Command {
  return words.reduce((outer, word) => {
    const inner = outer.commands.find((one) => one.name() === word);
    const known = outer.commands.map((one) => one.name());
    return inner ?? outer.error(`error: unknown command '${word}'${orNearest(word, known)}`);
  }, program);
}
