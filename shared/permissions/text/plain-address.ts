/** Spells addresses in one form: the host as a parser of URLs reads it, without what says nothing. */
import { ipv4Behind, isThisMachine, THIS_MACHINE, withoutLastDots } from './private-host.ts';
import { NO_HOST } from './rule-hosts.ts';

/** The form that is wanted. */
export interface Wanting {
  /** Whether the name of a user stays. */
  readonly user?: boolean;
  /** In place of `http`: another scheme, or none. */
  readonly scheme?: 'https' | '';
  /** Whether `http` of this machine gets that scheme, too. */
  readonly here?: boolean;
  /** The name of this machine in place of any other one of it. */
  readonly machine?: string;
}

const SCHEME = /^([a-z][a-z\d+.-]*):(?=[\\/])/i;

/** `a.example/x`, `localhost:80`: to a program that fetches, an address all the same. */
function isBareAddress(word: string): boolean {
  const [head = ''] = /^[^\s/:]*/.exec(word) ?? [];
  const isEnded = /^[:/]?$/.test(word.charAt(head.length));
  return (isEnded && BARE_NAME.test(head)) || BARE_NUMBER.test(word);
}

/** No two parts take the same character: a long row of `@` would else be read anew from each. */
const BARE_NAME = /^[^.*]+\..|^(?:[^*@]*@)*(?:[^.*@]+\..|localhost\.?$)/i;
const BARE_NUMBER = /^(?:[^\s/:*@]*@)*(?:\d+|0x[\da-f]+|\[[\da-f:.]+\])[:/]/i;

/** This machine, in words that all programs read so: what stands before `@`, `\`, `?` or `#` may be no host. */
const LOOPBACK = /^(?:http:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/** Whether the word may be an address. `isFetched`: one without a scheme counts. */
export const isAddress = (word: string, isFetched: boolean): boolean =>
  word.includes('://') || /^https?:[\\/]/i.test(word) || (isFetched && isBareAddress(word));

/** Undefined where the word is no address. @param isFetched whether an address without a scheme counts */
export function plainAddress(
  word: string,
  { user = true, scheme: wanted, here = false, machine }: Wanting,
  isFetched: boolean,
): string | undefined {
  const stated = SCHEME.exec(word)?.[1]?.toLowerCase();
  if (stated === undefined && !(isFetched && isBareAddress(word))) return undefined;
  const isWeb = stated === undefined || stated === 'http' || stated === 'https';
  if (!isWeb && (NO_HOST.has(stated) || !word.includes('://'))) return undefined;
  const rest = stated === undefined ? `//${word}` : word.slice(stated.length + 1);
  const url = parsed(`${stated === 'https' ? 'https' : 'http'}:${rest}`);
  if (url === undefined) return undefined;
  // A wildcard behind a host may go on with its path.
  const isOpen = url.hostname.includes('*') && !/[/?#]/.test(rest.replace(/^[\\/]+/, ''));
  const other = wanted === 'https' && !here && LOOPBACK.test(word) ? undefined : wanted;
  const scheme = stated === 'http' || stated === undefined ? (other ?? stated ?? 'http') : stated;
  const login = user && url.username !== '' ? `${url.username}@` : '';
  const named = machine !== undefined && isThisMachine(withoutLastDots(url.hostname)) ? machine : undefined;
  const host =
    (named ?? ipv4Behind(url.hostname) ?? withoutLastDots(url.hostname)) + (url.port === '' ? '' : `:${url.port}`);
  const isSchemeless = wanted === '' && isWeb;
  return `${isSchemeless ? '' : `${scheme}://`}${login}${host}${isOpen ? '' : decoded(url.pathname)}${decoded(url.search)}`;
}

/** An escape of a letter, digit or `-._~` is that character (RFC 3986, 6.2.2.2). */
const decoded = (text: string): string =>
  text.replace(/%[2-7][\dA-F]/gi, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : code;
  });

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** `ME@HOST:PORT`, and an IPv6 address without brackets. */
const HOST_ALONE = /^(?:ssh:\/\/)?([^@\s/]*@)?(localhost\.?|\d\w*\.[\w.]+|\[[\da-f:.]+\])(:.*)?$/is;
const WITHOUT_BRACKETS = /^([^@\s/]*@)?((?=[\da-f:]*?::)[\da-f:.]+)$/i;

/** A host with nothing but a user and a port around it under that name of this machine; undefined where it is no such host. */
function machineWord(word: string, machine: string): string | undefined {
  const [, user = '', host = '', rest = ''] = HOST_ALONE.exec(word) ?? [];
  const [, login = '', address = ''] = host === '' ? (WITHOUT_BRACKETS.exec(word) ?? []) : [];
  const stated = host || (address && `[${address}]`);
  if (stated === '' || !isThisMachine(withoutLastDots(parsed(`http://${stated}/`)?.hostname ?? ''))) return undefined;
  return user + login + machine + rest;
}

/** The word in which another name of this machine stands, or undefined. `isFetched`: as for `plainAddress`. */
export const onThisMachine = (word: string, wanting: Wanting, isFetched: boolean): string | undefined =>
  wanting.machine === undefined
    ? undefined
    : ((isAddress(word, isFetched) && !/^ssh:/i.test(word) ? plainAddress(word, wanting, isFetched) : undefined) ??
      machineWord(word, wanting.machine));

/** Whether a name of this machine stands in the word, by itself, behind `=`, or in an address. */
export function namesThisMachine(word: string, isFetched: boolean): boolean {
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  // Most words hold neither.
  if (!/[.:]|localhost/i.test(value)) return false;
  const [machine] = THIS_MACHINE;
  const plain = plainAddress(value, {}, isFetched);
  const changed = onThisMachine(value, { machine }, isFetched);
  return changed !== undefined && (changed !== plain || isHereByName(value));
}

const isHereByName = (word: string): boolean => /localhost/i.test(word);

/** `ssh://ME@Host.` is `ME@host`; what stands behind a colon is a path or a port. */
export function plainHost(word: string): string {
  const [, start = '', host = '', rest = ''] = /^(?:ssh:\/\/)?([^@\s]*@)?([^/:@\s]+)(.*)$/is.exec(word) ?? [];
  return host === ''
    ? word
    : start + withoutLastDots(host.toLowerCase().normalize('NFKC').replaceAll('。', '.')) + rest;
}
