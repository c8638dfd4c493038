// Makes a jar of a manifest alone, which names the classes to run and the jars beside it.
import { zip } from '../endpoint/zip.ts';

/** @param attributes of the manifest, by name; any length */
export function manifestJar(attributes: Readonly<Record<string, string>>): Uint8Array {
  const lines = Object.entries({ 'Manifest-Version': '1.0', ...attributes }).map(([name, value]) =>
    folded(`${name}: ${value}`),
  );
  return zip({ 'META-INF/MANIFEST.MF': `${lines.join('\r\n')}\r\n\r\n` });
}

/** Lines have at most 72 bytes; a longer one goes on after a line that begins with a blank (JAR File Specification). */
function folded(line: string): string {
  const parts = [line.slice(0, 72)];
  for (let at = 72; at < line.length; at += 71) parts.push(` ${line.slice(at, at + 71)}`);
  return parts.join('\r\n');
}
