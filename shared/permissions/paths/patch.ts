/** Reads from a patch text's headers which files it touches. */

const MARKERS = [
  '*** Add File:',
  '*** Update File:',
  '*** Delete File:',
  '*** Move to:',
  '--- ',
  '+++ ',
  'rename to ',
  'rename from ',
  'copy to ',
  'copy from ',
  'Index: ',
] as const;

/** Git's quotes and, within them, a character's octal number: `"b/\\056env"`. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  const [first = '', ...rest] = text.slice(1, text.endsWith('"') ? -1 : undefined).split('\\');
  return rest.reduce((name, part) => {
    const code = isOctal(part.slice(0, 3)) ? Number.parseInt(part.slice(0, 3), 8) : undefined;
    return name + (code === undefined ? `\\${part}` : String.fromCharCode(code) + part.slice(3));
  }, first);
}

const isOctal = (text: string): boolean => text.length === 3 && [...text].every((char) => char >= '0' && char <= '7');

/** Both the name as it stands and without git's `a/` or `b/`; a time stamp after a tab is cut. */
function namesOf(rest: string): string[] {
  const name = unquoted((rest.split('\t')[0] ?? '').trim());
  if (name === '' || name === '/dev/null') return [];
  return name.startsWith('a/') || name.startsWith('b/') ? [name, name.slice(2)] : [name];
}

export function patchHeaders(text: string): string[] {
  const paths: string[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const marker = MARKERS.find((each) => line.startsWith(each));
    if (marker !== undefined) {
      paths.push(...namesOf(line.slice(marker.length)));
    } else if (line.startsWith('diff -')) {
      for (const part of line.split(' ').slice(1)) if (!part.startsWith('-')) paths.push(...namesOf(part));
    }
  }
  return paths;
}
