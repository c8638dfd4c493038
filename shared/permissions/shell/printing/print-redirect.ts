/** Prints redirections and here-documents in the form that every shell has. */
import { expandBraces } from '../syntax/fields.ts';
import type { ShellNode } from '../syntax/tree.ts';
import { isDescriptor } from '../walk/walk-helpers.ts';
import { isOneWord, unprintable } from './print-word.ts';
import { isRedirect, isWord, type WordPrinter } from './print-words.ts';

const DELIMITER = /^(?:(["'])([A-Za-z_][A-Za-z0-9_]*)\1|(\\?)([A-Za-z_][A-Za-z0-9_]*))$/;

const isHeredoc = ({ type }: ShellNode): boolean => type === 'heredoc_redirect';

/** Words that the parser gives to a redirection, and a shell to its command. */
export function wordsBehind(node: ShellNode): ShellNode[] {
  const named = node.children.filter((child) => child.named && child.type !== 'file_descriptor');
  if (!isHeredoc(node)) return named.slice(1);
  return named.flatMap((child) => (isRedirect(child) ? wordsBehind(child) : isWord(child) ? [child] : []));
}

/** `bodies` takes the body of a here-document, which stands behind the line. */
export function printRedirect(node: ShellNode, words: WordPrinter, bodies: string[]): string {
  if (isHeredoc(node)) return printHeredoc(node, words, bodies);
  if (node.type !== 'file_redirect') return unprintable('a redirection of bash');
  const operator = node.children.find((child) => !child.named)?.type;
  const descriptor = descriptorOf(node, words);
  const [target] = node.children.filter((child) => child.named && child.type !== 'file_descriptor');
  if (target === undefined)
    return operator === '>&-' || operator === '<&-' ? `${descriptor}${operator}` : unprintable('a redirection');
  const text = words.slice(target);
  if ((operator === '>&' || operator === '<&') && isDescriptor(text))
    return text.length === 1 ? `${descriptor}${operator}${text}` : unprintable('a descriptor');
  const atoms = words.atoms(target);
  if (!isOneWord(atoms) || expandBraces(atoms)?.length !== 1) return unprintable('the target of a redirection');
  const printed = words.word(atoms);
  switch (operator) {
    case '<':
    case '>':
    case '>>':
    case '>|':
      return `${descriptor}${operator} ${printed}`;
    // Only bash knows these redirections: dash runs the command before `&>` in the background.
    case '&>':
    case '&>>':
    case '>&':
      if (descriptor !== '' || atoms.some((atom) => atom.kind !== 'char')) return unprintable('a redirection');
      return `${operator === '&>>' ? '>>' : '>'} ${printed} 2>&1`;
    default:
      return unprintable('a redirection');
  }
}

/** Prints a descriptor of one digit only: dash reads two digits as a word. */
function descriptorOf(node: ShellNode, words: WordPrinter): string {
  const descriptor = node.children.find((child) => child.type === 'file_descriptor');
  const text = descriptor === undefined ? '' : words.slice(descriptor);
  return text === '' || (text.length === 1 && text >= '0' && text <= '9') ? text : unprintable('a descriptor');
}

/** Only with a body in which a shell expands nothing. */
function printHeredoc(node: ShellNode, words: WordPrinter, bodies: string[]): string {
  const child = (type: string) => node.children.find((each) => each.type === type);
  const [start, body, end] = [child('heredoc_start'), child('heredoc_body'), child('heredoc_end')];
  const operator = node.children.find((each) => !each.named)?.type;
  const delimiter = DELIMITER.exec(start === undefined ? '' : words.slice(start));
  if (end === undefined || delimiter === null || (operator !== '<<' && operator !== '<<-'))
    return unprintable('a here-document');
  const [, , quotedName, backslash, plainName] = delimiter;
  const name = (quotedName ?? plainName) as string;
  const text = words.text.slice(startOfBody(words.text, (body ?? end).start), end.start);
  const isWhole = body === undefined || body.end === end.start;
  const isLiteral = plainName === undefined || backslash === '\\' || !/[$`\\]/.test(text);
  const isStripped = operator === '<<-' && /^\t/m.test(text);
  const hasLines = text === '' || text.endsWith('\n');
  if (!isWhole || !isLiteral || isStripped || !hasLines || text.split('\n').includes(name))
    return unprintable('a here-document');
  const others = node.children.filter((each) => each.named && !each.type.startsWith('heredoc_'));
  if (!others.every((each) => isRedirect(each) || isWord(each) || each.type === 'file_descriptor'))
    return unprintable('what follows a here-document');
  bodies.push(`${text}${name}\n`);
  const redirects = others.filter(isRedirect).map((each) => printRedirect(each, words, bodies));
  return [`${descriptorOf(node, words)}<<'${name}'`, ...redirects].join(' ');
}

/** The parser leaves blanks and empty lines at its beginning out of the body. */
function startOfBody(text: string, start: number): number {
  const line = text.slice(0, start).trimEnd().length;
  return text.indexOf('\n', line) + 1;
}
