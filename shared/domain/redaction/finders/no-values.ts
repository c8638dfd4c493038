/** Tells words behind the name of a secret that are no value of it: options, code, sentences. */
import { isSecretName } from '../tables/names.ts';
import { isJoined } from './joined.ts';

/** A command that is longer than this is not looked through. */
const MAX_LINE = 400;

/** A name in a text, and the word behind it. */
interface NamedWord {
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
  if (/^secrets?$/.test(name) && text.endsWith(`--${name}`, from - between.length) && namesPlace(between, value))
    return true;
  if (isPartOfName(text, between, from, name)) return true;
  if (start !== from) return false;
  const at = from - 1 - name.length;
  if (between === ':' && !SECRET_WORDS.test(name) && isJoined(text.slice(Math.max(0, at - MAX_LINE), at), value))
    return true;
  const end = start + value.length;
  return (
    (CODE.test(between) && isWordOfCode(name, value)) ||
    SPOKEN.test(`${between.trim()}${text.slice(start, start + 80)}`) ||
    isCode(value, between, text.slice(end, end + 1))
  );
}

/** Behind these names even a word is a secret. */
const SECRET_WORDS = /(?:pass\w{0,6}|pwd?|pin|psk|otp|cv[cv])$/i;

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
/** `secret: Option<String>`; in `Password: Sunshine<br>` it is a value. */
const TYPE =
  /^(?:Arc|Array|Box|Cow|HashMap|List|Map|Maybe|Mutex|Option|Optional|Partial|Promise|Rc|Readonly|Record|Result|RwLock|Secret|SecretBox|Set|Vec|Zeroizing)$/;
/** `getToken(`, `bin2hex(`: the function that gives it. A shell takes no such word. */
const CALLED = /^[A-Za-z_$](?:[A-Za-z_$.:?!]|[a-z]2(?=[a-z])){1,80}$/;

/** Whether an unquoted value is code that gets the secret, and that may do anything else. `after`: the text behind it. */
const isCode = (text: string, between: string, after: string): boolean =>
  (after.startsWith('(') && CALLED.test(text)) ||
  (KEYWORD.test(text) && /^\s/.test(after)) ||
  (between.startsWith(':') && after === '<' && TYPE.test(text)) ||
  (/[ \t]=[ \t]/.test(between) && RESOURCE.test(text)) ||
  MEMBER.test(text);

/** `Password: must be changed by Friday`: three plain words, as in a sentence. */
const SPOKEN = /^:[a-z]{2,20} [a-z']{2,20} [a-z]{2,20}[ ,.!?"'\n]/;

/** `--ask-pass --limit web`, `--use-token prod`, `--delete-secret-keys ID`: the option takes no secret, and the next word is for people to see. */
const isNextOption = (name: string, value: string): boolean =>
  /^--?[a-z][a-z0-9-]*(?:=|$)/.test(value) || TAKES_NONE.test(name) || isNameItself(value);

/** `--secret id=npm,src=.npmrc`, `--secret=db-password`: where it is, which people have to see. Another option may take such a text. */
const namesPlace = (between: string, value: string): boolean =>
  /^(?:id|src|source)=/.test(value) || (between === '=' && isNameItself(value));

/** `--secret db-password`, `--secret dbPassword`: the name of the secret. */
const isNameItself = (value: string): boolean =>
  /^[A-Za-z]+(?:[_-]|[a-z](?=[A-Z]))[A-Za-z_-]+$/.test(value) && isSecretName(value);
const TAKES_NONE =
  /^(?:allow|ask|disable|enable|list|no|print|prompt|require|show|skip|use|verify|with|without)[-_]|-(?:stdin|prompt)$|^(?:delete|export)-secret-(?:sub)?keys?$/i;

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db`; `-u $TOKEN: https://…`, where a variable ends. */
const isPartOfName = (text: string, between: string, from: number, name: string): boolean => {
  const at = from - between.length - name.length;
  if (between.startsWith(':') && USER.test(text.slice(Math.max(0, at - 20), at))) return true;
  return ARN.test(text.slice(Math.max(0, at - 100), at));
};
/** In `${TOKEN:-x}` and `$token: x` a value follows. */
const USER = /(?:(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?|:\/\/)\$$/;
const ARN = /\barn:aws[a-z-]{0,12}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:[0-9]{0,12}:$/;

/** Without quotes such a value is another name, `token === expected`, or a call. A make file assigns texts: `DB_PASSWORD := …`. */
const isWordOfCode = (name: string, value: string): boolean => /[a-z]/.test(name) && !/[0-9]/.test(value);
