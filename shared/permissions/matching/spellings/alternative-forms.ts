/** Spells what a command runs in other words: `bash deploy.sh` as `./deploy.sh`. */
import { isLocal, recordOf, withoutVersion } from '../../programs/catalogue/index.ts';
import type { Interpreter } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { isStandardInput } from '../../programs/standard-input.ts';
import { unwrapShell } from '../../shell/analysis/unwrap-programs.ts';
import { programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';

/** The script is read and not run: `bash -n`, `node --check`, `php -l`. */
const NO_RUN = /^-[a-z]*n/;
const CHECKS = /^(?:--check|--lint|--syntax-check|-l)$/;
/** With these a shell runs code in its words, or its input. */
const NO_FILE = /^-[a-z]*[cs]/;

/** Each word that may be an interpreter's script, with the words behind it: behind an option it may be the value of that. */
export function asScripts(argv: readonly Field[]): readonly (readonly Field[])[] {
  const resolved = resolveCommand(argv);
  const { interpreter, runsHere, subcommands } = resolved?.program ?? {};
  // The operands of `psql` name a database.
  if (resolved === undefined || (runsHere !== 'file' && interpreter === undefined) || interpreter?.operands) return [];
  if (argv.some(({ text }) => (interpreter?.shell === true ? NO_RUN : CHECKS).test(text))) return [];
  const found: (readonly Field[])[] = [];
  for (let at = argv.length - resolved.words.length; at < argv.length; at++) {
    const script = argv[at] as Field;
    if (interpreter !== undefined && givesCode(script.text, interpreter)) break;
    if (script.text.startsWith('-')) continue;
    // `bun build` and `bun run build` are words of bun and of the project.
    const isScript = subcommands === undefined || /[./]/.test(script.text);
    const hasEnding = script.text.includes('.') || recordOf(script.text) !== undefined;
    if (isScript && script.isKnown && interpreter?.ending !== undefined && !hasEnding)
      found.push(argv.with(at, literalField(script.text + interpreter.ending)));
    if (isScript && script.isKnown && script.text !== '')
      found.push([script.text.includes('/') ? script : literalField(`./${script.text}`), ...argv.slice(at + 1)]);
    if (!argv[at - 1]?.text.startsWith('-')) break;
  }
  return found;
}

/** `php artisan TINKER` and `python a/manage.py x`: such scripts take names in any case, and the project may lie in any folder. */
export function ofFramework(argv: readonly Field[]): readonly (readonly Field[])[] {
  const at = argv.findIndex((field) => recordOf(programOf(field) ?? '')?.isScript === true);
  if (at < 0) return [];
  const { text: script } = argv[at] as Field;
  const parts = script.split('/');
  const found = parts
    .slice(1, MAX_FOLDERS)
    .map((_, index) => argv.with(at, literalField(parts.slice(index + 1).join('/'))));
  const { text = '' } = argv[at + 1] ?? {};
  const small = text.toLowerCase();
  const isName = small !== text && !text.startsWith('-');
  return isName ? [argv, ...found].flatMap((each) => [each, each.with(at + 1, literalField(small))]) : found;
}

/** Folders before a script that are left out one by one. */
const MAX_FOLDERS = 8;

/** `docker exec db sh -c 'psql x'` and `… /usr/bin/psql x` as `docker exec db -- psql x`. */
export function asExecuted(argv: readonly Field[]): readonly (readonly Field[])[] {
  const resolved = resolveCommand(argv);
  const { operands = 0, anywhere } = resolved?.record.runner ?? {};
  if (resolved === undefined || operands === 0 || anywhere !== true) return [];
  const from = argv.length - resolved.words.length + 1;
  const at = argv.findIndex((field, index) => index >= from && recordOf(programOf(field) ?? '') !== undefined);
  const program = argv[at];
  if (program === undefined) return [];
  const before = argv.slice(0, at).filter(({ text }) => text !== '--');
  const inner = [literalField(programOf(program) ?? ''), ...argv.slice(at + 1)];
  const code = recordOf(programOf(program) ?? '')?.interpreter?.shell ? unwrapShell(inner).code : [];
  return [inner, ...code.map((text = '') => text.trim().split(/\s+/).map(literalField))].map((words) => [
    ...before,
    literalField('--'),
    ...words,
  ]);
}

/** A file that the command reads as its input, as its operand: `cat < x` as `cat x`, and `bash -s now < x.sh` as `bash x.sh now`. */
export function byInput({ argv, stdin }: ShellCommand): readonly (readonly Field[])[] {
  const file = stdin.kind === 'file' ? stdin.target : undefined;
  const resolved = resolveCommand(argv);
  if (file === undefined || resolved === undefined) return [];
  const { interpreter } = resolved.program;
  const words = argv.slice(1).filter(({ text }) => !isStandardInput(text));
  if (interpreter === undefined || interpreter.operands !== undefined) {
    const { reads, passesLines, runsHere, inputOption } = resolved.record;
    if (inputOption !== undefined) {
      // `psql -c 'copy a from stdin' < a.csv` runs no file, and with `-f x` no other one.
      const hasCode = words.some(
        ({ text }) => text === inputOption || (interpreter && givesCode(text.replace(/=.*/s, ''), interpreter)),
      );
      return hasCode && words.length === argv.length - 1
        ? []
        : [[argv[0] as Field, ...words.filter(({ text }) => text !== inputOption), literalField(inputOption), file]];
    }
    // `source /dev/stdin < x`
    const isRun = runsHere === 'file' && words.length < argv.length - 1;
    return reads !== undefined || passesLines === true || isRun ? [[argv[0] as Field, ...words, file]] : [];
  }
  const readsInput =
    words.length < argv.length - 1 || words.some(({ text }) => interpreter.shell && READS_INPUT.test(text));
  const operands = words.filter(
    ({ text }, at) => !/^[-+]/.test(text) && !takesValue(words[at - 1]?.text ?? '', interpreter),
  );
  const hasScript = operands.length > 0 || words.some(({ text }) => givesCode(text, interpreter));
  return readsInput || !hasScript ? [[argv[0] as Field, file, ...operands]] : [];
}

/** `bash -eo pipefail`, `python -W ignore`: the next word is no script. */
const takesValue = (option: string, { shell, values }: Interpreter): boolean =>
  values.has(option) || (shell === true && /^(?:[-+][a-z]*[oO]|--(?:rcfile|init-file))$/.test(option));

/** `-s`, `-xs`: a shell that reads its input, whatever its operands. */
const READS_INPUT = /^-[a-z]*s/;

/** Behind such an option no word is a script: `python -m build`, `node -pe CODE`. */
function givesCode(text: string, { code, modules, shell }: Interpreter): boolean {
  if (code.has(text) || (shell === true && NO_FILE.test(text)) || (modules === true && /^-[A-Za-z]*m/.test(text)))
    return true;
  return /^-[A-Za-z]{2,}$/.test(text) && code.has(`-${text.at(-1)}`);
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
