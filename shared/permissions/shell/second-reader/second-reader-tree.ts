/** Lists the facts of a shell text as the first reader's tree shows them. */
import type { WorkBudget } from '../syntax/budget.ts';
import type { ShellNode, ShellTree } from '../syntax/tree.ts';
import { readWord, type WordReader, walkSubstitutions } from '../syntax/word.ts';
import { assignedNode, WORDS } from '../walk/walk-helpers.ts';
import { EXPANSION, isPlainSource, type ReadWord, redirectFact, spanFact, wordsFact } from './second-reader-facts.ts';

/** Constructs that both readers give one node; `((` and `{` share a type. */
const CONSTRUCTS: ReadonlyMap<string, string> = new Map([
  ['subshell', '('],
  ['if_statement', 'if'],
  ['while_statement', 'while'],
  ['c_style_for_statement', 'for (('],
]);
/** Operands of `[[` that are no words elsewhere. */
const PATTERNS: ReadonlySet<string> = new Set(['regex', 'extglob_pattern']);

export class TreeReading implements WordReader {
  readonly text: string;
  readonly budget: WorkBudget;
  readonly facts: string[] = [];

  constructor(tree: ShellTree, budget: WorkBudget) {
    this.text = tree.text;
    this.budget = budget;
    this.#read(tree.root);
  }

  /** The walk over the same tree has made the doubts. */
  doubt(): void {}

  substitution(node: ShellNode): boolean {
    // Within double quotes the parser takes the blanks before it into it.
    const source = this.text.slice(node.start, node.end);
    const start = node.end - source.trimStart().length;
    this.facts.push(spanFact('substitution', { start, end: node.end }));
    this.#all(node.children);
    return false;
  }

  #all(nodes: readonly ShellNode[]): void {
    for (const node of nodes) this.#read(node);
  }

  #read(node: ShellNode, more: readonly ShellNode[] = []): void {
    switch (node.type) {
      case 'comment':
        return;
      case '&':
        this.facts.push(`& ${node.start}`);
        return;
      case 'command':
      case 'declaration_command':
      case 'unset_command':
      case 'variable_assignment':
      case 'variable_assignments':
        this.#command(node, more);
        return;
      case 'redirected_statement':
        this.#redirected(node, more);
        return;
      case 'file_redirect':
      case 'herestring_redirect':
      case 'heredoc_redirect':
        this.#redirected({ ...node, children: [node] }, more);
        return;
      case 'test_command':
        this.#test(node);
        return;
      case 'for_statement':
        this.#loop(node);
        return;
      case 'case_statement':
        this.#case(node);
        return;
      case 'function_definition':
        this.facts.push(`function ${node.start}`);
        this.#all(node.children.slice(1));
        return;
      case 'compound_statement':
        this.#compound(node);
        return;
      default:
        this.#construct(node);
    }
  }

  #construct(node: ShellNode): void {
    const kind = CONSTRUCTS.get(node.type);
    if (kind !== undefined) this.facts.push(spanFact(kind, node));
    if (node.type !== 'c_style_for_statement') {
      this.#all(node.children);
      return;
    }
    for (const child of node.children) {
      if (child.type === 'do_group') this.#read(child);
      else if (child.type === 'compound_statement') this.#all(child.children);
      else this.#quiet(child);
    }
  }

  #compound(node: ShellNode): void {
    if (this.text.slice(node.start, node.end) === '{}') {
      // To a shell it is the name of a command; `find` and `xargs` put another word there.
      this.#emit([], [{ start: node.start, end: node.end, content: '{}' }]);
      return;
    }
    const isArithmetic = node.children[0]?.type === '((';
    this.facts.push(spanFact(isArithmetic ? '((' : '{', node));
    if (isArithmetic) walkSubstitutions(node, this);
    else this.#all(node.children);
  }

  #command(node: ShellNode, more: readonly ShellNode[]): void {
    const parts: ShellNode[] = [];
    const assignments: ReadWord[] = [];
    const isDeclaration = node.type === 'declaration_command' || node.type === 'unset_command';
    const nodes = node.type === 'variable_assignment' ? [node] : node.children;
    for (const child of [...nodes, ...more]) {
      if (child.type === 'comment') continue;
      if (child.type.endsWith('_redirect')) this.#redirect(child, parts);
      else if (child.type === 'variable_assignment' && !isDeclaration) assignments.push(this.#word([child]));
      else parts.push(child);
    }
    this.#emit(assignments, this.#words(parts));
  }

  #emit(assignments: readonly ReadWord[], words: readonly ReadWord[]): void {
    if (assignments.length > 0) this.facts.push(wordsFact('assign', assignments));
    if (words.length > 0) this.facts.push(wordsFact('command', words));
  }

  /** Nodes without a blank between them are one word. */
  #words(nodes: readonly ShellNode[]): ReadWord[] {
    const groups: ShellNode[][] = [];
    for (const node of [...nodes].sort((a, b) => a.start - b.start)) {
      const last = groups.at(-1);
      if (last?.at(-1)?.end === node.start) last.push(node);
      else groups.push([node]);
    }
    return groups.map((group) => this.#word(group));
  }

  #word(nodes: readonly ShellNode[]): ReadWord {
    const span = { start: nodes[0]?.start ?? 0, end: nodes.at(-1)?.end ?? 0 };
    if (isPlainSource(this.text, span)) return span;
    return { ...span, content: nodes.map((node) => this.#content(node)).join('') };
  }

  #content(node: ShellNode): string {
    if (node.type === 'variable_assignment') return this.#assignment(node);
    const isWord = WORDS.has(node.type) || node.type === 'command_name';
    if (isWord)
      return readWord(node, this)
        .map((atom) => (atom.kind === 'char' ? atom.char : EXPANSION))
        .join('');
    if (node.named) {
      walkSubstitutions(node, this);
      return EXPANSION;
    }
    // `$"…"` comes as a `$` and a string.
    const source = this.text.slice(node.start, node.end);
    return source === '$' ? '' : source;
  }

  #assignment(node: ShellNode): string {
    const target = assignedNode(node);
    const operator = node.children.find((child) => !child.named);
    if (target?.type === 'subscript') walkSubstitutions(target, this);
    let content = this.text.slice(node.start, operator?.end ?? node.end);
    for (const value of node.children) {
      if (!value.named || value === target) continue;
      if (value.type === 'array') walkSubstitutions(value, this);
      content += value.type === 'array' ? EXPANSION : this.#content(value);
    }
    return content;
  }

  #redirected(node: ShellNode, more: readonly ShellNode[]): void {
    const words: ShellNode[] = [...more];
    for (const child of node.children) if (child.type.endsWith('_redirect')) this.#redirect(child, words);
    const body = node.children.find((child) => child.named && !child.type.endsWith('_redirect'));
    if (body !== undefined) this.#read(body, words);
    else this.#emit([], this.#words(words));
  }

  /** `words` takes those behind the target: they belong to the command. */
  #redirect(node: ShellNode, words: ShellNode[]): void {
    if (node.type === 'heredoc_redirect') {
      this.#heredoc(node, words);
      return;
    }
    const named = node.children.filter((child) => child.named);
    const descriptor = named.find((child) => child.type === 'file_descriptor');
    const [target, ...rest] = named.filter((child) => child !== descriptor);
    const sign = node.children.find((child) => !child.named) ?? node;
    const operator = this.text.slice(sign.start, sign.end);
    const closes = target === undefined && operator.endsWith('-');
    this.facts.push(
      redirectFact(
        node.start,
        descriptor === undefined ? '' : this.text.slice(descriptor.start, descriptor.end),
        closes ? operator.slice(0, -1) : operator,
        closes ? { start: sign.end - 1, end: sign.end } : target && this.#word([target]),
      ),
    );
    words.push(...rest);
  }

  #heredoc(node: ShellNode, words: ShellNode[]): void {
    const child = (type: string) => node.children.find((each) => each.type === type);
    const [start, body, end] = [child('heredoc_start'), child('heredoc_body'), child('heredoc_end')];
    this.facts.push(
      wordsFact(
        `here-document ${node.start}`,
        [start, end].flatMap((each) => (each === undefined ? [] : [{ start: each.start, end: each.end }])),
      ),
    );
    const delimiter = start === undefined ? '' : this.text.slice(start.start, start.end);
    const isQuoted = ["'", '"', '\\'].some((char) => delimiter.includes(char));
    if (body !== undefined && !isQuoted) walkSubstitutions(body, this);
    // Words behind the delimiter, on its line, hang below the here-document.
    for (const each of node.children) {
      if (each.type.endsWith('_redirect')) this.#redirect(each, words);
      else if (WORDS.has(each.type)) words.push(each);
      else if (each.named && !each.type.startsWith('heredoc_') && each.type !== 'file_descriptor') this.#read(each);
    }
  }

  /** `[` is a command with words; `[[` a construct with operands. */
  #test(node: ShellNode): void {
    const [open] = node.children;
    if (open !== undefined && open.end - open.start === 2) {
      this.facts.push(spanFact('[[', node), wordsFact('operands', this.#operands(node)));
    } else {
      this.#emit([], this.#leaves(node));
    }
  }

  #leaves(node: ShellNode): ReadWord[] {
    return node.children.flatMap((child) =>
      WORDS.has(child.type) || child.children.length === 0 ? [this.#word([child])] : this.#leaves(child),
    );
  }

  #operands(node: ShellNode): ReadWord[] {
    return node.children.flatMap((child) => {
      if (!PATTERNS.has(child.type) && !WORDS.has(child.type)) return this.#operands(child);
      this.#quiet(child);
      return [{ start: child.start, end: child.end }];
    });
  }

  #loop(node: ShellNode): void {
    const name = node.children.find((child) => child.type === 'variable_name');
    const words = node.children.filter((child) => child !== name && WORDS.has(child.type));
    this.facts.push(spanFact('for', node), wordsFact('values', this.#words(words)));
    for (const child of node.children) {
      if (child.type === 'compound_statement') this.#all(child.children);
      else if (child !== name && !WORDS.has(child.type)) this.#read(child);
    }
  }

  #case(node: ShellNode): void {
    this.facts.push(spanFact('case', node));
    for (const child of node.children) {
      if (child.type !== 'case_item') {
        this.#quiet(child);
        continue;
      }
      const end = child.children.findIndex((part) => part.type === ')');
      for (const part of child.children.slice(0, end)) this.#quiet(part);
      this.#all(child.children.slice(end));
    }
  }

  #quiet(node: ShellNode): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.substitution(node);
    else walkSubstitutions(node, this);
  }
}
