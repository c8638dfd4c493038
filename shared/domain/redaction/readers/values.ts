/** Reads the value that stands after a name, with or without quotes, and tells values that are none. */
interface Value {
  readonly start: number;
  /** The beginning of a long value, by which it is judged. */
  readonly text: string;
  /** Reads on where a long one goes on. */
  readonly rest: RegExp;
}

const AUTH_SCHEME =
  /^(?:bearer|basic|jwt|ssws|token|digest|api-?(?:key|token)|key|negotiate|oauth|bot|geniekey|splunk|sso-key|hmac)[ \t]{1,4}(?=\S)/i;
/** Characters of a value that are read before it is known to be one. */
const MAX_READ = 4_096;
/** Built once, from the parts below and from no input. */
const reader = (part: string, end = '') => ({
  whole: new RegExp(`(?:${part}){3,${MAX_READ}}${end}`, 'y'),
  beginning: new RegExp(`(?:${part}){${MAX_READ}}`, 'y'),
  rest: new RegExp(`(?:${part})*`, 'y'),
});
const BARE_PART = '[A-Za-z0-9_+/=.~!@#%^*:?-]';
/** A value without quotes: no substitution, no operator. */
const BARE = reader(BARE_PART);
/** Between quotes: all on one line, but no substitution, which would run. */
const DOUBLE = reader('[^"\\n\\\\$`]|\\\\[^\\n]|\\$(?![({])', '(?=")');
const SINGLE = reader("[^'\\n]", "(?=')");
/** Between quotes that are written with backslashes: JSON within a text. */
const ESCAPED = reader('[^"\'\\\\\\n`$]', '(?=\\\\)');
/** Between ticks, which are quotes in scripts and in Markdown. A shell would run what stands there; it takes no blank before the tick. */
const TICKED = reader(BARE_PART, '(?=`)');
/** `b'…'`, `@"…"` and `f"…"` are texts of some language. */
const QUOTE = /\\{1,7}["']|(?:[bruf@$]{1,2}(?=["']))?["']|(?<=[ \t])`/iy;
const PATTERNS = { '"': DOUBLE, "'": SINGLE, '`': TICKED };
const VARIABLE = /^\$[A-Za-z0-9_]{1,80}$/;
const NO_SECRETS =
  /^(?:true|false|null|none|nil|undefined|required|optional|enabled|disabled|on|off|yes|no|public|anonymous|(?:aws_)?iam|jwt|basic|bearer|digest|oidc|saml|ldap|kerberos|hidden|include|omit|same-origin|oauth2?|(?:secret)?string[!?]?|str|number|bool(?:ean)?|\*+|x+|\.+|-+|\.\*.*)$/i;
/** Names the file, the variable or the vault that holds it: people have to see which one. */
const REFERENCE = /^(?:(?:file|env|fd):|op:\/\/|arn:aws[a-z-]*:|\{\{?[^{}"':]{1,80}\}?\}$)/;
/** A word for a secret that is not there, or the name of what holds it. */
export const isNoSecret = (text: string): boolean =>
  text === '' || NO_SECRETS.test(text) || VARIABLE.test(text) || REFERENCE.test(text);

/** `STRIPE_KEY`: whether it is a secret, its value tells. `PUBLIC_KEY` is for everybody. */
export const mayNameKey = (name: string): boolean => /^[A-Z0-9_]{1,60}_KEYS?$/.test(name) && !/PUBLI/.test(name);

/** Under such a name: no word, no path and no digest. */
export const isKey = (value: string): boolean => /^[A-Za-z0-9_+=-]{16,4096}$/.test(value) && isMixed(value);

/** No part of a text that is not mixed is a key. */
export const isMixed = (value: string): boolean => /[a-z]/.test(value) && /[A-Z]/.test(value) && /[0-9]/.test(value);

/** A word alone may be the name of something. */
export const looksSecret = (text: string): boolean =>
  !/\s/.test(text) && (/[^A-Za-z_-]/.test(text) || text.length >= 20);

/** The value from `from` on; an empty text if none is there that only holds a value. */
export function valueAt(text: string, from: number): Value {
  QUOTE.lastIndex = from;
  const quote = QUOTE.exec(text)?.[0] ?? '';
  const scheme = AUTH_SCHEME.exec(text.slice(from + quote.length, from + quote.length + 20))?.[0] ?? '';
  const start = from + quote.length + scheme.length;
  const { whole, beginning, rest } =
    quote === '' ? BARE : quote.startsWith('\\') ? ESCAPED : PATTERNS[quote.at(-1) as keyof typeof PATTERNS];
  return { start, text: readAt(whole, text, start) || readAt(beginning, text, start), rest };
}

function readAt(pattern: RegExp, text: string, from: number): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? '';
}

/** Where the value that `valueAt` found ends: a long one is read on only once it is known to be a secret. */
export function endOfValue(text: string, { start, text: value, rest }: Value): number {
  const end = start + value.length;
  return value.length < MAX_READ ? end : end + readAt(rest, text, end).length;
}
