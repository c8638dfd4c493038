/** Tells words behind the name of a secret that are no value of it: options, code, sentences. */

import { isSecretName } from '../words/names.ts';

/** A name in a text, and the word behind it. */
export interface NamedWord {
  readonly text: string;
  readonly name: string;
  /** Parts the name from its value. */
  readonly between: string;
  /** Where `between` ends. */
  readonly from: number;
  /** Where the value begins: behind its quote, if it has one. */
  readonly start: number;
  readonly value: string;
}

export function isNoValue({ text, name, between, from, start, value }: NamedWord): boolean {
  if (between.trim() === '' && isNextOption(name, value)) return true;
  if (between === '=' && isNameItself(value) && text.endsWith(`--${name}`, from - 1)) return true;
  if (isPartOfName(text, between, from, name)) return true;
  if (start !== from) return false;
  if (between === ':' && isJoined(text.slice(0, from - 1 - name.length), name, value)) return true;
  const end = start + value.length;
  return (
    (CODE.test(between) && isWordOfCode(name, value)) ||
    SPOKEN.test(`${between.trim()}${text.slice(start, start + 80)}`) ||
    isCode(value, text.slice(end, end + 1))
  );
}

/** `acme/auth:9f86d08`, `gradle :auth:publish`: the name goes on from what stands before it. */
const GOES_ON = /(?:[\w.-]\/|(?:^|\s):)$/;
/** `run auth:reset`, `origin token:main`, `auth:1.4.2`, `-v ./auth:/auth`: words, numbers, or a path; no random text is one of them. */
const PART =
  /^(?:[a-z]{2,20}(?:[-_.:/](?:[a-z]{1,20}|[0-9]{1,8})){0,6}|v?[0-9]{1,4}(?:\.[0-9]{1,6}){1,3}(?:-[a-z]{2,10}\.?[0-9]{0,4})?|[.~]{0,2}(?:\/[a-z0-9._-]{1,30}){1,8}\/?(?::[a-z,]{1,8})?)$/;
/** Behind these names even a word is a secret. */
const SECRET_WORDS = /(?:pass\w{0,6}|pwd?|pin|psk)$/i;

/** Parts of one name, joined with a colon: an image and its tag, a task, a branch, a folder and its place, `session:token:42`. */
const isJoined = (before: string, name: string, value: string): boolean =>
  !SECRET_WORDS.test(name) &&
  (GOES_ON.test(before.slice(-2)) ||
    PART.test(value) ||
    (/[a-z]:$/.test(before) && /^(?:[0-9]{1,12}|\*)$/.test(value)));

/** Only code and make files assign or compare with these, between blanks. */
const CODE = /[ \t](?:===?|[?+:]=|\|\|=|\?\?=)[ \t]{1,4}$/;
/** Words of code before which nothing is assigned. */
const KEYWORD =
  /^(?:await|dyn|impl|new|yield|typeof|lambda|self|this|!(?:FindInMap|GetAtt|If|ImportValue|Join|Ref|Select|Sub))$/;
/** `process.env.X`, `var.db_password`, `.api_key`: members of what holds a secret elsewhere. */
const MEMBER =
  /^(?:(?:process\.env|import\.meta\.env|os\.environ|settings|config|cfg|opts|options|args|params|props|req|request|secrets|var|local|each|data|module|self|this|user|[a-z])[?!]?)?(?:\.[A-Za-z_]{1,60}[?!]?){1,8}$/;
/** `random_password.db.result`: of what Terraform makes or reads. */
const RESOURCE = /^(?:data\.)?[a-z]{2,30}(?:_[a-z0-9]{1,30}){1,8}\.[A-Za-z0-9_-]{1,60}\.[a-z_]{1,60}$/;
/** `Option<String>` */
const isType = (text: string, after: string): boolean => after === '<' && /^[A-Z][A-Za-z]{2,30}$/.test(text);
/** `getToken(`, `bin2hex(`: the function that gives it. A shell takes no such word. */
const CALLED = /^[A-Za-z_$](?:[A-Za-z_$.:?!]|[a-z]2(?=[a-z])){1,80}$/;

/** Of a value without quotes: code that gets the secret, which may do anything else. `after`: the text behind it. */
const isCode = (text: string, after: string): boolean =>
  (after.startsWith('(') && CALLED.test(text)) ||
  (KEYWORD.test(text) && /^\s/.test(after)) ||
  isType(text, after) ||
  RESOURCE.test(text) ||
  MEMBER.test(text);

/** `Password: must be changed by Friday`: three plain words, as in a sentence. */
const SPOKEN = /^:[a-z]{2,20} [a-z']{2,20} [a-z]{2,20}[ ,.!?"'\n]/;

/** `--ask-pass --limit web`, `--use-token prod`, `--delete-secret-keys ID`: the option takes no secret, and the next word is for people to see. */
const isNextOption = (name: string, value: string): boolean =>
  /^--?[a-z][a-z0-9-]*(?:=|$)/.test(value) || TAKES_NONE.test(name) || isNameItself(value);

/** `--secret db-password`, `--secret=dbPassword`: the name of the secret, which people have to see. */
const isNameItself = (value: string): boolean =>
  /^[A-Za-z]+(?:[_-]|[a-z](?=[A-Z]))[A-Za-z_-]+$/.test(value) && isSecretName(value);
const TAKES_NONE =
  /^(?:allow|ask|disable|enable|list|no|print|prompt|require|show|skip|use|verify|with|without)[-_]|-(?:stdin|prompt)$|^(?:delete|export)-secret-(?:sub)?keys?$/i;

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db`; `-u $TOKEN: https://…`, where a variable ends. */
const isPartOfName = (text: string, between: string, from: number, name: string): boolean => {
  const at = from - between.length - name.length;
  if (between.startsWith(':') && /\$\{?$/.test(text.slice(Math.max(0, at - 2), at))) return true;
  return ARN.test(text.slice(Math.max(0, at - 100), at));
};
const ARN = /\barn:aws[a-z-]{0,12}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:[0-9]{0,12}:$/;

/** Without quotes such a value is another name, `token === expected`, or a call. A make file assigns texts: `DB_PASSWORD := …`. */
const isWordOfCode = (name: string, value: string): boolean => /[a-z]/.test(name) && !/[0-9]/.test(value);
