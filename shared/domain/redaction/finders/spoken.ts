/** Finds secrets that are told in words: `the password is …`, `mnemonic: …`, lines of pgpass and LDIF. */
import { isSecretName } from '../tables/names.ts';
import { kindOfName, type SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const TOLD =
  /\b(password|passwd|passphrase|passcode|passwort|contraseña|token|secret|api[ -]key|pw)(?: is)?[ \t:]{1,3}["'(]?([A-Za-z0-9_!@#$%^&*+=~-]{10,262144})(?![A-Za-z0-9/\\])/gi;
/** The words of a wallet: so many as they are made of, each of three to eight letters. */
const WALLET =
  /\b(mnemonic|(?:seed|recovery|backup|wallet|secret)[ _-](?:phrase|words)|seed)["']?(?:[ \t]{1,4}is)?[ \t]{0,4}[:=]?\s{1,4}["'`]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){3}){0,4}[a-z]{3,8})(?![A-Za-z]| [a-z]{3,8}\b)/gi;
/** Some words of a list, up to the end of the line or the quote. */
const PHRASE =
  /\bpassphrase["']?(?:(?:[ \t]{1,4}is)?[ \t]{0,4}[:=]?[ \t]{0,4}(["'])([^"'\n]{8,200})\1|(?:[ \t]{1,4}is|[ \t]{0,4}[:=])[ \t]{1,4}((?:[a-z]{3,12}[ -]){3,9}[a-z]{3,12})(?=\.?[ \t]{0,4}(?:\n|$)))/gim;
/** Words of sentences, and of no phrase. */
const SENTENCE =
  /\b(?:the|and|for|with|from|this|that|not|are|was|must|should|will|can|you|your|our|please|ask|see|has|have|been|when|only|into|until|before|after|changed|required|needed)\b/;
/** `host:port:database:user:password`, as PostgreSQL reads its file: a line of its own, or one in quotes. */
const PGPASS_LINE =
  /^[A-Za-z0-9*_.-]{1,120}:(?:\d{4,5}|\*):[A-Za-z_*][\w*-]{0,63}:[A-Za-z_*][\w*-]{0,63}:(\S{2,511}[^\s"'])$/gm;
const PGPASS =
  /(?<=^|["'])[A-Za-z0-9*_.-]{1,120}:(?:\d{4,5}|\*):[A-Za-z_*][\w*-]{0,63}:[A-Za-z_*][\w*-]{0,63}:([^\s"']{3,512})(?=["']|$)/gm;

/** `jdbc:oracle:thin:scott/tiger@…` */
const ORACLE = /\bjdbc:oracle:[a-z0-9]{1,8}:[A-Za-z][\w$#.-]{0,63}\/"?([^/@\s"']{2,256})(?="?@)/gi;
/** `userPassword:: …`, a value in base64 as LDIF writes it. */
const LDIF = /^[ \t]{0,8}([A-Za-z][A-Za-z0-9;-]{0,63})::[ \t]{1,4}([A-Za-z0-9+/=]{4,4096})[ \t]{0,4}$/gm;

const ldif = (text: string): SecretSpan[] =>
  matchesOf(text, LDIF).flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    const start = index + all.lastIndexOf(value);
    return isSecretName(name) ? [{ start, end: start + value.length, kind: kindOfName(name) }] : [];
  });

export const findSpoken = (text: string): SecretSpan[] => [
  ...told(text),
  ...lastOf(text, WALLET, 'mnemonic'),
  ...lastOf(text, PHRASE, 'passphrase').filter(({ start, end }) => !SENTENCE.test(text.slice(start, end))),
  ...lastOf(text, PGPASS_LINE, 'password'),
  ...lastOf(text, PGPASS, 'password'),
  ...lastOf(text, ORACLE, 'password'),
  ...ldif(text),
];

/** Where the last group of each match stands. */
const lastOf = (text: string, pattern: RegExp, kind: string): SecretSpan[] =>
  matchesOf(text, pattern).map((match) => {
    const secret = match.findLast((group, at) => at > 0 && group !== undefined && group.length > 1) ?? '';
    const start = match.index + match[0].lastIndexOf(secret);
    return { start, end: start + secret.length, kind };
  });

/** `OAuth2Client`: words of code, each with a capital. */
const CAPITALISED = /^(?:[A-Z]{1,4}(?:[a-z]+[0-9]{0,3}|[0-9]))+$/;

/**
 * Finds values that a sentence states after a secret's name. Words of a sentence do not mix digits with letters of both cases, but names of
 * classes may: before such a name, `is` or a sign is required.
 */
function told(text: string): SecretSpan[] {
  return matchesOf(text, TOLD).flatMap(({ 0: all, 1: name = '', 2: value = '', index }) => {
    if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/[0-9]/.test(value)) return [];
    const isTold = all.slice(name.length, all.length - value.length).trim() !== '';
    if (!isTold && CAPITALISED.test(value)) return [];
    const end = index + all.length;
    return [{ start: end - value.length, end, kind: kindOfName(name) }];
  });
}
