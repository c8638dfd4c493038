/** Reads scripts of awk: a harmless one runs nothing, reads no other file and writes none. */

/** Words with which a script runs, loads or reads more. */
const WORDS: ReadonlySet<string> = new Set([
  'system',
  'getline',
  'ENVIRON',
  'PROCINFO',
  // Holds every variable by its name, `ENVIRON` too, and that may be put together.
  'SYMTAB',
  'include',
  'load',
  'popen',
  'ARGV',
  'extension',
]);

const TOKEN =
  /[A-Za-z_]\w*|\.?\d[\w.]*|"(?:[^"\\\n]|\\[^\n])*"|#(?:[^\n]*[^\\\n])?(?![^\n])|\\\n|\+\+|--|\|\||>>|>=|[^"\\#\r]/y;
/** Without a slash or a backslash in brackets, about which implementations differ. */
const REGEX = /\/(?:[^/\\[\n]|\\[^\n]|\[\^?(?:\[:[a-z]+:\]|[^\][/\\\n^])+\])*\//y;

const BEFORE_REGEX: ReadonlySet<string> = new Set('print printf return in else do case exit'.split(' '));
const OPERAND_END = /^[\w."\]]/;
/** Behind these, and behind a regular expression, a slash may divide or begin one. */
const UNCLEAR: ReadonlySet<string> = new Set([')', '++', '--', '$', 'length']);
const isRegex = (token: string): boolean => token.startsWith('/') && token !== '/';

/** Strings, regular expressions, words and signs. Undefined where implementations may read another one. */
function tokensOf(script: string): readonly string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < script.length; ) {
    const before = tokens.at(-1) ?? '';
    let kind = TOKEN;
    if (script[at] === '/') {
      if (UNCLEAR.has(before) || isRegex(before)) return undefined;
      if (BEFORE_REGEX.has(before) || !OPERAND_END.test(before)) kind = REGEX;
    }
    kind.lastIndex = at;
    const found = kind.exec(script)?.[0];
    if (found === undefined) return undefined;
    at += found.length;
    if (!/^[ \t#\\]/.test(found)) tokens.push(found);
  }
  return tokens;
}

const BRACKETS: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  ['[', 1],
  [')', -1],
  [']', -1],
]);
const PRINTS: ReadonlySet<string> = new Set(['print', 'printf']);
const REFUSED: ReadonlySet<string> = new Set([...WORDS, '|', '@']);
const STANDARD: ReadonlySet<string> = new Set(['"/dev/stderr"', '"/dev/stdout"', '"/dev/null"']);
const ENDS: ReadonlySet<string | undefined> = new Set([';', '}', '\n', undefined]);

/** `>` compares, unless it stands behind the words of `print` and outside of brackets. */
export function isHarmlessAwk(script: string): boolean {
  const tokens = tokensOf(script);
  if (tokens === undefined) return isHarmlessText(script);
  let depth = 0;
  let prints = false;
  for (const [at, token] of tokens.entries()) {
    if (REFUSED.has(token)) return false;
    depth += BRACKETS.get(token) ?? 0;
    if (PRINTS.has(token) || (prints && (token === ';' || token === '}'))) {
      if (depth !== 0) return false;
      prints = PRINTS.has(token);
    } else if (token === '>>' || (token === '>' && prints && depth <= 0)) {
      if (!STANDARD.has(tokens[at + 1] ?? '') || !ENDS.has(tokens[at + 2])) return false;
    }
  }
  return true;
}

/** Where strings and regular expressions are not told apart, every sign and word counts. */
function isHarmlessText(script: string): boolean {
  const plain = script.replaceAll('||', ' ').replaceAll('>=', ' ');
  return !/[|>@]/.test(plain) && !plain.split(/\W+/).some((word) => WORDS.has(word));
}
