/** Reads the operands and values of programs that fetch from the web: which host, which file. */
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { hidesHost, hostPattern, isOfNamedHost } from '../../text/rule-hosts.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { type WebAddress, webAddress } from '../../text/web-address.ts';
import type { ReadOption } from './options.ts';

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

/** Whether a word of the rule names a host itself, before any wildcard; a command may have thousands of hosts and words. */
function hostNamer(ruleWords: readonly string[]): (host: string) => boolean {
  const hosts = new Set(ruleWords.map((word) => (word.includes('*') ? undefined : fetched(word)?.host)));
  const heads = ruleWords.flatMap((word) => (word.includes('*') ? [word.split('*')[0] as string] : []));
  return (host) =>
    hosts.has(host) ||
    heads.some((head) =>
      ['/', ':'].some((end) => head.includes(`//${host}${end}`) || head.startsWith(`${host}${end}`)),
    );
}

/** The hosts that the rule names; these programs take addresses without a scheme, too. */
function hostsOf(ruleWords: readonly string[]): readonly string[] {
  return ruleWords.slice(1).flatMap((word) => {
    const head = word.split('*')[0] as string;
    const isAddress =
      word.includes('://') || ((head.includes('.') || head.includes(':')) && fetched(head) !== undefined);
    return (word.startsWith('-') && !word.includes('://')) || !isAddress ? [] : (hostPattern(word, true) ?? []);
  });
}

interface Named {
  readonly hosts: readonly string[];
  readonly has: (host: string) => boolean;
}

function webRefusal(field: Field, named: Named): string | undefined {
  // A number alone is an address, too.
  if (!field.isKnown && field.text.startsWith(UNKNOWN)) return 'an address that is not literal';
  const address = fetched(field.text.replaceAll(UNKNOWN, 'x'));
  if (address?.web !== true) return 'an address that is not http or https';
  if (!isOfNamedHost({ address, hidden: hidesHost(field.text) }, named.hosts))
    return 'an address of a host that the rule does not name';
  if (address.ambiguity !== undefined) return `an address that is not certain: ${address.ambiguity}`;
  if (address.privateHost && !named.has(address.host))
    return 'a private or metadata address, which the rule does not name';
  return undefined;
}

const HEADER: ReadonlySet<string> = new Set(['-H', '--header']);
const HOST = /^\s*:?(?:host|authority)\s*:\s*(.*)$/is;

export function webOperands(
  operands: readonly Field[],
  options: readonly ReadOption[],
  ruleWords: readonly string[],
): string | undefined {
  const named: Named = { hosts: hostsOf(ruleWords), has: hostNamer(ruleWords) };
  const stated = options.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    if (name === '--url') return [value];
    // A server of several hosts answers for the one that is asked for: the rule's host may stand in front of another.
    const host = named.hosts.length > 0 && HEADER.has(name) ? HOST.exec(value.text)?.[1] : undefined;
    return host === undefined ? [] : [{ ...value, text: host }];
  });
  return firstReason([...operands, ...stated], (field) => webRefusal(field, named));
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

const STANDARD = new Set(['-', '/dev/null', '/dev/stdout']);

/** The file that curl's `-o` names; standard output and `/dev/null` are none. */
export function curlWrites(_: readonly Field[], options: readonly ReadOption[]): readonly Field[] {
  return options.flatMap(({ name, value }) =>
    (name === '-o' || name === '--output') && value !== undefined && !STANDARD.has(value.text) ? [value] : [],
  );
}

export function wgetValue(name: string, value: Field): string | undefined {
  const output = name === '-O' || name === '--output-document';
  return output && value.text !== '-' && value.text !== '/dev/null' ? 'a file that wget writes' : undefined;
}

/** Values that curl reads as `name@file` where no `=` comes first. */
const NAMED_VALUES: ReadonlySet<string> = new Set(['--data-urlencode', '--url-query']);

/** curl reads a file where a value starts with `@`, and from `<` in forms. */
export function curlValue(name: string, value: Field): string | undefined {
  if (name === '-o' || name === '--output') return undefined;
  // `%output{FILE}` of a format writes one.
  if (name === '-w' || name === '--write-out')
    return value.isKnown && !value.text.startsWith('@') && !value.text.includes('output')
      ? undefined
      : 'a format that may read or write a file';
  if (!value.isKnown && value.text.startsWith(UNKNOWN)) return `the value of ${name}`;
  const beforeEquals = value.text.split('=')[0] as string;
  const reads =
    value.text.startsWith('@') ||
    value.text.includes('=@') ||
    (NAMED_VALUES.has(name) && (beforeEquals.includes('@') || beforeEquals.includes(UNKNOWN)));
  return reads ? 'a value that reads a file' : undefined;
}
