/** Unwraps programs that run others: wrappers, shells, interpreters, `find`, `eval`. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { isEnd } from '../../programs/inner-commands.ts';
import type { Interpreter, ProgramRecord, Runner } from '../../programs/record/record.ts';
import { resolveCommand, runWordsOf } from '../../programs/resolve.ts';
import { isStandardInput } from '../../programs/standard-input.ts';
import type { WorkBudget } from '../syntax/budget.ts';
import { programOf } from '../syntax/command.ts';
import { type Field, fieldOf, literalField } from '../syntax/fields.ts';
import type { Atom } from '../syntax/word.ts';
import { splitString } from './split-string.ts';
import { codeOf, hasOpaque, NOTHING, type Unwrapped } from './unwrapped.ts';

/** env and sudo take `a-b=1` for a variable, too. For env `/a=b` is one, and sudo runs it. */
const isAssignment = (text: string): boolean => text.includes('=') && !text.startsWith('-');

export function unwrapWrapper(argv: readonly Field[], wrapper: Runner, budget: WorkBudget): Unwrapped {
  const code: (string | undefined)[] = [];
  const split: (readonly Field[])[] = [];
  let runsOutput = false;
  let unsure = false;
  let { operands } = wrapper;
  let at = 1;
  for (; at < argv.length && budget.spend(1); at++) {
    const { text } = argv[at] as Field;
    if (isSkipped(text, wrapper)) {
      unsure ||= text.startsWith('/');
      continue;
    }
    const option = codeOptionAt(argv, at, wrapper);
    if (option !== undefined) {
      at = option.end;
      if (option.code !== undefined && budget.spend((argv.length - at) >> 2)) {
        runsOutput ||= hasOpaque([option.code]);
        const behind = argv.slice(at + 1);
        code.push(...codeWithin(option.code, behind, wrapper));
        split.push(...splitWithin(option.code, behind, argv[0] as Field, wrapper, budget));
      }
    } else if (text.startsWith('-') && text.length > 1) {
      if (wrapper.values.has(text)) at += 1;
      else unsure ||= !isKnownOption(text, wrapper);
    } else if (operands === 0) {
      break;
    } else {
      // `su root -c …`, `flock file -c …`: options may follow an operand.
      operands -= 1;
    }
  }
  const rest = argv.slice(at);
  if (wrapper.joins === true && rest.length > 0) {
    runsOutput ||= hasOpaque(rest);
    code.push(codeOf(rest), ...listedCode(rest, budget));
  }
  return {
    argvs: rest.length > 0 ? [rest, ...split] : split,
    // An option that the table does not know may take a value or not: every later word may be the command.
    from: unsure || operands > 0 ? 1 : undefined,
    code,
    runsOutputAsCode: runsOutput,
    readsStdin: false,
  };
}

/** `parallel CMD ::: a b`: the command, which may have a place for the words, and with each of them behind it. */
function listedCode(words: readonly Field[], budget: WorkBudget): (string | undefined)[] {
  const at = words.findIndex(({ text }) => LISTED.test(text));
  if (at < 0) return [];
  const command = words.slice(0, at);
  const given = words.slice(at + 1).filter(({ text }) => !LISTED.test(text) && budget.spend(1 + (at >> 2)));
  return [codeOf(command), ...given.map((word) => codeOf([...command, word]))];
}

/** GNU parallel has such a word before the words that it puts into commands, one list after the other. */
const LISTED = /^:::\+?$/;

const isSkipped = (text: string, { flags, assignments }: Runner): boolean =>
  text === '--' || flags.has(text) || (assignments === true && isAssignment(text));

/** The name of `--name=value`; any other word as it is. */
function optionName(text: string): string {
  const equals = text.indexOf('=');
  return text.startsWith('--') && equals > 0 ? text.slice(0, equals) : text;
}

const isKnownOption = (text: string, wrapper: Runner): boolean =>
  wrapper.values.has(optionName(text)) || isAttachedValue(text, wrapper);

/** The code of `-c CODE`, `-Scode` or `--command=CODE`, and the position of its last word; undefined for any other option. */
function codeOptionAt(
  argv: readonly Field[],
  at: number,
  wrapper: Runner,
): { readonly code: Field | undefined; readonly end: number } | undefined {
  if (wrapper.code === undefined) return undefined;
  const { text } = argv[at] as Field;
  const name = optionName(text);
  const option = [...wrapper.code].find((each) => isNamed(name, each) || holdsCodeLetter(text, each, wrapper));
  if (option === undefined) return undefined;
  const attached = attachedCode(text, name, option);
  return attached === '' ? { code: argv[at + 1], end: at + 1 } : { code: literalField(attached), end: at };
}

/** The text of `env -S` holds further words of env, and no shell reads it: an escape and an assignment are other ones there, and it may begin with an option. */
function splitWithin(
  { text, isKnown }: Field,
  rest: readonly Field[],
  program: Field,
  { assignments }: Runner,
  budget: WorkBudget,
): readonly (readonly Field[])[] {
  const isSplit = assignments === true && isKnown && /^\s*-|[\\=]/.test(text) && budget.spend(text.length);
  return isSplit ? [[program, ...splitString(text), ...rest]] : [];
}

/** The text of an option is for a shell, and the words behind it are for the program (`su -c CODE root`) or more of the text. */
function codeWithin(text: Field, rest: readonly Field[], { assignments }: Runner): readonly (string | undefined)[] {
  const code = codeOf([text, ...rest]);
  return assignments === true || rest.length === 0 ? [code] : [codeOf([text]), code];
}

/** GNU takes the beginning of a long option for it: `env --s=CODE`. */
const isNamed = (name: string, option: string): boolean =>
  name === option || (name.length > '--'.length && name.startsWith('--') && option.startsWith(name));

function attachedCode(text: string, name: string, option: string): string {
  if (name !== text) return text.slice(name.length + 1);
  return option.startsWith('--') ? '' : text.slice(text.indexOf(option[1] as string) + 1);
}

/** Stands for the words that xargs or find puts into a command. */
const ARGUMENT: Atom = { kind: 'var', name: '', quoted: false };

/** The same words with any text in place of each mark. */
function withMark(argv: readonly Field[], mark: string): readonly Field[] {
  return argv.map((field) => {
    if (!field.isKnown || !field.text.includes(mark)) return field;
    const parts = field.text.split(mark).map((part) => literalField(part).atoms);
    return fieldOf(parts.flatMap((atoms, at) => (at === 0 ? atoms : [ARGUMENT, ...atoms])));
  });
}

/** `xargs -I{} CMD {}`, `xargs CMD`: the command with any words in place of the mark, or behind its own. */
export function withArguments(argv: readonly Field[], unwrapped: Unwrapped): Unwrapped {
  const [inner] = unwrapped.argvs;
  if (inner === undefined) return unwrapped;
  const options = argv.slice(1, argv.length - inner.length).map(({ text }) => text);
  const at = options.findIndex((text) => /^-[Ii]|^--replace/.test(text));
  const option = options[at] ?? '';
  const attached = option.startsWith('--') ? option.slice('--replace='.length) : option.slice(2);
  const mark = attached !== '' ? attached : ((option === '-I' ? options[at + 1] : undefined) ?? '{}');
  const given = at < 0 ? [...inner, fieldOf([ARGUMENT])] : withMark(inner, mark);
  return { ...unwrapped, argvs: [...unwrapped.argvs, given] };
}

/** `-S`, `-Scode`, and clusters of flags before it: `-iS`, `-vScode`. */
function holdsCodeLetter(text: string, option: string, wrapper: Runner): boolean {
  if (option.length !== 2 || !text.startsWith('-') || text.startsWith('--')) return false;
  const at = text.indexOf(option[1] as string);
  return at > 0 && [...text.slice(1, at)].every((char) => wrapper.flags.has(`-${char}`) === true);
}

/** `-n10`, `-oL`, `-u5`: the value of a short option, attached. */
function isAttachedValue(text: string, wrapper: Runner): boolean {
  const short = text.slice(0, 2);
  const digits = [...text.slice(1)].every((char) => char >= '0' && char <= '9');
  return (
    text.length > 2 &&
    !text.startsWith('--') &&
    (wrapper.values.has(short) || digits || [...text.slice(1)].every((char) => wrapper.flags.has(`-${char}`)))
  );
}

/** `sh -xec 'code'`, `bash <(…)`, `sh` at the end of a pipe. */
export function unwrapShell(argv: readonly Field[]): Unwrapped {
  const files: Field[] = [];
  let code: Field | undefined;
  let script: Field | undefined;
  let wantsCode = false;
  let stdin = false;
  for (let at = 1; at < argv.length; at++) {
    const field = argv[at] as Field;
    if (field.text === '--') continue;
    const option = code === undefined && script === undefined ? shellOption(field.text) : undefined;
    if (option !== undefined) {
      wantsCode ||= option.wantsCode;
      stdin ||= option.stdin;
      files.push(...argv.slice(at + 1, at + 1 + option.values));
      at += option.values;
    } else if (wantsCode) {
      code = field;
      wantsCode = false;
    } else if (code === undefined && script === undefined) {
      script = field;
      stdin ||= isStandardInput(field.text);
    }
  }
  const runs = code ?? script;
  const text = code && codeOf([code]);
  return {
    argvs: [],
    code: code === undefined ? [] : [text],
    // The value of `--rcfile` is a file that runs.
    runsOutputAsCode: hasOpaque(runs === undefined ? files : [runs, ...files]),
    readsStdin: stdin || runs === undefined,
    givesParameters: argv.at(-1) !== code && text?.includes('$') === true,
  };
}

/** Reads an option of a shell, with the number of words that its letters take; undefined for a word that is none. */
function shellOption(
  text: string,
): { readonly wantsCode: boolean; readonly stdin: boolean; readonly values: number } | undefined {
  if (!(text.startsWith('-') || text.startsWith('+')) || text.length < 2) return undefined;
  if (text.startsWith('--'))
    return { wantsCode: false, stdin: false, values: text === '--rcfile' || text === '--init-file' ? 1 : 0 };
  const letters = text.slice(1);
  // `-euo pipefail -c code`: each of these letters takes a word.
  const values = [...letters].filter((letter) => letter === 'o' || letter === 'O').length;
  return { wantsCode: letters.includes('c'), stdin: letters.includes('s'), values };
}

/** The `-m` of Python, also behind letters without a value: `-Im pip`, `-mpip`. */
const MODULE = /^-[bBdEhiIOqsSuvVxP]*m/;

export function unwrapInterpreter(argv: readonly Field[], { code: options, modules }: Interpreter): Unwrapped {
  const argvs: (readonly Field[])[] = [];
  let runsOutput = false;
  let operand = false;
  let stdin = false;
  for (let at = 1; at < argv.length && !operand; at++) {
    const field = argv[at] as Field;
    const text = field.text;
    const option = [...options].find(
      (each) => text === each || (each.length === 2 && text.startsWith(each)) || text.startsWith(`${each}=`),
    );
    if (option !== undefined) {
      operand = true;
      runsOutput ||=
        hasOpaque([field]) || (text === option && argv[at + 1] !== undefined && hasOpaque([argv[at + 1] as Field]));
    } else if (isStandardInput(text)) {
      stdin = true;
      operand = true;
    } else if (modules === true ? MODULE.test(text) : text === '-m') {
      operand = true;
      const attached = text.replace(MODULE, '');
      const words = [...(attached === '' ? [] : [literalField(attached)]), ...argv.slice(at + 1)];
      if (modules === true && words.length > 0) argvs.push(words);
    } else if (!text.startsWith('-')) {
      operand = true;
      runsOutput ||= hasOpaque([field]);
    }
  }
  // `deno run npm:cowsay`
  const published = argv.findIndex(({ text }) => /^(?:npm|jsr):/.test(text));
  if (published > 0) argvs.push(argv.slice(published));
  return { argvs, code: [], runsOutputAsCode: runsOutput, readsStdin: stdin || !operand };
}

/** `find … -exec CMD … ;`, `fd … -x CMD …`. */
export function unwrapFind(argv: readonly Field[], markers: ReadonlySet<string>, budget: WorkBudget): Unwrapped {
  const argvs: (readonly Field[])[] = [];
  argv.forEach((field, at) => {
    if (markers.has(field.text) && budget.spend(argv.length >> 3)) {
      let end = at + 1;
      while (end < argv.length && !isEnd(argv, end)) end++;
      const inner = argv.slice(at + 1, end);
      if (inner.length > 0) argvs.push(inner);
      if (inner.some(({ text }) => text.includes('{}'))) argvs.push(withMark(inner, '{}'));
    }
    // fd: `-xCMD`, and letters before it: `-Hx CMD`.
    const attached = markers.has('-x') && !markers.has(field.text) ? attachedCommand(field.text) : undefined;
    if (attached !== undefined && budget.spend(argv.length >> 3))
      argvs.push([...(attached === '' ? [] : [literalField(attached)]), ...argv.slice(at + 1)]);
    const equals = field.text.indexOf('=');
    if (equals > 0 && markers.has(field.text.slice(0, equals)))
      argvs.push([literalField(field.text.slice(equals + 1))]);
  });
  return { ...NOTHING, argvs };
}

function attachedCommand(text: string): string | undefined {
  if (!text.startsWith('-') || text.startsWith('--')) return undefined;
  const at = [...text].findIndex((char) => char === 'x' || char === 'X');
  return at < 1 ? undefined : text.slice(at + 1);
}

/** Behind a word that runs a command, or all words of a program that always does: each later word may be the command. */
export function unwrapRunner(argv: readonly Field[], program: ProgramRecord, budget: WorkBudget): Unwrapped {
  const always = program.runner?.anywhere === true;
  const words = runWordsOf(program);
  const from = always ? 1 : argv.findIndex((field, index) => index > 0 && words.has(field.text)) + 1;
  if (from === 0) return NOTHING;
  const end = endOfRunner(argv, from);
  return {
    ...NOTHING,
    from,
    codeWords: true,
    code: [
      ...(program.runner?.joins === true ? joinedCode(argv, from, program.runner, budget) : []),
      ...valuesIn(argv.slice(0, end), from),
    ],
  };
}

/** ssh joins what it is given to one text for the other machine's shell: all its words, where it is not sure which is the host. */
function joinedCode(
  argv: readonly Field[],
  from: number,
  runner: Runner,
  budget: WorkBudget,
): readonly (string | undefined)[] {
  const inner = unwrapWrapper(argv, runner, budget);
  const isSure = inner.from === undefined && argv.every(({ isKnown }) => isKnown);
  return isSure ? inner.code : [codeOf(argv.slice(from)), ...inner.code];
}

/** Where the words end that are the runner's own: all of `tmux`, and those of `npx` up to the program that it names, which is looked at itself. */
export function endOfRunner(argv: readonly Field[], from: number): number {
  const runner = resolveCommand(argv)?.record.runner;
  if (runner?.allow !== 'named' || runner.operands > 0)
    return runner?.joins === true ? argv.length : endAtProgram(argv, from);
  const code = argv.findLastIndex(({ text }) => runner.code?.has(text) === true);
  const first = argv.findIndex(({ text }, at) => at >= from && !text.startsWith('-'));
  return first < 0 ? argv.length : Math.max(first, code + 1) + 1;
}

/** `@a/eslint`, `github:a/eslint`, `./eslint`: somebody's package or a file, which is not the program of that name. */
const OTHER_PACKAGE = /:|^(?!(?:.*\/)?(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/[^/]+$).*\//;

/** Whether the words behind the program are certainly its own: `npx eslint node` starts no node, nor does a package that makes a project. */
export function ownsRest(argv: readonly Field[], from: number, end: number): boolean {
  const runner = resolveCommand(argv)?.record.runner;
  const program = argv[end - 1];
  const name = programOf(program) ?? '';
  const isDescribed = recordOf(name) !== undefined && !OTHER_PACKAGE.test(program?.text ?? '');
  return (
    runner?.allow === 'named' &&
    runner.operands === 0 &&
    (isDescribed || name.startsWith('create-')) &&
    argv.slice(from, end - 1).every(({ text }) => isSkipped(text, runner))
  );
}

/**
 * `docker exec db psql -c 'select 1'`: a program that is known is looked at itself, and takes SQL, a pattern or a filter where a shell would take
 * code. With a shell or a runner among the words, any of them may be for that one.
 */
function endAtProgram(argv: readonly Field[], from: number): number {
  const records = argv.slice(from).map((field) => recordOf(programOf(field) ?? ''));
  if (records.some((record) => record !== undefined && runsCode(record))) return argv.length;
  const at = records.findIndex((record) => record !== undefined);
  return at < 0 ? argv.length : from + at + 1;
}

const runsCode = ({ interpreter, runner, evaluates, execs, grant }: ProgramRecord): boolean =>
  interpreter?.shell === true || runner !== undefined || evaluates === true || execs !== undefined || grant === 'never';

/** `--entrypoint=rm`, `test:rm x`: what stands behind the name of an option or of an environment. */
function valuesIn(argv: readonly Field[], from: number): (string | undefined)[] {
  return argv.slice(from).flatMap(({ text, isKnown }, index) => {
    const end = text.startsWith('-') ? text.indexOf('=') : text.indexOf(':');
    if (!isKnown || end <= 0 || '/\\'.includes(text[end + 1] ?? '/')) return [];
    const value = literalField(text.slice(end + 1));
    return [codeOf([value]), codeOf([value, ...argv.slice(from + index + 1)])];
  });
}

export function unwrapEvaluation(argv: readonly Field[], name: string): Unwrapped {
  if (name === 'eval') {
    // bash takes `eval -- CODE`; dash looks for a program named `--`.
    const words = argv.slice(argv[1]?.text === '--' ? 2 : 1);
    return { ...NOTHING, code: [codeOf(words)], runsOutputAsCode: hasOpaque(words) };
  }
  if (name === 'source' || name === '.') {
    const stdin = argv[1] !== undefined && isStandardInput(argv[1].text);
    return { ...NOTHING, runsOutputAsCode: hasOpaque(argv.slice(1, 2)), readsStdin: stdin };
  }
  if (name === 'trap') {
    const action = argv.slice(1).find((field) => !field.text.startsWith('-'));
    return action === undefined
      ? NOTHING
      : { ...NOTHING, code: [codeOf([action])], runsOutputAsCode: hasOpaque([action]) };
  }
  const values = argv
    .slice(1)
    .map((field) => (field.text.includes('=') ? literalField(field.text.slice(field.text.indexOf('=') + 1)) : field));
  return { ...NOTHING, code: values.map((field) => codeOf([field])) };
}
