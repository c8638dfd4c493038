/** Says whether a command may run what a mark hides, or go there: `X_TOKEN=‹…›; $X_TOKEN`. */
import { commandOf } from '../readers/command-words.ts';
import { type Field, fieldBelow } from '../readers/fields.ts';
import { isSecretName } from '../tables/names.ts';
import { withoutStarters } from '../tables/starters.ts';
import { markersIn } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';
import { readsAgain, runsOperands } from './command-values.ts';
import { hiddenOperands, withCopies } from './hidden-copies.ts';
import { standsForPlace } from './hidden-places.ts';

/** Names of variables and fields whose values marks hide. */
export function hiddenIn(part: unknown, name: string): string[] {
  if (typeof part === 'string') return markersIn(part).length ? [name, ...hiddenNames(part)] : [];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, item]) => hiddenIn(item, Array.isArray(part) ? name : key));
}

/** Whether a text of the call may run what a mark hides, or go where it says. */
export function runsHidden(part: unknown, field: Field, names: ReadonlySet<string>): boolean {
  if (!names.size) return false;
  if (typeof part === 'string') return !isSecretName(field.name) && mayRunValueOf(part, names, field.runs);
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some((item) => runsHidden(item, field, names));
  return Object.entries(part).some(([key, item]) => runsHidden(item, fieldBelow(field, key), names));
}

/** The name that is given the value of the mark behind it; of other languages, and of none of a shell, with its `$`. */
const GIVEN = /((?:(?<![A-Za-z0-9_$])\$)?[A-Za-z_][A-Za-z0-9_]{0,80})(?::?=|[ \t]{1,4})["']?[^\s"'=;&|()]{0,80}$/;

/** The names of variables whose values marks hide in a text. */
function hiddenNames(text: string): string[] {
  return markersIn(text).flatMap(({ start }) => GIVEN.exec(text.slice(Math.max(0, start - 180), start))?.[1] ?? []);
}

/** `$NAME`, `${NAME…}`, `$env:NAME`, `%NAME%`, and words of a function or a script. */
const VARIABLE =
  /\$(?:\{[!#]?)?([Ee][Nn][Vv]:)?([A-Za-z_][A-Za-z0-9_]{0,80}|[0-9@*])|(?<of>[%!])([A-Za-z_][A-Za-z0-9_]{0,80})(?::[^%!\s]{0,40})?\k<of>/g;
const WORD_START = /(?:^|[\s;&|()`])["']?$/;
/** A text becomes a command: `eval`, a shell that reads a pipe or a text, a substitution in the place of a program. */
const RUNS_TEXT =
  /\beval\b|(?:\||<<<?)\s{0,8}(?:sudo\s{1,8}(?:-\S{1,20}\s{1,8}){0,4})?(?:\S{0,80}\/)?(?:ba|da|z|k|a|fi)?sh\b|\b(?:ba|da|z|k|a|fi)?sh\s{1,8}-[a-z]{0,8}c\b|(?:^|[;&|\n(])\s{0,8}"?(?:\$\(|`)|\$\{!/;

/** Calls of a script that run a text, and its words. */
const RUNS_CODE = /\b(?:exec\w{0,8}|eval|system|popen|spawn\w{0,8}|subprocess|shell_exec|passthru|Function)\b/i;
/** `docker exec db mysql -p$PASSWORD` runs no text. */
const EXEC = /\b(?:docker|podman|kubectl|oc|compose)\s(?:[^;&|\s"'`]{1,80}\s){0,12}?exec\s/g;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;
/** PowerShell runs what a variable holds: `& $x`, `iex $x`. */
const INVOKES = /\b(?:iex|invoke-(?:expression|command))\b|(?:^|[\s;{(])[&.]\s{1,4}\$/im;

/** `$token='…'` of PHP or PowerShell gives a shell nothing: in a file it counts where the file runs texts. */
function namesIn(text: string, hidden: ReadonlySet<string>, isCommand: boolean): ReadonlySet<string> {
  const mayRun = isCommand || RUNS_CODE.test(text) || INVOKES.test(text);
  return new Set([...hidden].flatMap((name) => (name[0] !== '$' ? [name] : mayRun ? [name.slice(1)] : [])));
}

/** A script names the variable once more, and may run what it holds. */
const mayRunInScript = (text: string, names: ReadonlySet<string>): boolean => {
  const told = (withoutMarks(text).match(WORD) ?? []).filter((word) => names.has(word));
  return new Set(told).size < told.length && RUNS_CODE.test(text.replaceAll(EXEC, ' '));
};

/** A blank in the place of each mark. */
function withoutMarks(text: string): string {
  let from = 0;
  const parts = markersIn(text).map(({ start, end }) => {
    const part = text.slice(from, start);
    from = end;
    return part;
  });
  return [...parts, text.slice(from)].join(' ');
}

/** `2>&1`, `> file`: a command may begin with it. */
const REDIRECTION = /[0-9]?(?:[<>]&[0-9-]|&?>>?\|?\s{0,8}[^\s<>&;|()]{1,200})/g;

/** Behind these stands a command: `GIT_SSH_COMMAND=`, `core.sshCommand=`, `alias.x=!`. */
const NAMES_COMMAND =
  /(?:command|editor|pager|browser|BASH_ENV|LD_PRELOAD|\bPS[0-4]|alias\.[\w-]{1,60}|=exec|--rsh)=["']?!?$/i;

/** `AUTH="Bearer $TOKEN"`: a blank within quotes begins no word. */
function isAssigned(before: string): boolean {
  if (/[\\#`]|<</.test(before)) return false;
  const open = before.replaceAll(/"[^"]*"|'[^']*'/g, '_');
  return /^[^"']*(?:^|[\s;&|(])[A-Za-z_]\w*="[^"';&|()$]*$/.test(open) && !before.endsWith('="');
}

/**
 * Whether the text may run the value of one of these variables: one that stands for a program or a path, or in a text that a shell reads once
 * more. A variable as any other argument is just a value. `isCommand`: all of the text runs. A file to be written may also be prose.
 */
function mayRunValueOf(given: string, hidden: ReadonlySet<string>, isCommand: boolean): boolean {
  // A line that goes on is one line.
  const text = given.replaceAll(/\\\r?\n/g, '  ');
  const names = withCopies(text, namesIn(text, hidden, isCommand));
  const holdsMark = markersIn(text).length > 0;
  if (isCommand && mayRunInScript(text, names)) return true;
  const runsText = isCommand && RUNS_TEXT.test(text);
  const folded = new Set([...names].map((name) => name.toLowerCase()));
  const told = matchesOf(text, VARIABLE).flatMap(({ 0: written, 1: env, 2: ofShell = '', 4: ofCmd, index }) => {
    const name = ofCmd ?? ofShell;
    const isOperand = /^[0-9@*]$/.test(name);
    // Windows knows no case.
    const isHidden = env || ofCmd ? folded.has(name.toLowerCase()) : names.has(name);
    return (isOperand ? holdsMark : isHidden) ? [{ written, name, env, index, isOperand }] : [];
  });
  const operands = hiddenOperands(
    text,
    told.flatMap(({ index, isOperand }) => (isOperand ? [] : [index])),
  );
  return told.some(({ written, name, env, index, isOperand }) => {
    // `$env:NAME=…` of PowerShell: it is given its value there.
    if (env && /^\}?\s{0,4}=/.test(text.slice(index + written.length, index + written.length + 8))) return false;
    const before = text.slice(Math.max(0, index - 600), index);
    const words = commandOf(before.replaceAll(REDIRECTION, ' ').replace(/["']$/, ''));
    const isWord = WORD_START.test(before);
    // Where nothing calls it, PowerShell only tells `$env:NAME`.
    const isProgram = isWord && (!env || /[&.]\s{0,4}["']?$/.test(before)) && !withoutStarters(words).length;
    if (isProgram && !isAssigned(text.slice(0, index))) return name !== '@' || /\bshift\b|\$\{@/.test(text);
    if (isOperand && !operands.has(name)) return false;
    const after = text.slice(index + written.length, index + written.length + 300);
    if (standsForPlace(before, written.startsWith('${') ? after.replace(/^[^}]{0,200}\}/, '') : after)) return true;
    if (isOperand) return false;
    if (isCommand && NAMES_COMMAND.test(before)) return true;
    return runsText || readsAgain(words) || (isWord && !env && runsOperands(words));
  });
}

/** Whether a shell may read the text that `sudo -S` is spoken to: with no password to ask for, sudo reads nothing. */
export const leavesInput = (text: string): boolean =>
  text.split(/[;&|\n()]/).some((command) => {
    const words = command.split(/\s+/).filter(Boolean);
    return (
      /(?:^|\/)sudo$/.test(words[0] ?? '') &&
      (readsAgain(words) || /(?:^|[\s/])(?:python[0-9.]*|node|perl|ruby|php)\s*-?$/.test(command))
    );
  });
