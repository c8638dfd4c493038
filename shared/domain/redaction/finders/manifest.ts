/** Finds the values of a Secret in manifests of Kubernetes, whatever their names are. */
import { isNoSecret } from '../readers/values.ts';
import type { SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const SECRET = /^[ \t]{0,40}["']?kind["']?:[ \t]{0,4}["']?Secret["']?[ \t]{0,4},?\r?$/gm;
const KEY = /^([ \t]{0,40})(?:data|stringData):[ \t]{0,4}\r?$/;
const VALUE =
  /^([ \t]{1,60})["']?[A-Za-z0-9._-]{1,253}["']?:[ \t]{1,4}["']?(?:![a-z]{1,10}[ \t])?([^\s"'|>&*{[][^"'\n]{1,262144})["']?[ \t]{0,4}\r?$/;
const DOCUMENT_END = /^(?:---|\.\.\.)/;
/** The same as JSON, whose quotes may be written with backslashes. */
const JSON_SECRET = /\\{0,7}"kind\\{0,7}"\s{0,20}:\s{0,20}\\{0,7}"Secret\\{0,7}"|\bpatch[ \t]{1,8}secrets?[ \t/]/;
const JSON_DATA = /\\{0,7}"(data|stringData)\\{0,7}"\s{0,20}:\s{0,20}\{([^{}]{1,200000})\}/g;
const JSON_VALUE = /"\s{0,20}:\s{0,20}\\{0,7}"([^"\\]{3,65536})/g;
const KIND = 'kubernetes secret';

export const manifestSecrets = (text: string): SecretSpan[] => [...inYaml(text), ...inJson(text), ...inPatches(text)];

/** An entry of a patch in JSON: `{"op":"replace","path":"/data/x","value":…}`, in either order. */
const PATH = String.raw`\\{0,7}"path\\{0,7}"\s{0,20}:\s{0,20}\\{0,7}"\/(data|stringData)\/[^"\\]{1,253}\\{0,7}"`;
const VALUE_OF = String.raw`\\{0,7}"value\\{0,7}"\s{0,20}:\s{0,20}\\{0,7}"`;
const PATCHES = [
  new RegExp(String.raw`${PATH}\s{0,20},\s{0,20}${VALUE_OF}([^"\\]{3,65536})`, 'g'),
  new RegExp(String.raw`${VALUE_OF}([^"\\]{3,65536})(?=\\{0,7}"\s{0,20},\s{0,20}${PATH})`, 'g'),
];

function inPatches(text: string): SecretSpan[] {
  if (!text.includes('"path')) return [];
  const isOfSecret = JSON_SECRET.test(text);
  return PATCHES.flatMap((pattern, order) =>
    matchesOf(text, pattern).flatMap(({ 0: whole, 1: first = '', 2: second = '', index }) => {
      const [name, value] = order === 0 ? [first, second] : [second, first];
      const end = index + whole.length;
      if ((name === 'data' && !isOfSecret) || isNoSecret(value)) return [];
      return [{ start: end - value.length, end, kind: KIND }];
    }),
  );
}

/** `data` of something else may stand in the same text: what says that it is a Secret stands before the next one, or behind the one before. */
function inJson(text: string): SecretSpan[] {
  const all = matchesOf(text, JSON_DATA);
  const kinds = all.length > 1 ? kindsAround(text, new Set(all.map(({ index }) => index))) : NONE;
  return all.flatMap(({ 0: whole, 1: name, 2: items = '', index }, at) => {
    const before = all[at - 1];
    const around = text.slice(before ? before.index + before[0].length : 0, all[at + 1]?.index);
    const own = kinds.get(index);
    const isOfSecret = own?.includes('Secret') || (JSON_SECRET.test(around) && !isOfOther(own));
    if (name === 'data' && !isOfSecret) return [];
    const from = index + whole.length - 1 - items.length;
    return matchesOf(items, JSON_VALUE).flatMap(({ 0: item, 1: value = '', index: start }) => {
      const end = from + start + item.length;
      return isNoSecret(value) ? [] : [{ start: end - value.length, end, kind: KIND }];
    });
  });
}

const NONE: ReadonlyMap<number, readonly string[]> = new Map();
/** Brackets, the kind of an object, and other texts. */
const PARTS = /[{}]|"kind"\s{0,20}:\s{0,20}"([A-Za-z]{1,64})"|"(?:[^"\\]|\\.)*"/g;

/** Whether the object says of itself that it is something else than a Secret. One that says nothing, or that nobody could read, may be one. */
const isOfOther = (kinds: readonly string[] = []): boolean => kinds.length > 0 && !kinds.includes('Secret');

/** The kinds that the object of JSON around each of these places states itself, where its quotes and brackets are those of JSON. */
function kindsAround(text: string, places: ReadonlySet<number>): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  const open: { readonly kinds: string[]; readonly held: number[] }[] = [];
  for (const { 0: part, 1: kind, index } of text.matchAll(PARTS)) {
    if (places.has(index)) open.at(-1)?.held.push(index);
    if (kind !== undefined) open.at(-1)?.kinds.push(kind);
    if (part === '{') open.push({ kinds: [], held: [] });
    if (part !== '}') continue;
    const { kinds, held } = open.pop() ?? { kinds: [], held: [] };
    for (const place of held) found.set(place, kinds);
  }
  return found;
}

/** Documents of one text stand apart by `---`. */
function inYaml(text: string): SecretSpan[] {
  if (text.search(SECRET) < 0) return [];
  const found: SecretSpan[] = [];
  let at = 0;
  let lines: { readonly line: string; readonly at: number }[] = [];
  const end = (): void => {
    if (lines.some(({ line }) => line.search(SECRET) === 0)) found.push(...valuesIn(lines));
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (DOCUMENT_END.test(line)) end();
    else lines.push({ line, at });
    at += line.length + 1;
  }
  end();
  return found;
}

function valuesIn(lines: readonly { readonly line: string; readonly at: number }[]): SecretSpan[] {
  const found: SecretSpan[] = [];
  let within: number | undefined;
  for (const { line, at } of lines) {
    const indent = line.length - line.trimStart().length;
    if (within !== undefined && line.trim() !== '' && indent <= within) within = undefined;
    const [, , value] = (within !== undefined && VALUE.exec(line)) || [];
    if (value !== undefined && value.trim().length >= 3 && !isNoSecret(value.trim())) {
      const start = at + line.indexOf(value, line.indexOf(':') + 1);
      found.push({ start, end: start + value.trimEnd().length, kind: KIND });
    }
    const [, key] = KEY.exec(line) ?? [];
    if (key !== undefined) within = key.length;
  }
  return found;
}
