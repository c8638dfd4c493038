/** Prints conditions, loops and cases in one fixed form. */
import type { ShellNode } from '../syntax/tree.ts';
import type { Atom } from '../syntax/word.ts';
import { unprintable } from './print-word.ts';
import { isComment, isWord, type WordPrinter } from './print-words.ts';

/** Several statements; `isClosed`: a keyword may follow without a separator. */
export interface Statements {
  readonly text: string;
  readonly isClosed: boolean;
}

export interface CompoundPrinter {
  readonly words: WordPrinter;
  statements(nodes: readonly ShellNode[]): Statements;
}

/** The parser takes them for one word of a kind of its own. */
const PLAIN_PATTERN = /^[A-Za-z0-9_.*?/-]+$/;

/** With a separator behind it, for a keyword to follow. */
export function closed({ text, isClosed }: Statements): string {
  if (!isClosed) return `${text}; `;
  return text.endsWith('\n') ? text : `${text} `;
}

/** Without one, for a bracket to follow. */
export const open = ({ text }: Statements): string => (text.endsWith('\n') ? text : `${text} `);

export function printCondition({ children }: ShellNode, keyword: 'if' | 'elif', printer: CompoundPrinter): string {
  const then = children.findIndex(({ type }) => type === 'then');
  const clauses = children.filter(({ type }) => type === 'elif_clause' || type === 'else_clause');
  const end = children.findIndex((child, at) => at > then && (clauses.includes(child) || child.type === 'fi'));
  if (children[0]?.type !== keyword || then < 0) return unprintable('a condition');
  const condition = closed(printer.statements(children.slice(1, then)));
  const body = closed(printer.statements(children.slice(then + 1, end < 0 ? undefined : end)));
  const others = clauses.map((clause) =>
    clause.type === 'elif_clause'
      ? printCondition(clause, 'elif', printer)
      : `else ${closed(printer.statements(clause.children.slice(1)))}`,
  );
  return `${keyword} ${condition}then ${body}${others.join('')}${keyword === 'if' ? 'fi' : ''}`;
}

export function printWhile({ children }: ShellNode, printer: CompoundPrinter): string {
  const keyword = children[0]?.type;
  const body = children.at(-1);
  if ((keyword !== 'while' && keyword !== 'until') || body?.type !== 'do_group') return unprintable('a loop');
  return `${keyword} ${closed(printer.statements(children.slice(1, -1)))}${doGroup(body, printer)}`;
}

function doGroup({ children }: ShellNode, printer: CompoundPrinter): string {
  if (children[0]?.type !== 'do' || children.at(-1)?.type !== 'done') return unprintable('a loop');
  return `do ${closed(printer.statements(children.slice(1, -1)))}done`;
}

export function printFor({ children }: ShellNode, printer: CompoundPrinter): string {
  const [keyword, variable, within, ...others] = children.filter((child) => !isComment(child));
  const body = others.at(-1);
  const values = others.slice(0, -1).filter(({ type }) => type !== ';' && type !== '\n');
  const isPlain = keyword?.type === 'for' && variable?.type === 'variable_name' && within?.type === 'in';
  if (!isPlain || body?.type !== 'do_group' || !values.every(isWord)) return unprintable('a loop');
  const { words } = printer;
  const listed = values.flatMap((value) => words.expanded(words.atoms(value)));
  return `for ${words.variable(variable)} ${['in', ...listed].join(' ')}; ${doGroup(body, printer)}`;
}

export function printCase({ children }: ShellNode, printer: CompoundPrinter): string {
  const [keyword, subject, within, ...others] = children.filter((child) => !isComment(child) && child.type !== '\n');
  const isWhole = keyword?.type === 'case' && within?.type === 'in' && others.at(-1)?.type === 'esac';
  if (!isWhole || !subject) return unprintable('a case');
  const items = others.slice(0, -1).map((item) => caseItem(item, printer));
  return ['case', printer.words.word(printer.words.atoms(subject)), 'in', ...items, 'esac'].join(' ');
}

function caseItem({ type, children }: ShellNode, printer: CompoundPrinter): string {
  const head = children.findIndex((child) => child.type === ')');
  const last = children.at(-1)?.type === ';;' ? -1 : undefined;
  const patterns = children.slice(0, Math.max(head, 0)).filter((child) => child.type !== '|' && child.type !== '(');
  if (type !== 'case_item' || patterns.length === 0) return unprintable('a case');
  const body = children.slice(head + 1, last);
  const isEmpty = body.every((child) => isComment(child) || child.type === '\n');
  const printed = patterns.map((pattern) => printer.words.word(patternAtoms(pattern, printer.words)));
  return `${printed.join('|')}) ${isEmpty ? '' : open(printer.statements(body))};;`;
}

function patternAtoms(node: ShellNode, words: WordPrinter): readonly Atom[] {
  if (isWord(node)) return words.atoms(node);
  const text = words.slice(node);
  if (node.type !== 'extglob_pattern' || !PLAIN_PATTERN.test(text)) return unprintable('a pattern');
  return Array.from(text, (char) => ({ kind: 'char', char, quoted: false }));
}
