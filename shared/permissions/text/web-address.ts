/** Reads the host of a URL, and tells whether it is private and read alike by all fetchers. */
import { inspectCharacters } from './characters.ts';
import { domainsOf, ipv4Behind, isPrivateHost, isThisMachine, THIS_MACHINE, withoutLastDots } from './private-host.ts';

export interface WebAddress {
  readonly protocol: string;
  /** Lower case, Punycode, trailing dots removed; as the WHATWG parser reads it. */
  readonly host: string;
  /** The host, and each domain that it stands in: the keys under which a host rule may stand. */
  readonly domains: readonly string[];
  /** The host and other spellings of it, which lead to the same machine. */
  readonly aliases: readonly string[];
  readonly web: boolean;
  readonly privateHost: boolean;
  /** Why another program may read another host out of it: at least ask. */
  readonly ambiguity?: string | undefined;
}

/** `undefined` when it is no URL. */
export function webAddress(url: string): WebAddress | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const plain = withoutLastDots(parsed.hostname.toLowerCase());
  const web = parsed.protocol === 'http:' || parsed.protocol === 'https:';
  const ambiguity = web ? ambiguityOf(url) : undefined;
  const domains = domainsOf(plain);
  return {
    protocol: parsed.protocol,
    host: plain,
    domains,
    aliases: otherNames(plain),
    web,
    privateHost: isPrivateHost(plain, domains),
    ...(ambiguity ? { ambiguity } : {}),
  };
}

const otherNames = (host: string): readonly string[] => [
  host,
  ipv4Behind(host) ?? host,
  // Names under `localhost` are this machine's, too, by RFC 6761.
  ...(isThisMachine(host) || host.endsWith('.localhost') ? THIS_MACHINE : []),
];

/** Letters that two versions of IDNA write as different names. */
const DEVIATIONS = ['\u00df', '\u1e9e', '\u03c2'] as const;

/**
 * Finds characters about which parsers of addresses differ. The WHATWG parser takes a backslash for a slash and drops tabs and newlines; curl, wget
 * and others look for the host behind an `@` that follows them, as they do where `?` or `#` ends the host.
 */
function ambiguityOf(url: string): string | undefined {
  if (url.includes('\\')) return 'it holds a backslash';
  if (url.includes(' ') || inspectCharacters(url, 'path') !== undefined)
    return 'it holds a blank or an unseen character';
  const start = url.indexOf('://') + 3;
  if (start !== url.indexOf(':') + 3 || url[start] === '/') return 'its host does not stand behind two slashes';
  const slash = url.indexOf('/', start);
  const authority = slash < 0 ? url.slice(start) : url.slice(start, slash);
  const query = authority.search(/[?#]/);
  const end = query < 0 ? authority : authority.slice(0, query);
  if (query >= 0 && authority.includes('@', query)) return 'an @ follows its host';
  const at = end.indexOf('@');
  if (at >= 0 && end.includes('@', at + 1)) return 'it holds more than one @';
  if (at >= 0 && end.slice(0, at).includes('.')) return 'a name like a host stands before its host';
  const host = end.slice(at + 1);
  if (host.includes('%')) return 'its host holds a percent-escape';
  if (DEVIATIONS.some((letter) => host.includes(letter))) return 'its host holds a letter that is spelt in two ways';
  // Some programs drop the last dots of a name, and some ask for a name that nobody has.
  if (host.includes('..')) return 'its host holds an empty label';
  // 010.0.0.1 is 8.0.0.1 to most and 10.0.0.1 to some.
  if (/(?:^|\.)0\d/.test(host)) return 'its host holds a number with a leading zero';
  return undefined;
}

/** `*.x` is one or more labels before `x`; a `*` elsewhere stays within a label; `*` alone is every host. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) {
    const labels = host.split('.');
    const rest = pattern.slice(2).split('.');
    return labels.length > rest.length && labelsMatch(rest, labels.slice(labels.length - rest.length));
  }
  return labelsMatch(pattern.split('.'), host.split('.'));
}

function labelsMatch(pattern: readonly string[], labels: readonly string[]): boolean {
  return (
    pattern.length === labels.length && pattern.every((each, index) => labelMatches(each, labels[index] as string))
  );
}

function labelMatches(pattern: string, label: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return head === label;
  if (!label.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest.slice(0, -1)) {
    const found = label.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const tail = rest.at(-1) as string;
  return label.length - tail.length >= at && label.endsWith(tail);
}
