/** Prints the tree of a shell text in one fixed form, as the gate has read it. */
import type { WorkBudget } from '../syntax/budget.ts';
import type { ShellNode, ShellTree } from '../syntax/tree.ts';
import type { Atom } from '../syntax/word.ts';
import { NO_COMMANDS } from '../walk/walk-helpers.ts';
import {
  type CompoundPrinter,
  closed,
  open,
  printCase,
  printCondition,
  printFor,
  printWhile,
  type Statements,
} from './print-compound.ts';
import { printRedirect, wordsBehind } from './print-redirect.ts';
import { unprintable } from './print-word.ts';
import { isComment, isRedirect, WordPrinter } from './print-words.ts';

/** @throws UnprintableError if shells may read the text in more than one way. */
export function printTree({ text, root, broken }: ShellTree, budget: WorkBudget): string {
  if (broken) return unprintable('a text that does not parse');
  return new TreePrinter(text, budget).statements(root.children).text;
}

class TreePrinter implements CompoundPrinter {
  readonly words: WordPrinter;
  /** Bodies of here-documents, to be printed behind the line. */
  #bodies: string[] = [];
  /** How many bodies wait for the line of a statement around this one. */
  #waiting = 0;

  constructor(text: string, budget: WorkBudget) {
    this.words = new WordPrinter(text, budget, (nodes) => this.statements(nodes).text);
  }

  /** The statements between two keywords or brackets, or of the whole text. */
  statements(nodes: readonly ShellNode[]): Statements {
    const outside = { bodies: this.#bodies, waiting: this.#waiting };
    this.#waiting += this.#bodies.length;
    this.#bodies = [];
    let text = '';
    let separator = '';
    for (const node of nodes) {
      if (isComment(node) || node.type === '\n') continue;
      if (node.named) {
        if (text !== '') text += this.#behind(separator);
        text += this.#statement(node);
        separator = '; ';
      } else {
        if (text === '' || separator === ' & ' || (node.type !== ';' && node.type !== '&'))
          return unprintable('a separator');
        if (node.type === '&') separator = ' & ';
      }
    }
    if (text === '') return unprintable('an empty list');
    const end = this.#behind(separator === '; ' ? '' : separator).replace(/ $/, '');
    this.#bodies = outside.bodies;
    this.#waiting = outside.waiting;
    return { text: text + end, isClosed: end !== '' };
  }

  /** The separator behind a statement, with the here-documents of its line. */
  #behind(separator: string): string {
    if (this.#bodies.length === 0) return separator;
    // Shells disagree whose body comes first.
    if (this.#waiting > 0) return unprintable('a here-document within another');
    const bodies = this.#bodies.join('');
    this.#bodies = [];
    return `${separator === ' & ' ? ' &' : ''}\n${bodies}`;
  }

  #statement(node: ShellNode, extra: readonly ShellNode[] = []): string {
    if (!this.words.budget.spend(1)) return unprintable('too much to print');
    if (extra.length > 0 && node.type !== 'command') return unprintable('words behind a redirection');
    switch (node.type) {
      case 'command':
        return this.#command(node, extra);
      case 'pipeline':
        return this.#pipeline(node);
      case 'list':
        return this.#list(node);
      case 'redirected_statement':
        return this.#redirected(node);
      case 'negated_command':
        return `! ${this.#only(node.children.slice(1))}`;
      case 'subshell':
        return `( ${open(this.#within(node, '(', ')'))})`;
      case 'compound_statement':
        return `{ ${closed(this.#within(node, '{', '}'))}}`;
      case 'variable_assignment':
        return this.words.assignment(node);
      case 'variable_assignments':
        return node.children.map((child) => this.words.assignment(child)).join(' ');
      case 'declaration_command':
        return this.words.declaration(node);
      case 'unset_command':
        return this.#unset(node);
      case 'test_command':
        return this.words.test(node);
      case 'if_statement':
        return printCondition(node, 'if', this);
      case 'while_statement':
        return printWhile(node, this);
      case 'for_statement':
        return printFor(node, this);
      case 'case_statement':
        return printCase(node, this);
      default:
        return unprintable(node.type);
    }
  }

  #within({ children }: ShellNode, first: string, last: string): Statements {
    if (children[0]?.type !== first || children.at(-1)?.type !== last) return unprintable('a group');
    return this.statements(children.slice(1, -1));
  }

  /** The one statement that a construct has. */
  #only(nodes: readonly ShellNode[], extra: readonly ShellNode[] = []): string {
    const [node, ...others] = nodes.filter((each) => !isComment(each));
    if (!node?.named || others.length > 0) return unprintable('a construct of more parts');
    return this.#statement(node, extra);
  }

  #pipeline({ children }: ShellNode): string {
    const parts = children.filter((child) => !isComment(child) && child.type !== '\n');
    const printed = parts.map((child, at) => {
      // Dash has no `|&`.
      if (!child.named) return child.type === '|' ? '|' : child.type === '|&' ? '2>&1 |' : unprintable('an operator');
      const isNegation = child.type === 'negated_command' && at > 0;
      return isNegation || child.type === 'list' ? unprintable('a pipeline') : this.#statement(child);
    });
    return printed.join(' ');
  }

  #list({ children }: ShellNode): string {
    const parts = children.filter((child) => !isComment(child) && child.type !== '\n');
    const [left, operator, right, ...others] = parts;
    const isJoined = operator?.type === '&&' || operator?.type === '||';
    if (!left?.named || !isJoined || !right?.named || right.type === 'list' || others.length > 0)
      return unprintable('a list');
    return `${this.#statement(left)} ${operator.type} ${this.#statement(right)}`;
  }

  #command(node: ShellNode, extra: readonly ShellNode[]): string {
    const [first] = node.children;
    if (first?.type === 'command_name' && NO_COMMANDS.has(this.words.slice(first)))
      return unprintable('a reserved word');
    const before: string[] = [];
    const words: Atom[][] = [];
    const behind: string[] = [];
    const more: ShellNode[] = [];
    let end = -1;
    for (const child of [...node.children, ...extra]) {
      if (child.type === 'variable_assignment') {
        before.push(this.words.assignment(child));
      } else if (isRedirect(child)) {
        more.push(...wordsBehind(child));
        behind.push(printRedirect(child, this.words, this.#bodies));
      } else if (!isComment(child)) {
        this.words.add(child, words, child.start === end);
      }
      end = child.end;
    }
    for (const child of more) this.words.add(child, words, false);
    return [...before, ...(words.length > 0 ? [this.words.command(words)] : []), ...behind].join(' ');
  }

  #unset({ children }: ShellNode): string {
    const [keyword, ...names] = children.filter((child) => !isComment(child));
    if (keyword?.type !== 'unset') return unprintable('a declaration');
    return ["'unset'", ...names.flatMap((name) => this.words.expanded(this.words.atoms(name)))].join(' ');
  }

  /** A shell gives a redirection behind a list to its last member, and so does the printed text. */
  #redirected({ children }: ShellNode): string {
    const redirects = children.filter(isRedirect);
    const body = children.filter((child) => !isRedirect(child));
    const statement = this.#only(body, redirects.flatMap(wordsBehind));
    return [statement, ...redirects.map((each) => printRedirect(each, this.words, this.#bodies))].join(' ');
  }
}
