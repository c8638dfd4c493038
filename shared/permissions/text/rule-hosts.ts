/** Tells which hosts a rule for commands names, and whether an address is of one of them. */
import { UNKNOWN } from './unknown.ts';
import { hostMatches, type WebAddress, webAddress } from './web-address.ts';

/** The end of a scheme, behind which `://` stands; in a rule a wildcard may stand for one, or for a part of it. */
const SCHEME = /[a-z*][a-z\d+.*-]{0,30}$/i;
/** Schemes whose addresses name a bucket or a file, and no machine. */
export const NO_HOST: ReadonlySet<string> = new Set([
  's3',
  's3a',
  'gs',
  'file',
  'oss',
  'cos',
  'wasb',
  'abfs',
  'arn',
  'data',
]);
/** Web addresses as forgiving parsers read them: `https:/HOST`, `https:\\HOST`. */
const LENIENT = /https?:[\\/]/i;
/** Behind these another address begins in the same word. */
const SEPARATORS = ',;| \t\n';

/** Where the schemes of a text begin. */
function schemesIn(text: string): { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let end = text.indexOf('://'); end >= 0; end = text.indexOf('://', end + 3)) {
    const scheme = SCHEME.exec(text.slice(Math.max(0, end - 31), end))?.[0];
    if (scheme !== undefined && !NO_HOST.has(scheme.toLowerCase())) found.push({ start: end - scheme.length, end });
  }
  return found;
}

interface FoundAddress {
  readonly address: WebAddress | undefined;
  /** A part of what stands before its path is not determined: it may hold a slash, and another host before that. */
  readonly hidden: boolean;
}

/** The addresses in a word: the first, the first of the web, and those behind a comma or a blank. An address within another's path is none. */
export function addressesIn(text: string): readonly FoundAddress[] {
  // Most words hold none, and every command that a rule may cover comes by here.
  if (!text.includes(':')) return [];
  const known = text.replaceAll(UNKNOWN, 'x');
  const starts = schemesIn(known).map(({ start }) => start);
  const listed = starts.filter((start, at) => at === 0 || SEPARATORS.includes(known[start - 1] as string));
  const lenient = known.search(LENIENT);
  // The web address in `git+https://` lies within the first.
  return [...new Set(lenient < 0 ? listed : [...listed, lenient])].map((start) => {
    const end = listed.find((other) => other > start);
    return { address: webAddress(known.slice(start, end)), hidden: hidesHost(text.slice(start, end)) };
  });
}

/** Whether an address, with its scheme or without, hides its host. */
export function hidesHost(address: string): boolean {
  const authority = address.replace(/^[^/]*:\/\//, '').split(/[/?#]/)[0] as string;
  return authority.includes(UNKNOWN);
}

/**
 * The host in a rule's word, as a pattern of domain rules; `undefined` where it names none.
 *
 * A wildcard behind a host never goes on with it: `https://a.example*` is `a.example`, and neither `a.example.evil.test` nor, as a name of a
 * user, `a.example@evil.test`.
 *
 * @param bare whether an address without a scheme counts
 */
export function hostPattern(word: string, bare = false): string | undefined {
  const [scheme] = schemesIn(word);
  if (scheme === undefined && (!bare || word.includes('://'))) return undefined;
  // Within a text, such as a header's, an address is none that the rule grants.
  if (scheme !== undefined && scheme.start > 0 && word[scheme.start - 1] !== '=') return undefined;
  const rest = scheme === undefined ? word : word.slice(scheme.end + 3);
  return patternOf(rest.split(/[/?#]/)[0] as string);
}

function patternOf(authority: string): string | undefined {
  const named = authority.slice(authority.lastIndexOf('@') + 1);
  const host = named.startsWith('[') ? named.slice(0, named.indexOf(']') + 1) : (named.split(':')[0] as string);
  if (/^\*+$/.test(host)) return '*';
  const whole = host.replace(/\*+$/, '');
  // `a.example*` names a whole host; in `a.*`, `10.0.0.*` and `web*` the wildcard stands within a label.
  const written = /\.[^.]+$/.test(whole) ? whole : host;
  if (written === '') return undefined;
  return webAddress(`http://${written}/`)?.host ?? (written.includes('*') ? written.toLowerCase() : undefined);
}

/** The beginning of `HOST` or `USER@HOST`: a dot or an `@` is in it. */
const LOGIN = /^[^:/-][^:/]*[@.][^:/]*$|^@[^:/]*$/;

/** Whether a word begins like the login in a rule's word, and has another host: `git@a.example*` and `git@a.example.evil.test:x`. */
export function isOtherLogin(text: string, ruleWord: string): boolean {
  const at = ruleWord.indexOf('*');
  const head = ruleWord.slice(0, at);
  if (at < 0 || !LOGIN.test(head) || !text.startsWith(head)) return false;
  const pattern = patternOf(ruleWord.split(/[:/]/)[0] as string);
  if (pattern === undefined || pattern === '*') return false;
  const [authority = ''] = text.split(/[:/]/);
  // ssh looks for the host behind the last `@`: `a.example:x@evil.test`.
  if (authority.includes(UNKNOWN) || text.includes('@', authority.length)) return true;
  return !hostMatches(pattern, authority.slice(authority.lastIndexOf('@') + 1).toLowerCase());
}

/** Whether the address is one of a host that the rule names. Where the rule names none, every host is. */
export function isOfNamedHost({ address, hidden }: FoundAddress, named: readonly string[]): boolean {
  if (named.length === 0 || named.includes('*')) return true;
  return address !== undefined && !hidden && named.some((pattern) => hostMatches(pattern, address.host));
}
