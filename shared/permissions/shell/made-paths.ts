/** Words that another command makes and a program takes as a path: what they name cannot be known (G6). */
import type { ShellCommand } from './command.ts';
import { programOf } from './derive.ts';
import type { Field } from './fields.ts';
import { gitSubcommand } from './git-config.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Programs that read, list, write or remove the files that they are given. */
const TAKES_PATHS: ReadonlySet<string> = set(
  'cat tac nl head tail less more most bat cut paste sort uniq wc file stat xxd od hexdump strings base64 base32 md5sum sha1sum sha256sum sha512sum shasum cksum sum diff cmp comm join split csplit column fold fmt pr rev readlink realpath ' +
    'tar zip unzip gzip gunzip zcat bzip2 bzcat xz xzcat zstd curl wget scp sftp rsync cp mv rm rmdir unlink shred ln install touch mkdir chmod chown chgrp setfacl tee truncate dd patch ls find tree du source . vim vi view nano emacs code openssl gpg',
);
/** The first operand of these is a pattern or script, unless an option gives one. */
const TAKES_PATTERN: ReadonlySet<string> = set('grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq');
const GIVES_PATTERN = ['-e', '-f', '--regexp', '--file', '--expression', '--files'] as const;
const GIT_PATHS: ReadonlySet<string> = set('add stage rm mv restore blame annotate');

/** A segment that begins with what a command prints: even its leading dot is not known. */
function isMade(field: Field): boolean {
  let begins = true;
  return field.atoms.some((atom) => {
    if (begins && atom.kind === 'opaque' && atom.place !== true) return true;
    begins = atom.kind === 'char' ? '/=:@,'.includes(atom.char) : begins && atom.kind === 'var';
    return false;
  });
}

function pathOperands(command: ShellCommand): readonly Field[] {
  const name = programOf(command.argv[0]) ?? '';
  const words = command.argv.slice(1);
  if (TAKES_PATHS.has(name)) return words;
  if (TAKES_PATTERN.has(name)) {
    const given = words.some(({ text }) => GIVES_PATTERN.some((option) => text.startsWith(option)));
    const pattern = given ? -1 : words.findIndex(({ text }) => !text.startsWith('-'));
    return words.filter((_, at) => at !== pattern);
  }
  if (name !== 'git') return [];
  const [subcommand = ''] = gitSubcommand(command.argv.map((field) => field.text));
  const dashes = words.findIndex(({ text }) => text === '--');
  return words.filter(
    ({ text }, at) => GIT_PATHS.has(subcommand) || (dashes >= 0 && at > dashes) || text.includes(':'),
  );
}

/** Whether a program is given a path that a substitution makes. */
export function takesMadePath(command: ShellCommand): boolean {
  // The usual case: everything is known.
  if (command.argv.every((field) => field.known)) return false;
  return pathOperands(command).some(isMade);
}

const GIT_PLACES: ReadonlySet<string> = set('rev-parse merge-base describe rev-list symbolic-ref');
const NAMES_NOTHING: ReadonlySet<string> = set('pwd nproc whoami hostname uname arch id tty');
const DATE_CHARACTERS = '+%-_:0123456789FTYmdHMSsjyNZz';

/** Prints a place, a revision, a number or a date, and never a text of the caller's choice. */
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
  const [subcommand = '', ...rest] = words;
  if (subcommand === 'branch') return rest.length === 1 && rest[0] === '--show-current';
  // `git rev-parse .env` echoes what it does not know.
  return GIT_PLACES.has(subcommand) && rest.every((word) => !word.includes('.env') && !word.startsWith('--format'));
}
