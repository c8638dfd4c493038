/** Tells which hosts a rule for commands names, and whether an address is of one of them. */
import { UNKNOWN } from './unknown.ts';
import { hostMatches, type WebAddress, webAddress } from './web-address.ts';

/** Schemes whose addresses name a machine; in a rule a wildcard may stand for one. */
const SCHEME = /(?:\*|https?|wss?|ftps?|ssh|git(?:\+[a-z]+)?):\/\//i;

/** The address in a word, if there is one. A part that the text does not determine never completes a host that a rule names. */
export function addressIn(text: string): { readonly address: WebAddress | undefined } | undefined {
  const at = text.search(SCHEME);
  return at < 0 ? undefined : { address: webAddress(text.slice(at).replaceAll(UNKNOWN, 'x')) };
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
  const scheme = SCHEME.exec(word);
  if (scheme === null && !bare) return undefined;
  // Within a text, such as a header's, an address is none that the rule grants.
  if (scheme !== null && scheme.index > 0 && word[scheme.index - 1] !== '=') return undefined;
  const rest = scheme === null ? word : word.slice(scheme.index + scheme[0].length);
  const authority = rest.split(/[/?#]/)[0] as string;
  const named = authority.slice(authority.lastIndexOf('@') + 1);
  const host = named.startsWith('[') ? named.slice(0, named.indexOf(']') + 1) : (named.split(':')[0] as string);
  const written = host === '*' ? host : host.replace(/\*+$/, '');
  if (written === '') return undefined;
  return written.includes('*') ? written.toLowerCase() : webAddress(`http://${written}/`)?.host;
}

/** `HOST` or `USER@HOST`, with a dot in the host. */
const LOGIN = /^(?:[^@/:]+@)?[^@/:]+\.[^@/:]+$/;

/** Whether a word goes on with the host that a rule's word ends in before its wildcard: `git@a.example*` and `git@a.example.evil.test:x`. */
export function goesOnWithHost(text: string, ruleWord: string): boolean {
  const at = ruleWord.indexOf('*');
  const head = ruleWord.slice(0, at);
  if (at < 0 || !LOGIN.test(head) || !text.startsWith(head)) return false;
  const rest = text.slice(head.length);
  return rest !== '' && (!/^[:/]/.test(rest) || rest.includes('@'));
}

/** Whether the address is one of a host that the rule names. Where the rule names none, every host is. */
export function isOfNamedHost(address: WebAddress | undefined, named: readonly string[]): boolean {
  if (named.length === 0) return true;
  return address !== undefined && named.some((pattern) => hostMatches(pattern, address.host));
}
