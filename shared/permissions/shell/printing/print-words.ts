/** Prints the words, assignments and declarations of a tree as the gate's word reader reads them. */
import type { WorkBudget } from '../syntax/budget.ts';
import { expandBraces } from '../syntax/fields.ts';
import type { ShellNode } from '../syntax/tree.ts';
import { type Atom, readWord, type WordReader } from '../syntax/word.ts';
import { addWord, assignedNode, testFields, WORDS } from '../walk/walk-helpers.ts';
import { isOneWord, printWord, unprintable } from './print-word.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `time` is a keyword to bash unless it is quoted, as `coproc` is, and so is an option behind it. */
const TIMED = /^[A-Za-z0-9_./]+$/;

export const isComment = ({ type }: ShellNode): boolean => type === 'comment';
export const isWord = ({ type }: ShellNode): boolean => WORDS.has(type);
export const isRedirect = ({ type }: ShellNode): boolean => type.endsWith('_redirect');

export class WordPrinter implements WordReader {
  readonly text: string;
  readonly budget: WorkBudget;
  readonly #printList: (nodes: readonly ShellNode[]) => string;
  /** Substitutions of the word that is being read, in the order of their opaque atoms. */
  #found: string[] = [];
  readonly #substitutions = new Map<Atom, string>();

  constructor(text: string, budget: WorkBudget, printList: (nodes: readonly ShellNode[]) => string) {
    this.text = text;
    this.budget = budget;
    this.#printList = printList;
  }

  slice({ start, end }: ShellNode): string {
    return this.text.slice(start, end);
  }

  /** Refuses to print where the reader is not certain, because a shell may read the text otherwise. */
  doubt(why: string): void {
    unprintable(why);
  }

  substitution(node: ShellNode): boolean {
    const open = node.children[0]?.type;
    // Within backticks a backslash is another one; `<(…)` is a pipe to bash and an error to dash.
    if (open !== '$(' && !(open === '`' && !this.slice(node).includes('\\')))
      unprintable('a substitution of an unusual form');
    const outside = this.#found;
    this.#found = [];
    const text = this.#printList(node.children.slice(1, -1));
    // Blanks keep `$( (a) )` from becoming arithmetic.
    this.#found = [...outside, `$( ${text}${text.endsWith('\n') ? '' : ' '})`];
    return false;
  }

  /** Takes the node as a word of a command, as the walk over the tree does. */
  add(node: ShellNode, words: Atom[][], touching: boolean): void {
    addWord(node, words, touching, this);
    const atoms = words.at(-1) as Atom[];
    this.#keep(atoms);
    refuseEmpty(node, atoms);
  }

  atoms(node: ShellNode): readonly Atom[] {
    const atoms = readWord(node, this);
    this.#keep(atoms);
    refuseEmpty(node, atoms);
    return atoms;
  }

  /** Notes the printed text of each opaque atom in the words that were just read. */
  #keep(atoms: readonly Atom[]): void {
    const opaque = atoms.filter((atom) => atom.kind === 'opaque' && !this.#substitutions.has(atom));
    if (opaque.length !== this.#found.length) unprintable('a part that only the shell can know');
    for (const [at, atom] of opaque.entries()) this.#substitutions.set(atom, this.#found[at] as string);
    this.#found = [];
  }

  /** One word, its braces as they are: a shell expands none in assignments and patterns. */
  word(atoms: readonly Atom[]): string {
    return printWord(atoms, this.#substitutions);
  }

  /** The words that one becomes: dash expands no braces, so that they are expanded here. */
  expanded(atoms: readonly Atom[]): string[] {
    const words = expandBraces(atoms) ?? unprintable('a word that makes too many');
    return words.map((word) => this.word(word));
  }

  command(words: readonly (readonly Atom[])[]): string {
    const [first, ...others] = words.flatMap((atoms) => this.expanded(atoms));
    // An alias takes the next line's words before a shell reads them, keywords too.
    if (first === "'alias'") return unprintable('an alias');
    const isBare = words[0]?.every((atom) => !atom.quoted) === true;
    if (!isBare || (first !== "'time'" && first !== "'coproc'")) return [first, ...others].join(' ');
    const next = words[1]?.map((atom) => (atom.kind === 'char' ? atom.char : '=')).join('') ?? '';
    const isTimed = first === "'time'" && TIMED.test(next);
    return isTimed ? ['time', ...others].join(' ') : unprintable('a keyword of bash');
  }

  /** `[ … ]` as the program that it is: an operator within it is a word, to whatever shell. */
  test(node: ShellNode): string {
    if (node.children[0]?.type !== '[') return unprintable('a test of bash');
    const words = testFields(node, this).map(({ atoms }) => atoms);
    this.#keep(words.flat());
    return words.map((atoms) => this.word(atoms)).join(' ');
  }

  assignment(node: ShellNode): string {
    const target = assignedNode(node);
    const [operator, value, ...others] = node.children.filter((child) => child !== target);
    if (target === undefined || operator?.type !== '=' || others.length > 0 || (value && !isWord(value)))
      return unprintable('an assignment');
    return `${this.variable(target)}=${value ? this.word(this.atoms(value)) : "''"}`;
  }

  variable(node: ShellNode): string {
    const name = this.slice(node);
    return VARIABLE.test(name) ? name : unprintable('the name of a variable');
  }

  /** Leaves the keyword bare, because a shell reads assignments behind it; dash splits unquoted words there. */
  declaration({ children }: ShellNode): string {
    const [keyword, ...parts] = children.filter((child) => !isComment(child));
    if (keyword === undefined || keyword.named) return unprintable('a declaration');
    const printed = parts.flatMap((part) => {
      const value = part.type === 'variable_assignment' ? part.children.at(-1) : part;
      const atoms = value?.named ? this.atoms(value) : [];
      if (!isOneWord(atoms) || atoms.some((atom) => atom.kind === 'char' && atom.char === '~'))
        unprintable('a declaration');
      return value === part ? this.expanded(atoms) : this.assignment(part);
    });
    return [keyword.type, ...printed].join(' ');
  }
}

/** `$x""` is a word where `$x` is none, and the atoms of a word do not hold empty quotes. */
function refuseEmpty(node: ShellNode, atoms: readonly Atom[]): void {
  if (hasEmptyQuotes(node) && atoms.some((atom) => atom.kind !== 'char' && !atom.quoted))
    unprintable('empty quotes beside an expansion');
}

function hasEmptyQuotes(node: ShellNode): boolean {
  const length = node.end - node.start;
  if (node.type === 'string' || node.type === 'raw_string') return length === 2;
  if (node.type === 'ansi_c_string' || node.type === 'translated_string') return length === 3;
  return (node.type === 'concatenation' || node.type === 'command_name') && node.children.some(hasEmptyQuotes);
}
