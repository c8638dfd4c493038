/** Says whether a mark hides where a command goes: `X_TOKEN=‹…›; rm -rf /$X_TOKEN`. */
import { commandOf, nameIn, programOf } from '../readers/command-words.ts';
import { isSecretName } from '../tables/names.ts';
import { FILES, PACKAGERS, PLACE_TAKERS, RUNNERS, TAKES_PACKAGES, TAKES_TEXT } from '../tables/place-takers.ts';
import { SETTERS } from '../tables/setters.ts';

/** Options that say which thing a command is about: `--db-instance-identifier`, `--namespace`. */
const NAMES_THING =
  /(?:^|-)(?:app|arn|branch|bucket|cluster|connect-to|context|database|dest(?:ination)?|endpoint|dir(?:ectory)?|file|group|host(?:name)?|identifier|ids?|image|instance|inventory|kubeconfig|names?|namespace|output|path|profile|project|proxy|region|registry|resolve|repo(?:sitory)?|root|server|table|target|url|zone)$/;
/** A statement of SQL goes on with the name of what it is about. */
const SQL_NAMES =
  /\b(?:database|from|index|into|join|schema|table|update|view)\s{1,8}(?:if\s{1,8}exists\s{1,8})?["`]?$/i;
/** `sed "s/x/$TOKEN/"`: the text that is put in; a secret with `/` counts as a place anyway. */
const SUBSTITUTES = /\b(?:sed|perl)\s[^;&|\n]{0,200}["']?s\/[^/\s]{1,200}\/[^/\s]{0,200}$/;
const ADDRESS = /(?:^|[\s"'`=(<>])([a-z][a-z0-9+.-]{1,30}):\/\/([^\s'"`]*)$/i;

/** `PATH=$TOKEN`: where programs, accounts and hosts are found. */
const FINDS = /(?:^|[\s;&|(:])(?:[A-Z_]{0,40}(?:PATH|HOST|PROFILE)|KUBECONFIG|HOME)=["']?$/;
/** `rm $(echo $TOKEN)`: the text stands where its substitution does. */
const SUBSTITUTION = /(?:\$\(|`)\s{0,4}(?:echo|printf)\s[^()`\n]{0,100}$/;
/** `echo $TOKEN | xargs rm` */
const TO_XARGS = /^[^;&|\n]{0,200}\|\s{0,8}(xargs\s[^;&|\n]{1,200})/;

/** Whether a variable between these two parts of a text says where its command goes. In a value it does not. */
export function standsForPlace(before: string, after: string): boolean {
  const substitution = SUBSTITUTION.exec(before);
  if (substitution) return standsForPlace(before.slice(0, substitution.index), '');
  const given = /^(?:echo|printf)$/.test(programOf(commandOf(before))) && TO_XARGS.exec(after)?.[1];
  if (given && isNameOfThing(`${given} `, '')) return true;
  const address = ADDRESS.exec(before);
  if (address) return hidesAddress(address[1] ?? '', address[2] ?? '', after);
  // `user/$PASSWORD@database` of a client has its password there.
  if (/(?:^|[^\\])\/$/.test(before) || after.startsWith('/'))
    return !SUBSTITUTES.test(before) && !after.startsWith('@');
  // `curl -d @$TOKEN`: a file.
  if (
    /[A-Za-z]:(?:\\[^\\\s]{0,60}){0,8}\\$|[\s"'=]@["']?$/.test(before) ||
    SQL_NAMES.test(before) ||
    FINDS.test(before)
  )
    return true;
  const word = WORD.exec(before)?.[0] ?? '';
  const head = before.slice(0, before.length - word.length);
  const open = openQuote(head);
  if (open >= 0) return FILES.has(programOf(commandOf(bare(head.slice(0, open)))));
  if (/<<<$/.test(head.trimEnd())) return /\bxargs\b/.test(head) && isNameOfThing(head.replace(/<<<\s*$/, ''), '');
  return /(?:^|[^<])<$|>[|&]?$/.test(head.trimEnd()) || isNameOfThing(head, bare(word));
}

/** `\rm` and `"rm"` are one program. */
const bare = (text: string): string => text.replaceAll(/["'\\]/g, '');

/** The word that the variable stands in, up to it. */
const WORD = /[^\s;&|()<>]*$/;

/** `"Authorization: Bearer $TOKEN"`: a blank within quotes parts no words. */
const openQuote = (before: string): number =>
  before.replaceAll(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/g, (text) => '_'.repeat(text.length)).search(/["']/);

/** The host shows, or what stands before it is a credential; of a file or a bucket all of its path shows. */
function hidesAddress(scheme: string, begun: string, after: string): boolean {
  if (/[?#]/.test(begun)) return false;
  if (!begun.includes('/')) return !/^(?::(?:‹[^›]{0,80}›|[^\s/@]){0,200})?@/.test(after);
  return !/^(?:https?|wss?)$/i.test(scheme);
}

/** The value of an option that names something, or an operand of a program that changes what its operands name. */
function isNameOfThing(head: string, word: string): boolean {
  const joined = /^--?([A-Za-z][A-Za-z0-9-]{1,60})=([^=]*)$/.exec(word);
  const apart = word.includes('=') ? undefined : /(?:^|\s)--([A-Za-z][A-Za-z0-9-]{1,60})[ \t]{1,4}$/.exec(head);
  const words = commandOf(bare(head));
  const program = programOf(words);
  const option = (joined ?? apart)?.[1]?.toLowerCase();
  // `rm --force $X`: of files no other option takes a value.
  const isFlag =
    !joined && option !== undefined && (FILES.has(program) || SWITCH.test(option)) && !isSecretName(option);
  if (option !== undefined && !isFlag) return NAMES_THING.test(option) && !isSecretName(option);
  if (program === 'dd' && /^[io]f=/.test(word)) return true;
  // `-var=…`, `NAME=…`, `@{ Name = …`: a value under a name.
  if (/^-|=/.test(word) || /=\s*$/.test(head)) return false;
  const last = words.at(-1) ?? '';
  if (PACKAGERS.has(program)) return isPackage(words.slice(words.findIndex((one) => nameIn(one) === program) + 1));
  const valued = program.startsWith('mkfs.') ? '' : PLACE_TAKERS.get(program);
  if (valued === undefined || isOfValue(last, valued)) return false;
  if (FILES.has(program)) return true;
  const rest = words.lastIndexOf('--');
  const runner = rest >= 0 ? rest : words.findIndex((one) => RUNNERS.has(one));
  if (runner >= 0) return isRun(words.slice(runner + 1), rest >= 0 ? 0 : 1);
  return !words.some((one) => SETTERS.has(one) || TAKES_TEXT.has(one));
}

/** `curl -u`, `curl -su`, `-Value` of PowerShell: the next word is its value, and names nothing. */
const isOfValue = (option: string, letters: string): boolean =>
  (/^-[A-Za-z]{1,6}$/.test(option) && letters.includes(option.at(-1) ?? ' ')) ||
  /^-(?:value|body|headers?|credential)$/i.test(option) ||
  (option.startsWith('-') && isSecretName(option));

/** Whether the next word behind these of `npm` is a package or a script. A script has its own words. */
function isPackage(words: readonly string[]): boolean {
  const operands = words.filter((word) => !word.startsWith('-'));
  if (words.at(-1)?.startsWith('-') && operands.length) return false;
  return operands.length === 0 || (operands.length === 1 ? TAKES_PACKAGES : INSTALLS).has(operands[0] ?? '');
}
const INSTALLS: ReadonlySet<string> = new Set([...TAKES_PACKAGES].filter((word) => !/^(?:dlx|exec|run|x)$/.test(word)));

/** Long options that take no value. */
const SWITCH =
  /^(?:all|auto-approve|cascade|detach|dry-run|force|init|interactive|no-[a-z-]{1,40}|now|privileged|purge|quiet|read-only|recursive|rm|tty|verbose|wait|yes)$/;
const takesNext = (word: string): boolean =>
  /^-[^=]*$/.test(word) && !/^-[dit]{1,3}$/.test(word) && !SWITCH.test(word.replace(/^--/, ''));

/** Whether the next word behind `docker run`, or behind `--`, is the image, the program, or a place of the program. */
function isRun(words: readonly string[], images: number): boolean {
  if (words.some((word) => FILES.has(nameIn(word)))) return true;
  const last = words.at(-1) ?? '';
  if (takesNext(last)) return last === '-v';
  return words.filter((word, at) => !word.startsWith('-') && !takesNext(words[at - 1] ?? '')).length <= images;
}
