/** What the option table says about operands and values: addresses, scripts, commands for other machines. */
import { type Field, literalField, UNKNOWN } from '../shell/fields.ts';
import { type WebAddress, webAddress } from '../web-address.ts';
import type { OptionSpec, ReadOption } from './options.ts';
import { isHarmlessJq } from './scripts.ts';

const GROUPS: ReadonlySet<string> = new Set([
  'container',
  'image',
  'network',
  'volume',
  'system',
  'context',
  'compose',
]);

const READING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'docker',
    new Set([
      'ps',
      'images',
      'logs',
      'inspect',
      'version',
      'info',
      'top',
      'port',
      'stats',
      'diff',
      'history',
      'events',
      'ls',
      'search',
    ]),
  ],
  [
    'kubectl',
    new Set(['get', 'describe', 'logs', 'version', 'explain', 'top', 'api-resources', 'api-versions', 'cluster-info']),
  ],
]);

export function scriptOperand(
  check: (script: string) => boolean,
  scriptOptions: readonly string[],
  what: string,
): OptionSpec['operands'] {
  return (operands: readonly Field[], options: readonly ReadOption[]) => {
    const given = options.filter((option) => scriptOptions.includes(option.name));
    const scripts = given.length > 0 ? given.map((option) => option.value) : [operands[0]];
    for (const script of scripts) {
      if (script === undefined) continue;
      if (!script.known || !check(script.text)) return `a ${what} script that may do more than transform text`;
    }
    return undefined;
  };
}

/** Names by which curl guesses another protocol than http. */
const OTHER_PROTOCOLS = ['ftp.', 'dict.', 'ldap.', 'imap.', 'smtp.', 'pop3.'] as const;

/** The address that curl and wget make of an operand; without a scheme it is http. `undefined` if it may be another protocol's. */
function fetched(text: string): WebAddress | undefined {
  const lower = text.trimStart().toLowerCase();
  const colon = lower.indexOf(':');
  const scheme = lower.slice(0, Math.max(colon, 0));
  // curl makes several addresses of `{a,b}`, which may stand in a scheme or host too; there `[1-9]` is no address.
  if (lower.includes('{')) return undefined;
  if (scheme === 'http' || scheme === 'https') {
    if (!lower.startsWith(`${scheme}://`)) return undefined;
    return webAddress(text);
  }
  const port = lower.slice(colon + 1).split('/')[0] ?? '';
  const hostAndPort = colon < 0 || (port !== '' && [...port].every((char) => char >= '0' && char <= '9'));
  if (!hostAndPort || OTHER_PROTOCOLS.some((prefix) => lower.startsWith(prefix))) return undefined;
  return webAddress(`http://${text}`);
}

/** A rule word that names the host itself, before any wildcard. */
function namesHost(word: string, host: string): boolean {
  const head = word.split('*')[0] as string;
  if (head === word) return fetched(word)?.host === host;
  return ['/', ':'].some((end) => head.includes(`//${host}${end}`) || head.startsWith(`${host}${end}`));
}

function webRefusal(field: Field, ruleWords: readonly string[]): string | undefined {
  // What only the shell knows is left to the rule, unless it may be more than an address's path.
  if (!field.known && field.text.startsWith(UNKNOWN)) return undefined;
  const address = fetched(field.text.replaceAll(UNKNOWN, 'x'));
  if (address?.web !== true) return 'an address that is not http or https';
  if (address.privateHost && !ruleWords.some((word) => namesHost(word, address.host)))
    return 'a private or metadata address, which the rule does not name';
  return undefined;
}

export function webOperands(
  operands: readonly Field[],
  options: readonly ReadOption[],
  ruleWords: readonly string[],
): string | undefined {
  const stated = options.flatMap(({ name, value }) => (name === '--url' && value !== undefined ? [value] : []));
  return firstReason([...operands, ...stated], (field) => webRefusal(field, ruleWords));
}

function firstReason(fields: readonly Field[], look: (field: Field) => string | undefined): string | undefined {
  for (const field of fields) {
    const why = look(field);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** wget's document: standard output, or a file that is written, by default the last part of the address. */
export function wgetWrites(operands: readonly Field[], options: readonly ReadOption[]): readonly Field[] {
  const names = new Set(options.map((option) => option.name));
  if (names.has('--spider') || names.has('-O') || names.has('--output-document')) return [];
  return operands.map(({ text }) => {
    const path = (text.split('?')[0] as string).split('/').slice(text.includes('://') ? 3 : 1);
    return literalField(path.at(-1) || 'index.html');
  });
}

export function wgetValue(name: string, value: Field): string | undefined {
  const output = name === '-O' || name === '--output-document';
  return output && value.text !== '-' && value.text !== '/dev/null' ? 'a file that wget writes' : undefined;
}

/** Values that curl reads as `name@file` where no `=` comes first. */
const NAMED_VALUES: ReadonlySet<string> = new Set(['--data-urlencode', '--url-query']);

/** curl reads a file where a value starts with `@`, and from `<` in forms. */
export function curlValue(name: string, value: Field): string | undefined {
  if (!value.known && value.text.startsWith(UNKNOWN)) return `the value of ${name}`;
  const beforeEquals = value.text.split('=')[0] as string;
  const reads =
    value.text.startsWith('@') ||
    value.text.includes('=@') ||
    (NAMED_VALUES.has(name) && (beforeEquals.includes('@') || beforeEquals.includes(UNKNOWN)));
  return reads ? 'a value that reads a file' : undefined;
}

export function noAssignments(operands: readonly Field[]): string | undefined {
  return operands.some((field) => field.text.includes('=') || !field.known) ? 'an assignment to make' : undefined;
}

export function noCommand(operands: readonly Field[]): string | undefined {
  return operands.length > 1 ? 'a command for the other machine' : undefined;
}

export function plusOperands(operands: readonly Field[]): string | undefined {
  return operands.some((field) => field.text.startsWith('+')) ? 'a command to an editor or pager' : undefined;
}

export function dateOperands(operands: readonly Field[]): string | undefined {
  return operands.some((field) => !field.text.startsWith('+')) ? 'setting the clock' : undefined;
}

export function jqOperands(operands: readonly Field[], options: readonly ReadOption[]): string | undefined {
  // `--arg name value` shifts the filter: with it, any operand may be the filter.
  const shifts = options.some((option) => option.name === '--arg' || option.name === '--argjson');
  const scripts = shifts ? operands : operands.slice(0, 1);
  return scripts.some((field) => !field.known || !isHarmlessJq(field.text))
    ? 'a jq script that may read the environment or files'
    : undefined;
}

export function tarOperands(_: readonly Field[], options: readonly ReadOption[]): string | undefined {
  const lists = options.some((option) => option.name === '-t' || option.name === '--list');
  return lists ? undefined : 'tar that does more than list';
}

export function dockerOperands(program: 'docker' | 'kubectl'): OptionSpec['operands'] {
  return (operands) => {
    const names = operands.map((field) => field.text);
    const at = program === 'docker' && GROUPS.has(names[0] ?? '') ? 1 : 0;
    const name = names[at];
    return name === undefined || READING.get(program)?.has(name) === true
      ? undefined
      : `${program} ${name.slice(0, 40)}`;
  };
}
