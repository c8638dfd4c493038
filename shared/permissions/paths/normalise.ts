/**
 * Normalises a path as stated, and lists every spelling that it may stand for.
 * Deny rules and protected names fire on any spelling, an allow needs every one.
 */
import type { FileSystemView } from '../model/types.ts';
import { codePointName, foldText, inspectCharacters, isPlainAscii, withoutIgnorable } from '../text/characters.ts';
import { followLinks } from './links.ts';

export interface PathContext {
  readonly cwd: string;
  readonly projectRoot: string;
  /** Present: nobody stated a project root, and nothing lies inside it. */
  readonly hasProjectRoot?: false | undefined;
  readonly home: string;
  readonly fs?: FileSystemView | undefined;
}

export type Segments = readonly string[];

export interface NormalisedPath {
  readonly stated: string;
  /** Absolute spellings in their own case; link targets included. */
  readonly exact: readonly Segments[];
  /** The same, folded for deny rules and protected names. */
  readonly folded: readonly Segments[];
  /** All spellings lie within the project root. */
  readonly insideRoot: boolean;
  /** Why the path is at least ask; `error` only for NUL and broken Unicode. */
  readonly finding?: { readonly level: 'ask' | 'error'; readonly why: string } | undefined;
}

/** Splits on `/` and resolves `.`, `..` and empty parts; `..` at the root stays at the root. */
function collapse(parts: readonly string[]): string[] {
  const result: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part === '..') result.pop();
    else result.push(part);
  }
  return result;
}

export function segmentsOf(path: string): string[] {
  return collapse(path.split('/'));
}

const cache = new Map<string, readonly string[]>();
const MAX_CACHED = 256;

/** The same, remembered: roots, homes and working directories come again with every path. */
export function fixedSegments(path: string): readonly string[] {
  let segments = cache.get(path);
  if (segments === undefined) {
    if (cache.size >= MAX_CACHED) cache.clear();
    segments = segmentsOf(path);
    cache.set(path, segments);
  }
  return segments;
}

export function startsWithSegments(path: Segments, prefix: Segments): boolean {
  for (let i = 0; i < prefix.length; i++) if (path[i] !== prefix[i]) return false;
  return true;
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isEscape(text: string, at: number): boolean {
  return text[at] === '%' && isHex(text.charCodeAt(at + 1)) && isHex(text.charCodeAt(at + 2));
}

/** A stretch of a text as it reads after one decoding; `decoded` where an escape has become a character. */
interface Stretch {
  readonly text: string;
  readonly decoded: boolean;
}

/** Decodes each run of escapes once; bytes that are not UTF-8 stay as they are. */
function* stretches(text: string): Generator<Stretch> {
  let at = 0;
  while (at < text.length) {
    let end = at;
    while (isEscape(text, end)) end += 3;
    if (end > at) {
      yield* decodedRun(text.slice(at, end));
      at = end;
      continue;
    }
    const next = text.indexOf('%', at + 1);
    end = next < 0 ? text.length : next;
    yield { text: text.slice(at, end), decoded: false };
    at = end;
  }
}

/** Only ASCII characters stand for themselves in a run that is not UTF-8 as a whole. */
function* decodedRun(run: string): Generator<Stretch> {
  try {
    yield { text: decodeURIComponent(run), decoded: true };
    return;
  } catch {
    // Bytes of another encoding, or a program's format such as `%cd`.
  }
  for (let at = 0; at < run.length; at += 3) {
    const code = Number.parseInt(run.slice(at + 1, at + 3), 16);
    const decoded = code < 0x80;
    yield { text: decoded ? String.fromCharCode(code) : run.slice(at, at + 3), decoded };
  }
}

export function percentDecodeOnce(text: string): string {
  if (!text.includes('%')) return text;
  let result = '';
  for (const stretch of stretches(text)) result += stretch.text;
  return result;
}

/** Whether decoding makes an escape that the text does not hold itself: `%2541` is `%41`, and `%cd` stays `%cd`. */
function decodesToEscape(text: string): boolean {
  let result = '';
  const decoded: boolean[] = [];
  for (const stretch of stretches(text)) {
    result += stretch.text;
    for (let at = 0; at < stretch.text.length; at++) decoded.push(stretch.decoded);
  }
  for (let at = result.indexOf('%'); at >= 0; at = result.indexOf('%', at + 1)) {
    if (isEscape(result, at) && (decoded[at] || decoded[at + 1] || decoded[at + 2])) return true;
  }
  return false;
}

function withoutFileScheme(text: string): string {
  if (text.slice(0, 5).toLowerCase() !== 'file:') return text;
  const rest = text.slice(5);
  if (!rest.startsWith('//')) return rest;
  const slash = rest.indexOf('/', 2);
  return slash < 0 ? '/' : rest.slice(slash);
}

/** Windows spellings: backslashes, `\\?\` and drive prefixes. */
function withoutWindowsForm(text: string): string {
  let path = text.replaceAll('\\', '/');
  if (path.startsWith('//?/') || path.startsWith('//./')) path = path.slice(4);
  if (path.slice(0, 4).toLowerCase() === 'unc/') path = path.slice(4);
  const drive = path.charCodeAt(0) | 0x20;
  if (path[1] === ':' && drive >= 0x61 && drive <= 0x7a) path = path.slice(2);
  return path;
}

/** A segment as a Windows file system reads it: no stream, no trailing dots and blanks. */
function plainSegment(segment: string): string {
  const colon = segment.indexOf(':');
  let end = colon > 0 ? colon : segment.length;
  while (end > 0 && (segment[end - 1] === '.' || segment[end - 1] === ' ')) end--;
  return end === 0 ? segment : segment.slice(0, end);
}

/** As `plainSegment`, but a drive stays what it is. */
const segmentOnDrive = (segment: string): string => (/^[A-Za-z]:$/.test(segment) ? segment : plainSegment(segment));

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

// Spelled in two parts: they are shell texts, no template.
const BRACED_HOME = '$' + '{HOME}';
const BRACED_PWD = '$' + '{PWD}';

/** `~`, `~user`, `$HOME` and `$PWD` at the start, as a shell or a tool would expand them. */
export function expandStart(path: string, context: Pick<PathContext, 'cwd' | 'home'>): string {
  const slash = path.indexOf('/');
  const head = slash < 0 ? path : path.slice(0, slash);
  const rest = slash < 0 ? '' : path.slice(slash);
  if (head === '~' || head === '$HOME' || head === BRACED_HOME) return context.home + rest;
  if (head === '$PWD' || head === BRACED_PWD || head === '~+') return context.cwd + rest;
  // Root lives outside of the folder of all others.
  if (head === '~root') return `/root${rest}`;
  if (head.startsWith('~')) return `${parentOf(context.home)}/${head.slice(1)}${rest}`;
  return path;
}

/** Whether a part of a path is the name; a reader of globs tells it of those that may be. */
export type NameTest = (part: string, name: string) => boolean;

const isSame: NameTest = (part, name) => part === name;

/** Follows the links of `/proc`: `/proc/self/cwd/x` is `x`, `/proc/1/task/2/root/x` is `/x`. */
function withoutProcAlias(segments: string[], context: Pick<PathContext, 'cwd'>, isName = isSame): string[] {
  for (const at of [2, 4]) {
    const part = segments[at];
    if (part === undefined) break;
    if (isName(part, 'cwd')) return [...segmentsOf(context.cwd), ...segments.slice(at + 1)];
    if (isName(part, 'root')) return segments.slice(at + 1);
    if (!isName(part, 'task')) break;
  }
  return segments;
}

/** As the kernel resolves it: a `..` behind a link of `/proc` leads to the parent of the link's target. */
export function behindProcLinks(
  path: string,
  context: Pick<PathContext, 'cwd' | 'home'>,
  isName: NameTest = isSame,
): string[] {
  const expanded = expandStart(path, context);
  let result: string[] = [];
  for (const part of (expanded.startsWith('/') ? expanded : `${context.cwd}/${expanded}`).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') result.pop();
    else result.push(part);
    const [top = '', name = ''] = result;
    if (result.length === 2 && isName(top, 'dev') && isName(name, 'fd')) result = ['proc', 'self', 'fd'];
    if (isName(top, 'proc')) result = withoutProcAlias(result, context, isName);
  }
  return result;
}

/** Whether a path may lead by links of `/proc`, to which `/dev/fd` is one; a relative one by its folder, too. */
const leadsByProc = (path: string): boolean => path.includes('/proc/') || /\/dev\/+(?:\.\/+)*fd\//.test(path);
export const mayLeadByProc = (path: string, { cwd }: Pick<PathContext, 'cwd'>): boolean =>
  leadsByProc(path) || (!path.startsWith('/') && leadsByProc(`${cwd}/`));

function resolve(path: string, context: PathContext): string[] {
  const expanded = expandStart(path, context);
  if (expanded.startsWith('/')) return segmentsOf(expanded);
  const result = [...fixedSegments(context.cwd)];
  for (const part of expanded.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') result.pop();
    else result.push(part);
  }
  return result;
}

/** With `..` left in: behind a link it leads to the parent of the link's target, not of the link. */
function unresolved(stated: string, context: PathContext): string[][] {
  const texts = [stated, percentDecodeOnce(stated)].flatMap((text) => [
    withoutFileScheme(text),
    withoutWindowsForm(withoutFileScheme(withoutIgnorable(text).normalize('NFKC'))),
  ]);
  return [...new Set(texts)].map((text) => {
    const expanded = expandStart(text, context);
    const base = expanded.startsWith('/') ? [] : fixedSegments(context.cwd);
    return [...base, ...expanded.split('/').filter((part) => part !== '' && part !== '.')];
  });
}

/** Some tools take blanks and quotes away that stand around a path: `" .env"` is `.env` to them. */
function trimmed(text: string): string {
  const isAround = (char: string | undefined): boolean => char !== undefined && ' "\'`\t\n\r'.includes(char);
  let start = 0;
  let end = text.length;
  while (start < end && isAround(text[start])) start++;
  while (end > start && isAround(text[end - 1])) end--;
  return text.slice(start, end);
}

function isUsual(text: string): boolean {
  return isPlainAscii(text) && !text.includes('\\') && !text.includes('%') && !text.includes(':');
}

function hasTrailingDotOrBlank(segments: Segments): boolean {
  return segments.some((segment) => segment.endsWith('.') || segment.endsWith(' '));
}

function spellingsOf(stated: string, context: PathContext): string[][] {
  const first = resolve(stated, context);
  const spellings = [first];
  if (trimmed(stated) === stated && isUsual(stated) && !hasTrailingDotOrBlank(first)) {
    if (mayLeadByProc(stated, context)) spellings.push(behindProcLinks(stated, context));
    return spellings;
  }
  // A fragment or query of a URL is no part of the file's name.
  const end = /^file:[^?#]*/i.exec(stated)?.[0].length ?? stated.length;
  if (end < stated.length) spellings.push(...spellingsOf(stated.slice(0, end), context));
  const decoded = percentDecodeOnce(stated);
  for (const text of new Set([stated, decoded, trimmed(stated), trimmed(decoded)])) {
    const local = withoutFileScheme(text);
    const named = withoutFileScheme(withoutIgnorable(text).normalize('NFKC'));
    const plain = withoutWindowsForm(named);
    spellings.push(resolve(local, context));
    for (const each of new Set([local, plain]))
      if (mayLeadByProc(each, context)) spellings.push(behindProcLinks(each, context));
    // A rule may name the drive, which the plain form leaves out.
    if (/[\\:]/.test(named)) {
      const slashes = named.replaceAll('\\', '/');
      spellings.push(resolve(slashes, context), resolve(slashes, context).map(segmentOnDrive));
      spellings.push(resolve(slashes.split('/').map(segmentOnDrive).join('/'), context));
    }
    // Twice: dots and streams are cut before and after `..` is resolved, since file systems differ in the order.
    spellings.push(resolve(plain, context).map(plainSegment));
    spellings.push(resolve(plain.split('/').map(plainSegment).join('/'), context));
  }
  for (const spelling of [...spellings]) {
    if (spelling[0] === 'proc') spellings.push(withoutProcAlias(spelling, context));
  }
  return spellings;
}

/** macOS has some folders under two names: `/private/etc` is `/etc`. */
function atMacRoot(path: Segments): Segments[] {
  const found = /^(?:private(?=\/(?:etc|tmp|var)(?:\/|$))|system\/volumes\/data)\b/i.exec(path.slice(0, 3).join('/'));
  return found === null ? [] : [path.slice(found[0].split('/').length)];
}

function distinct(paths: readonly Segments[]): Segments[] {
  if (paths.length === 1) return [...paths];
  const seen = new Map<string, Segments>();
  for (const path of paths) seen.set(path.join('/'), path);
  return [...seen.values()];
}

/** Normalises one stated path. Never throws. */
export function normalisePath(stated: string, context: PathContext): NormalisedPath {
  const characters = inspectCharacters(stated, 'path');
  if (characters?.kind === 'nul' || characters?.kind === 'surrogate') {
    const why = characters.kind === 'nul' ? 'the path holds a NUL byte' : 'the path is not valid Unicode';
    return { stated, exact: [], folded: [], insideRoot: false, finding: { level: 'error', why } };
  }
  let finding: NormalisedPath['finding'];
  if (characters?.kind === 'odd') {
    finding = { level: 'ask', why: `the path holds ${characters.what} (${codePointName(characters.codePoint)})` };
  } else if (stated.includes('%') && decodesToEscape(stated)) {
    finding = { level: 'ask', why: 'the path is percent-encoded more than once' };
  } else if (stated.includes('%00')) {
    // A program that decodes the name may read no further.
    finding = { level: 'ask', why: 'the path holds an encoded NUL byte' };
  }
  const spelled = spellingsOf(stated, context);
  let exact = distinct([...spelled, ...spelled.flatMap(atMacRoot)]);
  if (characters?.kind === 'odd') {
    // A newline may end a path for whoever reads it line by line: each line is judged too.
    const lines = stated.split('\n').filter((line) => line !== '' && line !== stated);
    exact = distinct([...exact, ...lines.flatMap((line) => spellingsOf(line, context))]);
  }
  if (context.fs?.symlinks !== undefined) {
    const followed = [...exact, ...unresolved(stated, context)].map((path) => followLinks(path, context));
    if (followed.some((path) => path === undefined)) {
      finding ??= { level: 'ask', why: 'the path is a link that cannot be resolved' };
    }
    exact = distinct([...exact, ...followed.filter((path) => path !== undefined)]);
  }
  const root = fixedSegments(context.projectRoot);
  return {
    stated,
    exact,
    folded: exact.map((path) => path.map(foldText)),
    insideRoot:
      finding === undefined &&
      context.hasProjectRoot !== false &&
      exact.every((path) => startsWithSegments(path, root)),
    finding,
  };
}
