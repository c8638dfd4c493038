/** Spells the folders that a container is given as `-v SOURCE:TARGET`, for deny and ask rules. */
import { segmentsOf } from '../../../paths/normalise.ts';

/** So many spellings are compared, and one more says that there are others. */
const MAX_SPELLED = 64;
/** The same folder on every system with systemd. */
const RUN = /^\/var\/run(?=\/|$)/;

interface Mount {
  readonly source: string;
  readonly target: string;
}

function mountOf(value: string): Mount | undefined {
  if (!value.includes('=')) {
    const [source = '', ...rest] = value.split(':');
    return { source, target: rest.join(':') };
  }
  const parts = new Map(value.split(',').map((part) => part.split('=', 2) as [string, string]));
  const source = parts.get('source') ?? parts.get('src');
  return source === undefined
    ? undefined
    : { source, target: parts.get('target') ?? parts.get('dst') ?? parts.get('destination') ?? '' };
}

/** Each mount under its source alone, too: a rule on `-v /` speaks of `-v /:/host`. */
export function mountSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (let at = 0; at < words.length && found.length <= MAX_SPELLED; at++) {
    const word = words[at] as string;
    const [, attached] = /^(?:-[a-zA-Z]*?v|--volume(?==)|--mount(?==))=?(.*)$/s.exec(word) ?? [];
    const isNamed = word === '--volume' || word === '--mount';
    if (attached === undefined && !isNamed) continue;
    const isApart = isNamed || attached === '';
    const mount = mountOf(isApart ? (words[at + 1] ?? '') : (attached ?? ''));
    if (mount === undefined || mount.source === '') continue;
    const rest = [...words.slice(0, at), ...words.slice(at + (isApart ? 2 : 1))];
    const { target } = mount;
    const plain = mount.source.startsWith('/') ? `/${segmentsOf(mount.source).join('/')}` : mount.source;
    for (const source of new Set([plain, plain.replace(RUN, '/run'), plain.replace(/^\/run(?=\/|$)/, '/var/run')]))
      found.push(['-v', `${source}:${target}`, ...rest], ['-v', source, ...rest]);
  }
  return found;
}
