/** What a substitution prints: a place, a revision or a number is never a text of the caller's choice. */
import { resolveCommand } from '../programs/resolve.ts';
import { programOf, type ShellCommand } from './command.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const GIT_PLACES: ReadonlySet<string> = set('rev-parse merge-base describe rev-list symbolic-ref');
const NAMES_NOTHING: ReadonlySet<string> = set('pwd nproc whoami hostname uname arch id tty');
const DATE_CHARACTERS = '+%-_:0123456789FTYmdHMSsjyNZz';

/** Whether the commands print such a text. */
export function printsPlace(commands: readonly ShellCommand[]): boolean {
  const [command] = commands;
  if (command === undefined || commands.length !== 1) return false;
  const name = programOf(command.argv[0]) ?? '';
  const words = command.argv.slice(1).map((field) => field.text);
  if (!command.argv.every((field) => field.known)) return false;
  if (NAMES_NOTHING.has(name)) return words.every((word) => word.startsWith('-'));
  if (name === 'mktemp') return words.every((word) => word === '-d');
  if (name === 'date') return words.every((word) => [...word].every((char) => DATE_CHARACTERS.includes(char)));
  if (name !== 'git') return false;
  const [subcommand = ''] = resolveCommand(command.argv)?.path ?? [];
  const rest = words.slice(words.indexOf(subcommand) + 1);
  if (subcommand === 'branch') return rest.length === 1 && rest[0] === '--show-current';
  // `git rev-parse .env` echoes what it does not know.
  return GIT_PLACES.has(subcommand) && rest.every((word) => !word.includes('.env') && !word.startsWith('--format'));
}
