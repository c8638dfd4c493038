/** Makes foreign text safe to show: nothing in it takes effect, and invisible characters show. */
import { UNSEEN } from '../../../domain/text/invisible-characters.ts';

export { cut as shortened } from '../../../domain/proposal/one-line.ts';

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).padStart(4, '0')}}`;
};

/** Free text of an agent or a person: backslashes doubled, so that an escape stands only for what could not be seen. Line ends stay. */
export function visible(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(UNSEEN, (character) => (character === '\n' ? character : escapeOf(character)));
}

/** A name within a line of our own, as a folder: its line ends would begin lines that look like ours. */
export const visibleLine = (text: string): string => visible(text).replaceAll('\n', escapeOf('\n'));

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
/** Letters of other scripts and of phonetic writing, and the full-width, Roman, mathematical and letterlike forms of Latin letters and of digits. */
const FOREIGN_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u0251\u0261\u1d00-\u1d22\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a-\u2134\u2139\u2145-\u2149\u2160-\u217f\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7cb}\u{1d7ce}-\u{1d7ff}]/gu;

/** Letters of other scripts that are drawn as Latin ones: a word of nothing else reads as a Latin word. */
const TWINS =
  /^[\d_]*(?:[\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u04cf\u051b\u051d\u04af\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03c1\u0585\u057d\u0570\u0578\u0581\u0566\u13a0-\u13a2\u13a5\u13aa-\u13ac\u13b3\u13b7\u13bb\u13c0\u13c2\u13c3\u13cf\u13d2\u13d4\u13d9\u13da\u13de\u13df\u13e2\u13e6\u13f3\u13f4\p{Script=Lisu}\u0251\u0261\u1d00-\u1d22\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a-\u2134\u2139\u2145-\u2149\u2160-\u217f\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7cb}\u{1d7ce}-\u{1d7ff}][\d_]*)+$/u;
const TOKEN = /[\p{L}\p{M}\p{N}_./@:~-]+/gu;
/** A path, a host or an address. `PR-\u0430` is a Latin word with an ending of another language. */
const PLACE = /[./@:~][\p{L}\p{N}_]/u;
const PART = /[^/@:~]+/g;
const LATIN = /[A-Za-z]/;
const NO_LATIN = /(?!\p{Script=Latin})\p{L}/u;

/**
 * Makes a name safe to read. Letters of other scripts are escaped in a word that has Latin ones too, because `gith\u057db` looks like another name.
 * So they are where a path or host with Latin letters has a whole word of them, as in `src/\u0430.ts`.
 */
export const visibleName = (name: string): string => foreignSpelled(visible(name));

/** The same of a line in which every other character is seen. */
export const foreignSpelled = (line: string): string =>
  line.replace(TOKEN, (token) => {
    if (!LATIN.test(token)) return token;
    const isPlace = PLACE.test(token);
    return token.replace(PART, (part) => {
      const hasTwin = isPlace && looksLatin(part);
      return part.replace(WORD, (word) =>
        LATIN.test(word) || (hasTwin && TWINS.test(word)) ? word.replace(FOREIGN_LETTER, escapeOf) : word,
      );
    });
  });

/** A word of it looks Latin, and none shows the language that it is of: many prepositions and initials have one letter. */
function looksLatin(part: string): boolean {
  const words = part.match(WORD) ?? [];
  const isPlain = (word: string) => NO_LATIN.test(word) && !LATIN.test(word) && !TWINS.test(word);
  return words.some((word) => TWINS.test(word)) && !words.some(isPlain);
}

/** Words in which letters of two scripts stand, and paths and hosts with a word that only looks Latin, as `visibleName` shows them. `kΩ` and `µm` are units. */
export const mixedWords = (text: string): string[] => {
  const words = (text.match(WORD) ?? []).filter(
    (word) => visibleName(word) !== visible(word) && !/^[A-Za-z0-9]*[Ωμ][A-Za-z0-9]*$/.test(word),
  );
  const tokens = (text.match(TOKEN) ?? []).filter(
    (token) => LATIN.test(token) && PLACE.test(token) && token.match(PART)?.some(looksLatin),
  );
  return [...words, ...tokens].map(visibleName);
};

/** A JSON value, indented; every character outside plain sight as a JSON escape: the text parses back to the same value. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    character === '\n' ? character : [...units(character)].map((unit) => `\\u${unit}`).join(''),
  );
}

function* units(character: string): Generator<string> {
  for (let index = 0; index < character.length; index++)
    yield character.charCodeAt(index).toString(16).padStart(4, '0');
}

/** Slack's three escapes for `mrkdwn` text; formatting characters still format, so agents' free text goes into rich text instead. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Undoes them in what Slack sends. */
export const withoutEscapes = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** The colon before the name of an emoji. */
const EMOJI = /:(?=[a-z0-9_+'-]{1,100}:)/gi;

/** Text of a notification: Slack would draw `:x:` as a picture. The narrowest blank that is seen parts the colon from the name. */
export const inText = (text: string): string => escaped(text).replace(EMOJI, ':\u200a');

/** A name within markup of our own: its formatting characters would format. Within a word `_` does not. */
export const inMarkup = (name: string): string =>
  inText(name).replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, ' ');

/** Slack's own date fields: everybody reads them in their own time zone. A day is told as "today" where it is. */
export const slackDay = (iso: string): string => dateField(iso, '{date_short_pretty} {time}');
export const slackTime = (iso: string): string => dateField(iso, '{time}', `${utcTime(iso)}`);

/** The day and time with the words before it, as people say it: "until today at 4:48 PM". Slack writes `Today` where no word goes before it in the field. */
export const slackWhen = (iso: string, before = ''): string =>
  dateField(iso, `${before}{date_short_pretty} at {time}`, `${before}${utcDay(iso)}`);

/** For text that knows no date fields, such as notifications. */
export const utcTime = (iso: string): string => `${iso.slice(11, 16)} UTC`;
export const utcDay = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

const dateField = (iso: string, format: string, fallback = iso): string =>
  `<!date^${Math.floor(Date.parse(iso) / 1000)}^${format}|${fallback}>`;
