/** Draws shell texts: simple commands in all spellings, and every construct that holds commands. */
import { drawAttack, drawCommand } from './commands.ts';
import { mutated } from './mutate.ts';
import { ASSIGNMENTS, HERE_DOCUMENTS, ODD_WORDS, REDIRECTIONS, SETTINGS, WRAPPERS } from './pieces.ts';
import type { DrawnPolicy } from './policies.ts';
import type { Random } from './random.ts';
import { quoted, Speller } from './words.ts';

const TARGETS = [
  'src/new',
  'src/index.ts',
  'build/out.txt',
  '/dev/null',
  '.env',
  '.git/hooks/x',
  '~/.bashrc',
  '~/.ssh/config',
  'conf/infra/a',
  'conf/secrets/b',
  'new',
  '~/new',
];
/** Words that reach a command through parameters, variables or data. */
const NASTY = [
  'x',
  'a b',
  '.env',
  '.git/config',
  'conf/secrets/key',
  '-delete',
  '-exec ./src/e.sh {} +',
  'rm x',
  'rm -rf /',
  '-rf /',
  '-rf ~',
  '-rf .',
  'evil',
  './src/e.sh',
  'deploy',
  'npm run deploy',
  '-o src/new',
  'git config a.b c',
  'config a.b c',
];

const SOURCES = ['src/index.ts', 'x', '.env', '/dev/null', 'conf/secrets/key', '~/.ssh/id_rsa', 'src/program'];

export function drawText(random: Random, policy: DrawnPolicy): string {
  const share = random.pick([0.05, 0.15, 0.3, 0.5]);
  const draw = new Drawing(random, policy, share, random.pick([0, 0.1, 0.2, 0.5]));
  const text = draw.list(random.pick([0, 0, 1, 1, 2]));
  return random.chance(0.2) ? mutated(text, random) : text;
}

class Drawing {
  readonly #random: Random;
  readonly #policy: DrawnPolicy;
  readonly #share: number;
  /** How likely a command is one that the policy must not let pass. */
  readonly #attacks: number;

  constructor(random: Random, policy: DrawnPolicy, share: number, attacks: number) {
    this.#attacks = attacks;
    this.#random = random;
    this.#policy = policy;
    this.#share = share;
  }

  list(depth: number): string {
    const random = this.#random;
    let text = this.#part(depth);
    for (let more = random.pick([0, 0, 0, 1, 1, 2]); more > 0; more--) {
      text +=
        random.pick([' && ', ' || ', '; ', ' | ', '\n', ' & ', ';', '|', ' |& ', '&&', ' \\\n&& ']) + this.#part(depth);
    }
    return text;
  }

  #part(depth: number): string {
    const random = this.#random;
    if (random.chance(0.1)) return this.#test();
    if (depth === 0 || random.chance(0.35)) return this.#simple();
    return this.#compound(depth - 1);
  }

  #speller(): Speller {
    return new Speller(this.#random, this.#share);
  }

  #simple(): string {
    const random = this.#random;
    const speller = this.#speller();
    const isAttack = random.chance(this.#attacks);
    const words = isAttack ? drawAttack(random, this.#policy) : drawCommand(random, this.#policy);
    // The command word is spelt less often: most such texts are in doubt at once.
    const first = words[0] ?? 'ls';
    const spelt = [
      random.chance(0.15) ? speller.word(first) : first,
      ...words.slice(1).map((word) => speller.word(word)),
    ];
    if (random.chance(0.06)) spelt[0] = `/usr/bin/${first.replaceAll('/', '')}`;
    if (random.chance(0.1)) spelt.splice(random.below(spelt.length) + 1, 0, random.pick(ODD_WORDS));
    let command = spelt.join(random.chance(0.06) ? random.pick(['  ', '\t', ' \\\n']) : ' ');
    if (random.chance(0.14)) command = this.#redirected(spelt, speller);
    if (random.chance(0.07)) command = `${random.pick(WRAPPERS)} ${command}`;
    if (random.chance(0.06)) command = `${random.pick(ASSIGNMENTS)} ${command}`;
    if (random.chance(0.02)) command += ` # ${random.pick(['c', "it's", '$(evil)', '\\', '\\\nevil'])}`;
    if (random.chance(0.04)) command += ` ${random.pick(HERE_DOCUMENTS)}`;
    if (speller.before.length === 0) return command;
    const end = random.pick(['; ', '; ', ' && ', '\n', ' || ']);
    return [...speller.before, command].join(end);
  }

  /** A redirection before, within or behind a command. */
  #redirected(words: readonly string[], speller: Speller): string {
    const random = this.#random;
    const form = random
      .pick(REDIRECTIONS)
      .replaceAll(/[TS]/g, (letter) => speller.word(random.pick(letter === 'T' ? TARGETS : SOURCES)));
    return words.toSpliced(random.chance(0.4) ? random.below(words.length + 1) : words.length, 0, form).join(' ');
  }

  /** Test expressions, with what a shell splits at and tree builders may not. */
  #test(): string {
    const random = this.#random;
    const [open, close] = random.pick([
      ['[', ']'],
      ['[', ']'],
      ['[[', ']]'],
      ['test', ''],
      ['[[x', ']]'],
      ['[', ''],
    ] as const);
    const speller = this.#speller();
    const words: string[] = [];
    for (let count = 1 + random.below(5); count > 0; count--) {
      words.push(
        random.pick([
          speller.word('x'),
          '-f',
          '-z',
          '!',
          '=',
          '==',
          '-a',
          '-o',
          '||',
          '&&',
          '|',
          '&',
          ';',
          '>',
          '<',
          '(',
          ')',
          '=~',
          '-nt',
          '$1',
          '"$E"',
          'evil',
          './src/e.sh',
          'new',
          '.env',
          'rm x',
          'src/new',
          '\n',
          '-eq',
          'a[$(evil)]',
          '$(evil)',
          '*',
          '# c',
          '-v',
        ]),
      );
    }
    return [...speller.before, `${open} ${words.join(' ')} ${close}`].join('; ');
  }

  #compound(depth: number): string {
    const random = this.#random;
    const [a, b] = [this.list(depth), this.#simple()];
    const nasty = random.pick(NASTY);
    return random.pick<() => string>([
      () => `( ${a} )`,
      () => `{ ${a}; }`,
      () => `{ ${a}\n}`,
      () => `if ${a}; then ${b}; fi`,
      () => `if ${b}; then ${a}; else ${b}; fi`,
      () =>
        `for v in ${random.pick(['a', 'a b', '"$@"', '*', '.env', '-exec', 'src/*', '$E', '$(true)', './src/e.sh'])}; do ${a}; done`,
      () => `for v in ${nasty}; do ${b} $v; done`,
      () =>
        `for v in ${random.pick(['.e', '.gi', '-ex', 'conf/secr'])}; do ${b} \${v}${random.pick(['nv', 't/config', 'ec', 'ets/key'])}; done`,
      () => `for v; do ${a}; done`,
      () => `for ((i=0; i<1; i++)); do ${a}; done`,
      () => `while ${b}; do ${a}; break; done`,
      () => `until ${b}; do ${a}; break; done`,
      () =>
        `case ${random.pick(['x', '$1', '"$E"', '.env', '$(true)'])} in ${random.pick(['x)', '*)', '(x)', 'a|*)', '"")', '[x])'])} ${a};; esac`,
      () => `case x in x) ${b};& *) ${a};;& esac`,
      () => `f() { ${a}; }; f ${random.pick(['', '.env', '-exec', 'x'])}`,
      () => `f() { ${b} "$@"; }; f ${nasty}`,
      () => `f() { ${b} $1; }; f ${nasty}`,
      () => `f() { "$@"; }; f ${nasty}`,
      () => `function f { ${a}; }; f`,
      () => `f() ( ${a} ); f`,
      () =>
        `${random.pick(['ls', 'cat', 'f', 'cd', 'echo', 'git'])}() { ${random.pick(['evil', './src/e.sh', 'rm x'])}; }; ${a}`,
      () => `! ${a}`,
      () => `echo "$(${a})"`,
      () => `echo \`${b.replaceAll('`', '').replaceAll('\\', '')}\``,
      () => `cat <(${a})`,
      () => `eval ${quoted(a)}`,
      () => `sh -c ${quoted(a)}`,
      () => `${random.pick(['bash', 'sh'])} -c ${quoted(`${b} "$@"`)} _ ${nasty}`,
      () =>
        `${random.pick(['bash', 'sh'])} -c ${quoted(random.pick(['"$@"', '$0', '$1 $2', 'rm "$@"', 'eval "$1"', '$*']))} ${random.pick(['_ ', ''])}${nasty}`,
      () => `sh -s ${nasty} <<X\n${b} "$@"\nX\n`,
      () => `eval ${quoted(`set -- ${nasty}`)}; ${b} "$@"`,
      () => `eval ${quoted(`v=${quoted(nasty)}`)}; ${b} $v`,
      () => `echo ${quoted(a)} | sh`,
      () =>
        `cd ${random.pick(['src', '.git', '..', '~', '~/.ssh', '/workspace/app/src', '.', 'conf/secrets', '$E', '-', '.g?t', 'src/..'])} ${random.pick(['&&', ';', '||'])} ${a}`,
      () => `set -- ${nasty}; ${random.pick([`${b} "$@"`, '"$@"', '$1', `${b} $1`, `${b} $*`])}`,
      () => `${random.pick(SETTINGS)}${random.pick(['; ', '\n', ' && '])}${a}`,
      () => `(( ${random.pick(['1', 'a[$(evil)]', 'x=1', '1 > 2', 'x = y'])} )) && ${a}`,
      () => `: <<X\n${a}\nX\n${b}`,
      () => `: <<'X'\n${a}\nX\n${b}`,
      () => `${b} <<X\n$(${a})\nX`,
      () => `${b} ${random.pick(['$(', '"$('])}${a})${random.pick(['', '"'])}`,
      () => `${a} &\nwait`,
      () => `coproc ${b}`,
      () => `# ${a}\n${b}`,
      () => `xargs ${b} < src/name`,
      () => `cat src/name | xargs ${b}`,
      () => `echo ${nasty} | xargs ${b}`,
      () => `time ${a}`,
      () => `while read v; do ${b} $v; done < src/name`,
      () => `cat src/name | while read v; do ${b} "$v"; done`,
      () => `v=${quoted(nasty)}; ${random.pick(['$v', '"$v"', `${b} $v`, '${v}', 'eval $v'])}`,
      () => `select v in a; do ${a}; done`,
      () => `[ x = x ] && { ${a}; }`,
      () => `if [ ${random.pick(['-f x', '"$1" = ""', 'x || evil', '-n "$E" || ./src/e.sh'])} ]; then ${a}; fi`,
    ])();
  }
}
