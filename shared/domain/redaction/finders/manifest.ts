/** Finds the values of a Secret in manifests of Kubernetes, whatever their names are. */
import { isNoSecret } from '../readers/values.ts';
import type { SecretSpan } from '../text/marker.ts';

const SECRET = /^[ \t]{0,40}["']?kind["']?:[ \t]{0,4}["']?Secret["']?[ \t]{0,4},?\r?$/gm;
const KEY = /^([ \t]{0,40})(?:data|stringData):[ \t]{0,4}\r?$/;
const VALUE =
  /^([ \t]{1,60})["']?[A-Za-z0-9._-]{1,253}["']?:[ \t]{1,4}["']?(?:![a-z]{1,10}[ \t])?([^\s"'|>&*{[][^"'\n]{1,4095})["']?[ \t]{0,4}\r?$/;
const DOCUMENT_END = /^(?:---|\.\.\.)/;

/** Documents of one text stand apart by `---`. */
export function manifestSecrets(text: string): SecretSpan[] {
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
      found.push({ start, end: start + value.trimEnd().length, kind: 'kubernetes secret' });
    }
    const [, key] = KEY.exec(line) ?? [];
    if (key !== undefined) within = key.length;
  }
  return found;
}
