/**
 * Spells a word in the shell's many ways.
 *
 * Ways: quotes, empty expansions, globs, braces, and variables that the text itself sets.
 */
import type { Random } from './random.ts';

/** Expansions that are empty in the shell of a call. */
const EMPTY = [
  '$@',
  '$*',
  '$1',
  '$9',
  '${1}',
  '${E}',
  '${E}',
  '"$1"',
  '"$@"',
  '"${E}"',
  "''",
  '""',
  "$''",
  '$""',
  '\\\n',
  '$(true)',
  '$(:)',
  '`true`',
  '"$(true)"',
  '${E:-}',
  '${E-}',
  '${E+x}',
  '${E%x}',
  '${E#x}',
  '${E/x/y}',
  '${@:1}',
  '${1-}',
  '${#+}',
  '${E[0]}',
  '${E^^}',
  '$( )',
  '$!',
  '${!E}',
];
/** The same within double quotes. */
const EMPTY_INSIDE = ['$1', '$@', '$*', '${E}', '$(true)', '`:`', '${E:-}', '\\\n', '${@}', '$9'];

const isName = (letter: string | undefined): boolean => letter !== undefined && /\w/.test(letter);
const isLiteral = (word: string): boolean => /^[\w./:=@%+,-]+$/.test(word);
/** Begins of words that a run replaces: they stay whole. */
const WHOLE = ['/usr/bin/', '/bin/', '/workspace/app', '/home/agent', '/dev/null'];

export function quoted(word: string): string {
  return isLiteral(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export class Speller {
  readonly #random: Random;
  /** How likely a word is spelt in another way than plainly. */
  readonly #share: number;
  /** Commands that must run before the one whose words were spelt, in their order. */
  before: string[] = [];

  constructor(random: Random, share: number) {
    this.#random = random;
    this.#share = share;
  }

  word(word: string): string {
    if (!this.#random.chance(this.#share)) return isLiteral(word) ? word : this.#quoted(word);
    const whole = WHOLE.find((each) => word.startsWith(each));
    if (whole !== undefined) return whole + (word === whole ? '' : this.#spelt(word.slice(whole.length)));
    return this.#spelt(word);
  }

  #spelt(word: string): string {
    const random = this.#random;
    const ways: readonly (() => string)[] = [
      () => this.#quoted(word),
      () => this.#glued(word),
      () => this.#glued(word),
      () => this.#glued(word),
      () => this.#inQuotes(word),
      () => this.#inQuotes(word),
      () => this.#globbed(word),
      () => this.#braced(word),
      () => this.#fromVariable(word),
      () => this.#fromVariable(word),
      () => this.#fromPart(word),
      () => this.#fromPart(word),
      () => this.#substituted(word),
      () => this.#defaulted(word),
      () => this.#ansi(word),
      () => this.#escaped(word),
      () => this.#fromStack(word),
    ];
    return random.pick(ways)();
  }

  #quoted(word: string): string {
    if (this.#random.chance(0.5) || word.includes('"')) return `'${word.replaceAll("'", "'\\''")}'`;
    return `"${this.#insideQuotes(word)}"`;
  }

  #insideQuotes(text: string): string {
    return [...text].map((letter) => ('$`"\\'.includes(letter) ? `\\${letter}` : letter)).join('');
  }

  #bare(text: string): string {
    return isLiteral(text) || text === '' ? text : quoted(text);
  }

  #empty(next: string | undefined): string {
    if (!isName(next) && this.#random.chance(0.2)) return '$E';
    return this.#random.pick(EMPTY);
  }

  /** An empty expansion before, within or behind. */
  #glued(word: string): string {
    const at = this.#random.pick([0, 0, 0, this.#random.below(word.length + 1), word.length, 1]);
    return this.#bare(word.slice(0, at)) + this.#empty(word[at]) + this.#bare(word.slice(at));
  }

  #inQuotes(word: string): string {
    const at = this.#random.pick([0, 0, this.#random.below(word.length + 1)]);
    const inner = this.#insideQuotes(word.slice(0, at)) + this.#random.pick(EMPTY_INSIDE);
    return `"${inner}${this.#insideQuotes(word.slice(at))}"`;
  }

  #globbed(word: string): string {
    const at = this.#random.below(word.length);
    const letter = word[at] ?? '';
    if (!isLiteral(word) || letter === '/') return this.#glued(word);
    const classes = ['?', `[${letter}]`, `[!_]`, '*', `[${letter}z]`, `@(${letter})`, '[[:graph:]]', '[![:space:]]'];
    classes.push(
      `[[=${letter}=]]`,
      `[[.${letter}.]]`,
      `[${letter}[:digit:]]`,
      `[[:alpha:]${letter}]`,
      `[[":"${letter}]`,
    );
    return word.slice(0, at) + this.#random.pick(classes) + word.slice(at + 1);
  }

  #braced(word: string): string {
    if (!isLiteral(word) || word.includes(',')) return this.#inQuotes(word);
    const from = this.#random.below(word.length);
    const to = from + this.#random.below(word.length - from + 1);
    const [head, middle, tail] = [word.slice(0, from), word.slice(from, to), word.slice(to)];
    return this.#random.pick([
      `${head}{${middle},}${tail}`,
      `${head}{${middle},x}${tail}`,
      `{${word},x}`,
      `${head}{,}${middle}${tail}`,
    ]);
  }

  /** The text sets a variable to all of a word, in one of the ways that a shell has. */
  #set(name: string, value: string): string {
    const text = this.#bare(value);
    const half = Math.max(1, this.#random.below(value.length));
    const [head, tail] = [this.#bare(value.slice(0, half)), this.#bare(value.slice(half))];
    return this.#random.pick([
      `${name}=${text}`,
      `${name}=${text}`,
      `${name}=${head}; ${name}+=${tail}`,
      `${name}=${head}; ${name}=$${name}${tail}`,
      `read ${name} <<< ${text}`,
      `read -r ${name} <<X\n${value}\nX\n:`,
      `printf -v ${name} %s ${text}`,
      `declare ${name}=${text}`,
      `export ${name}=${text}`,
      `typeset ${name}=${text}`,
      `readonly ${name}=${text}`,
      `: \${${name}:=${text}}`,
      `: "\${${name}=${text}}"`,
      `mapfile -t ${name} <<< ${text}`,
      `getopts ${text} ${name}`,
      `for ${name} in ${text}; do :; done`,
      `${name}=$(echo ${text})`,
      `${name}=(${text})`,
      `declare -n r=${name}; r=${text}`,
      `eval ${name}=${text}`,
      `let ${name}=1`,
      `set -- ${text}; ${name}=$1`,
      `set ${text}; ${name}=$1`,
      `eval 'set -- ${text}'; ${name}=$1`,
      `command read ${name} <<< ${text}`,
      `time read ${name} <<< ${text}`,
      `command export ${name}=${text}`,
      `printf ${text} | read ${name}`,
    ]);
  }

  #reference(name: string, next: string | undefined): string {
    const forms = [`\${${name}}`, `"\${${name}}"`, `\${${name}:-}`, `\${${name}%z}`];
    if (!isName(next)) forms.push(`$${name}`, `$${name}`, `"$${name}"`);
    return this.#random.pick(forms);
  }

  #fromVariable(word: string): string {
    const random = this.#random;
    const other = random.below(9);
    if (other === 0) return this.#put(`set -- ${this.#bare(word)}`, random.pick(['$1', '"$1"', '$@', '"$@"', '$*']));
    if (other === 1) return this.#put(`read <<< ${this.#bare(word)}`, random.pick(['$REPLY', '"$REPLY"']));
    if (other === 2) return this.#put(`mapfile -t <<< ${this.#bare(word)}`, random.pick(['$MAPFILE', '${MAPFILE[0]}']));
    if (other === 3)
      return this.#put(`[[ ${this.#bare(word)} =~ .* ]]`, random.pick(['$BASH_REMATCH', '${BASH_REMATCH}']));
    if (other === 4) return this.#put(`echo ${this.#bare(word)}`, random.pick(['$_', '"$_"', '${_}']));
    const name = random.pick(['v', 'A', 'x', 'OPTARG', 'w']);
    return this.#put(this.#set(name, word), this.#reference(name, undefined));
  }

  #fromPart(word: string): string {
    const random = this.#random;
    const at = random.below(word.length + 1);
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    const value = random.chance(0.5) && head !== '' ? head : tail;
    const isHead = value === head;
    const rest = this.#bare(isHead ? tail : head);
    const next = isHead ? tail[0] : undefined;
    if (value === '') return this.#glued(word);
    if (random.chance(0.3)) {
      const underscore = isName(next) ? '${_}' : random.pick(['$_', '${_}', '"$_"']);
      const made = this.#put(`${random.pick(['echo', ':', 'true', 'test'])} ${this.#bare(value)}`, underscore);
      return isHead ? made + rest : rest + made;
    }
    const name = random.pick(['v', 'A', 'x']);
    const made = this.#put(this.#set(name, value), this.#reference(name, next));
    return isHead ? made + rest : rest + made;
  }

  /** The first folder of a path comes out of the stack of folders. */
  #fromStack(word: string): string {
    const slash = word.indexOf('/');
    if (slash <= 0 || !isLiteral(word) || word.startsWith('-')) return this.#glued(word);
    const [folder, rest] = [word.slice(0, slash), word.slice(slash)];
    const move = this.#random.pick(['', '', 'time ', 'command ', 'builtin ']);
    return this.#random.pick([
      () => this.#put(`${move}cd ${folder}; cd ..`, `~-${rest}`),
      () => this.#put(`${move}cd ${folder} && cd ..`, `~-${rest}`),
      () => this.#put(`${move}pushd ${folder}; pushd ..`, `${this.#random.pick(['~1', '~+1'])}${rest}`),
      () => this.#put(`${move}pushd ${folder}`, `~0${rest}`),
      () => this.#put(`${move}cd ${folder}`, rest.slice(1)),
    ])();
  }

  #put(before: string, word: string): string {
    this.before.push(before);
    return word;
  }

  #substituted(word: string): string {
    const text = this.#bare(word);
    const half = this.#random.below(word.length + 1);
    return this.#random.pick([
      `$(echo ${text})`,
      `$(printf %s ${text})`,
      `\`echo ${text}\``,
      `"$(echo ${text})"`,
      `${this.#bare(word.slice(0, half))}$(echo ${this.#bare(word.slice(half))})`,
      `$(cat <<< ${text})`,
      `$(echo ${this.#bare(word.slice(0, half))})${this.#bare(word.slice(half))}`,
      `$(cat <<X\n${word}\nX\n)`,
      word === '-exec' ? '$(< src/flag)' : `$(echo ${text})`,
    ]);
  }

  #defaulted(word: string): string {
    const text = this.#bare(word);
    const half = this.#random.below(word.length + 1);
    return this.#random.pick([
      `\${E:-${text}}`,
      `"\${E-${text}}"`,
      `\${E:=${text}}`,
      `\${HOME:+${text}}`,
      `\${1:-${this.#bare(word.slice(0, half))}}${this.#bare(word.slice(half))}`,
      `\${@:-${text}}`,
    ]);
  }

  #ansi(word: string): string {
    const at = this.#random.below(word.length);
    const code = word.charCodeAt(at);
    const spelt = this.#random.pick([
      `\\x${code.toString(16)}`,
      `\\${code.toString(8)}`,
      `\\u${code.toString(16).padStart(4, '0')}`,
    ]);
    return `${this.#bare(word.slice(0, at))}$'${spelt}'${this.#bare(word.slice(at + 1))}`;
  }

  #escaped(word: string): string {
    const at = this.#random.below(word.length);
    return `${this.#bare(word.slice(0, at))}\\${word.slice(at, at + 1)}${this.#bare(word.slice(at + 1))}`;
  }
}
