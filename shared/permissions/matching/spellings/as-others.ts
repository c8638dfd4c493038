/** Spells what a command runs in other words: `bash deploy.sh` as `./deploy.sh`. */
import { isLocal, recordOf, withoutVersion } from '../../programs/catalogue/index.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { programOf } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';

/** The script is read and not run: `bash -n`, `node --check`, `php -l`. */
const NO_RUN = /^-[a-z]*n/;
const CHECKS = /^(?:--check|--lint|--syntax-check|-l)$/;

/** Each word that may be an interpreter's script, with the words behind it: behind an option it may be the value of that. */
export function asScripts(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = resolveCommand(argv)?.program;
  if (program?.runsHere !== 'file' && program?.interpreter === undefined) return [];
  if (argv.some(({ text }) => (program.interpreter?.shell === true ? NO_RUN : CHECKS).test(text))) return [];
  const found: (readonly Field[])[] = [];
  for (let at = 1; at < argv.length; at++) {
    const script = argv[at] as Field;
    if (script.text.startsWith('-')) continue;
    if (script.known && script.text !== '')
      found.push([script.text.includes('/') ? script : literalField(`./${script.text}`), ...argv.slice(at + 1)]);
    if (!argv[at - 1]?.text.startsWith('-')) break;
  }
  return found;
}

/** One of several programs that do a thing, each with its kind behind the name of the thing: `mkfs.ext4`, `nc.openbsd`, `iptables-nft`. */
const KINDS = /^(mkfs|fsck|mount|umount|nc|vim|iptables|ip6tables)[.-][a-z][\w.-]*$/;

/** A program that nobody has described, under its usual name: without a version, its kind, or the `g` of GNU. */
export function asUsual(argv: readonly Field[]): readonly (readonly Field[])[] {
  const program = programOf(argv[0]);
  if (program === undefined || recordOf(program) !== undefined) return [];
  const gnu = program.startsWith('g') ? recordOf(program.slice(1)) : undefined;
  const names = [
    withoutVersion(program),
    ...(KINDS.exec(program)?.slice(1) ?? []),
    ...(gnu !== undefined && isLocal(gnu) ? [program.slice(1)] : []),
    ...(program === 'mke2fs' ? ['mkfs'] : []),
  ];
  return names.flatMap((name) => (name === '' || name === program ? [] : [[literalField(name), ...argv.slice(1)]]));
}

/** Blanks and comments of SQL. */
const BLANKS = /(?:\s|\/\*[^*]*\*\/)+/g;

/** `redis-cli FLUSHALL` is `redis-cli flushall`, and `drop  table` is `DROP TABLE`. */
export function inOtherCase(argv: readonly Field[]): readonly (readonly Field[])[] {
  if (resolveCommand(argv)?.program.anyCase !== true) return [];
  const spelled = (spell: (text: string) => string): readonly Field[] =>
    argv.map((field, at) =>
      at === 0 || !field.known || field.text.startsWith('-')
        ? field
        : literalField(spell(field.text.replace(BLANKS, ' '))),
    );
  return [spelled((text) => text.toLowerCase()), spelled((text) => text.toUpperCase())];
}
