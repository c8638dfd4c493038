/** Walks a shell tree and lists simple commands with directory, input and redirections. */
import type { WorkBudget } from '../syntax/budget.ts';
import type { Assignment, FreeWord, ShellCommand, ShellRedirect, Stdin } from '../syntax/command.ts';
import { type Field, fieldOf } from '../syntax/fields.ts';
import type { ShellNode, ShellTree } from '../syntax/tree.ts';
import { type Atom, readWord, type WordReader, walkSubstitutions } from '../syntax/word.ts';
import { printsLocation } from './known-output.ts';
import { isRelative, LOST, namesRelative } from './lost-folder.ts';
import {
  addWord,
  alternativesOf,
  assignedByLoop,
  assignedName,
  CONTAINERS,
  fileInput,
  followed,
  givesInput,
  groupsOf,
  hasOperator,
  hasWordsBehindBoth,
  isDescriptor,
  LOOPS,
  NO_COMMANDS,
  NOT_PARSED,
  readHeredoc,
  testDoubts,
  testFields,
  testFormDoubts,
  timesAssignment,
  unescapeBackticks,
  type WalkOptions,
  WORDS,
  withRedirects,
} from './walk-helpers.ts';
import { WalkScope } from './walk-scope.ts';
import { assignmentIn, declaredFields, fieldsIn, fieldsOf, uniformWord } from './walk-words.ts';

const INHERITED: Stdin = { kind: 'inherited' };
const MAX_COMMANDS = 5000;

export class ShellWalk implements WordReader {
  readonly text: string;
  readonly budget: WorkBudget;
  readonly commands: ShellCommand[] = [];
  readonly redirects: ShellRedirect[] = [];
  /** Words that are no arguments and yet may name paths: the values of a loop. */
  readonly words: FreeWord[] = [];
  /** Code that the parser read otherwise than a shell does: to be parsed on its own. */
  readonly codes: { readonly code: string; readonly dir: string }[] = [];
  readonly doubts = new Set<string>();
  /** Commands whose output another command or a word is made of. */
  readonly captured = new Set<ShellCommand>();
  readonly scope: WalkScope;
  /** Commands outside of `>(…)`, which print into those within. */
  readonly #outside: ShellCommand[] = [];
  readonly #fed = new Set<ShellCommand>();
  #input: Stdin = INHERITED;
  #isOutside = true;
  #combinations = 1;

  constructor(tree: ShellTree, options: WalkOptions) {
    this.text = tree.text;
    this.budget = options.budget;
    this.scope = new WalkScope(options, (why) => this.doubt(why));
    if (tree.broken) this.doubts.add(NOT_PARSED);
    this.#statement(tree.root, INHERITED, []);
  }

  doubt(why: string): void {
    this.doubts.add(why);
  }

  /** Walks the commands within, which run in a shell of their own. True: the result is a location, as that of the pipe `<(…)` always is. */
  substitution(node: ShellNode): boolean {
    // Within double quotes the parser takes the blanks before a substitution into it.
    const text = this.#slice(node).trimStart();
    if (text.startsWith('`') && text.includes('\\')) {
      // Within backticks a backslash takes the next backtick, dollar or backslash: the parser does not see that.
      this.doubt('a backslash within backticks');
      this.codes.push({ code: unescapeBackticks(text.slice(1, -1)), dir: this.scope.directory.path });
    }
    const from = this.commands.length;
    const isOutside = this.#isOutside;
    const input: Stdin = text.startsWith('>') ? { kind: 'pipe', from: this.#outside } : INHERITED;
    this.#isOutside &&= input === INHERITED;
    this.scope.apart(() => {
      for (const child of node.children) this.#statement(child, input, []);
    });
    this.#isOutside = isOutside;
    const within = this.commands.slice(from);
    for (const command of within) this.captured.add(command);
    return node.type === 'process_substitution' || printsLocation(within);
  }

  #slice(node: ShellNode): string {
    return this.text.slice(node.start, node.end);
  }

  #statement(node: ShellNode, stdin: Stdin, extra: readonly ShellNode[]): void {
    if (!node.named || node.type === 'comment' || !this.budget.spend(1)) return;
    switch (node.type) {
      case 'command':
        this.#command(node, stdin, extra);
        return;
      case 'pipeline':
        this.#pipeline(node, stdin);
        return;
      case 'list':
        this.#list(node, stdin);
        return;
      case 'redirected_statement':
        this.#redirected(node, stdin);
        return;
      case 'subshell':
        this.scope.apart(() => this.#children(node, stdin));
        return;
      case 'variable_assignment':
        this.#emit([], [assignmentIn(node, this)], stdin);
        return;
      case 'declaration_command':
      case 'unset_command':
        this.#emit(declaredFields(node, this), [], stdin);
        return;
      case 'test_command': {
        const fields = testFields(node, this);
        for (const why of [...testDoubts(fields), ...testFormDoubts(node, this.text)]) this.doubt(why);
        this.#emit(fields, [], stdin);
        return;
      }
      case 'for_statement':
        this.#loop(node, stdin);
        return;
      case 'case_statement':
        this.#case(node, stdin);
        return;
      case 'function_definition':
        this.doubt('a function definition');
        this.scope.apart(() => this.#children(node, stdin));
        return;
      case 'c_style_for_statement':
        this.doubt('arithmetic');
        walkSubstitutions(node, this);
        this.#children(node, stdin);
        return;
      default:
        if (CONTAINERS.has(node.type)) {
          if (node.children[0] !== undefined && this.#slice(node.children[0]) === '((') {
            this.doubt('arithmetic');
            walkSubstitutions(node, this);
            return;
          }
          const loop = LOOPS.has(node.type);
          const before = this.scope.directory;
          if (loop || node.type.endsWith('_clause')) this.scope.maybe(() => this.#children(node, stdin), loop);
          else this.#children(node, stdin);
          if (node.type === 'while_statement') this.scope.turns(before, () => this.#children(node, stdin));
          return;
        }
        if (node.type === 'word' || node.type === 'variable_name') return;
        this.doubt(`a construct of an unknown kind (${node.type})`);
        walkSubstitutions(node, this);
        this.#children(node, stdin);
    }
  }

  #children(node: ShellNode, stdin: Stdin): void {
    const [always, then, others] = alternativesOf(node.children);
    this.#each(always, stdin);
    this.scope.maybe(() => this.#each(then, stdin));
    this.#each(others, stdin);
  }

  #each(nodes: readonly ShellNode[], stdin: Stdin): void {
    nodes.forEach((node, at) => {
      if (nodes[at + 1]?.type === '&') this.scope.apart(() => this.#statement(node, stdin, []));
      else this.#statement(node, stdin, []);
    });
  }

  #list(node: ShellNode, stdin: Stdin): void {
    const before = this.scope.directory;
    for (const [at, { operator, nodes }] of groupsOf(node).entries()) {
      if (operator === '&&') this.scope.afterMove();
      if (at === 0) this.#chain(nodes, stdin);
      else this.scope.maybe(() => this.#chain(nodes, stdin));
    }
    this.scope.orStayed(before);
  }

  /** `cd a && b`: the second runs only where the first has worked. */
  #chain(nodes: readonly ShellNode[], stdin: Stdin): void {
    for (const [at, node] of nodes.entries()) {
      if (at > 0) this.scope.afterMove();
      this.#statement(node, stdin, []);
      if (node.type !== 'command' && node.type !== 'redirected_statement') this.scope.forgetMove();
    }
  }

  /** Each member has the output of the one before it as its input. */
  #pipeline(node: ShellNode, stdin: Stdin): void {
    let input = stdin;
    for (const child of node.children) {
      if (!child.named || child.type === 'comment') continue;
      if (child.type === 'negated_command' && input !== stdin) this.doubt('a negation within a pipe');
      const from = this.commands.length;
      this.scope.apart(() => this.#statement(child, input, []));
      input = { kind: 'pipe', from: this.#madeSince(from) };
    }
  }

  /** Without those in `>(…)` that these print into: no command is the source of its own input. */
  #madeSince(from: number): readonly ShellCommand[] {
    return this.commands.slice(from).filter((each) => !this.#isOutside || !this.#fed.has(each));
  }

  #redirected(node: ShellNode, stdin: Stdin): void {
    const body = node.children.find((child) => child.named && !child.type.endsWith('_redirect'));
    const redirects = node.children.filter((child) => child.type.endsWith('_redirect'));
    if (body?.type === 'list' || body?.type === 'pipeline') {
      this.#statement(withRedirects(body, redirects), stdin, []);
      return;
    }
    const extra: ShellNode[] = [];
    const later: ShellNode[] = [];
    let input = stdin;
    for (const redirect of redirects) input = this.#redirect(redirect, input, extra, later);
    if (redirects.filter((redirect) => redirect.type === 'heredoc_redirect').length > 1)
      this.doubt('more than one here-document');
    if (extra.length > 0 && hasWordsBehindBoth([...redirects, ...extra], this.text))
      this.doubt('words behind a redirection that some shells read as the end of the command');
    const from = this.commands.length;
    if (body !== undefined) this.#statement(body, input, extra);
    if (body?.type !== 'command' && extra.length > 0) {
      // Words behind the redirection are arguments that the tree does not give to a command.
      this.doubt('words after a redirection');
      for (const node of extra) fieldsIn(node, this);
    }
    const made: Stdin = { kind: 'pipe', from: this.#madeSince(from) };
    for (const each of later) this.#statement(each, each.type === 'pipeline' ? made : INHERITED, []);
  }

  /** Records a redirection's target. `extra` takes words of the command, `later` the nodes that follow a here-document's start. */
  #redirect(node: ShellNode, stdin: Stdin, extra: ShellNode[], later: ShellNode[]): Stdin {
    const start = this.commands.length;
    if (node.type === 'herestring_redirect') {
      const word = node.children.find((child) => WORDS.has(child.type));
      const field = word === undefined ? undefined : fieldOf(readWord(word, this));
      return { kind: 'text', text: field?.isKnown === true ? field.text : undefined, from: this.#madeSince(start) };
    }
    if (node.type === 'heredoc_redirect') return this.#heredoc(node, extra, later);
    const operator = node.children.find((child) => !child.named);
    const symbol = operator === undefined ? '' : this.#slice(operator);
    const [target, ...rest] = node.children.filter((child) => child.named && child.type !== 'file_descriptor');
    extra.push(...rest);
    if (target === undefined) {
      // `>&-` closes a descriptor.
      if (!symbol.endsWith('-')) this.doubt('a redirection without a target');
      return stdin;
    }
    const descriptor = node.children.find((child) => child.type === 'file_descriptor');
    if (descriptor !== undefined && descriptor.end - descriptor.start > 1)
      this.doubt('a descriptor that some shells read as a word');
    if ((symbol === '>&' || symbol === '<&') && isDescriptor(this.#slice(target))) return stdin;
    const reads = symbol === '<' || symbol === '<&';
    const fields = fieldsIn(target, this);
    if (fields.length !== 1) this.doubt('a redirection to more than one word');
    if (this.scope.isLost && fields.some(isRelative)) this.doubt(LOST);
    for (const field of fields) {
      this.redirects.push({
        access: reads ? 'read' : 'write',
        target: field,
        dir: this.scope.directory.path,
        otherDirs: this.scope.directory.others,
        dirAllowed: this.scope.directory.allowed,
      });
    }
    if (!reads) return stdin;
    if (target.type !== 'process_substitution') return fileInput(descriptor, this.text, fields[0]);
    return { kind: 'process', from: this.#madeSince(start) };
  }

  #heredoc(node: ShellNode, extra: ShellNode[], later: ShellNode[]): Stdin {
    const { body, quoted, doubts } = readHeredoc(node, this.text);
    for (const why of doubts) this.doubt(why);
    if (body !== undefined && !quoted) {
      walkSubstitutions(body, this);
      if (hasOperator(body)) this.doubt('an expansion with an operator');
    }
    for (const child of node.children) {
      if (!child.named || child.type.startsWith('heredoc_') || child.type === 'file_descriptor') continue;
      if (child.type.endsWith('_redirect')) this.#redirect(child, INHERITED, extra, later);
      else if (WORDS.has(child.type)) extra.push(child);
      else later.push(child);
    }
    return { kind: 'text', text: body === undefined ? '' : this.#slice(body) };
  }

  #command(node: ShellNode, stdin: Stdin, extra: readonly ShellNode[]): void {
    const name = node.children[0];
    if (name?.type === 'command_name' && NO_COMMANDS.has(this.#slice(name))) this.doubt('a reserved word as a command');
    const assignments: Assignment[] = [];
    const words: (Atom[] | Field)[] = [];
    const more: ShellNode[] = [];
    const later: ShellNode[] = [];
    const restores: (() => void)[] = [];
    let input = stdin;
    let end = -1;
    const children = extra.length === 0 ? node.children : [...node.children, ...extra];
    for (let at = 0; at < children.length; at++) {
      const child = children[at] as ShellNode;
      if (child.type === 'variable_assignment') {
        restores.unshift(this.scope.variables.keep(assignedName(child, this.text)));
        assignments.push(assignmentIn(child, this));
      } else if (child.type.endsWith('_redirect')) {
        input = this.#redirect(child, input, more, later);
      } else if (child.type !== 'comment') {
        const isAlone = child.start !== end && children[at + 1]?.start !== child.end;
        const field = isAlone ? uniformWord(child, this.text) : undefined;
        if (field !== undefined) words.push(field);
        else addWord(child, words, child.start === end, this);
      }
      end = child.end;
    }
    for (const child of more) addWord(child, words, false, this);
    if (words.length > 0) {
      // `X=1 cmd $X`: the shell expands `$X` before the assignment takes effect, and it ends with the command.
      for (const restore of restores) restore();
    }
    if (hasWordsBehindBoth(children, this.text))
      this.doubt('words behind a redirection that some shells read as the end of the command');
    const argv = words.flatMap((word) => fieldsOf(word, this));
    if (timesAssignment(argv)) this.doubt('an assignment behind time');
    this.#emit(argv, assignments, input);
    this.scope.variables.afterDeclaration(argv);
    for (const each of later) this.#statement(each, INHERITED, []);
  }

  #loop(node: ShellNode, stdin: Stdin): void {
    const name = node.children.find((child) => child.type === 'variable_name');
    const words = node.children.filter((child) => child !== name && WORDS.has(child.type));
    const values = words.flatMap((child) => fieldsIn(child, this));
    const bodies = node.children.filter((child) => child.named && child !== name && !WORDS.has(child.type));
    const variable = name === undefined ? '' : this.#slice(name);
    const combinations = followed(values, this.#combinations);
    // The values are words that a command may be given: as paths they are looked at like arguments.
    for (const field of values)
      this.words.push({ field, dir: this.scope.directory.path, otherDirs: this.scope.directory.others });
    const outside = this.#combinations;
    this.#combinations = combinations ?? outside;
    for (const value of combinations === undefined ? [undefined] : values) {
      for (const each of assignedByLoop(variable, value)) this.#emit([], [each], stdin);
      if (value?.hasGlob === true) this.scope.variables.setPattern(variable, value);
      else this.scope.variables.set(variable, value?.text, values);
      const before = this.scope.directory;
      this.#each(bodies, stdin);
      if (combinations === undefined || value?.hasGlob === true)
        this.scope.turns(before, () => this.#each(bodies, stdin));
    }
    this.#combinations = outside;
  }

  #case(node: ShellNode, stdin: Stdin): void {
    for (const child of node.children) {
      if (child.type === 'case_item') {
        const end = child.children.findIndex((part) => part.type === ')');
        for (const part of child.children.slice(0, end)) if (part.named) this.#quiet(part);
        this.scope.maybe(() => this.#each(child.children.slice(end), stdin));
      } else if (child.named) {
        this.#quiet(child);
      }
    }
  }

  #quiet(node: ShellNode): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.substitution(node);
    else walkSubstitutions(node, this);
  }

  #emit(argv: readonly Field[], assignments: readonly Assignment[], stdin: Stdin): void {
    if (this.commands.length >= MAX_COMMANDS || !this.budget.spend(1)) {
      this.doubt('too many commands');
      return;
    }
    const { path, allowed, others } = this.scope.directory;
    const command: ShellCommand = {
      argv,
      assignments,
      stdin: stdin.kind === 'inherited' ? this.#input : stdin,
      dir: path,
      otherDirs: others,
      dirAllowed: allowed,
    };
    this.commands.push(command);
    if (this.#isOutside) this.#outside.push(command);
    else this.#fed.add(command);
    if (givesInput(argv, stdin)) this.#input = stdin;
    if (this.scope.isLost && namesRelative(argv)) this.doubt(LOST);
    this.scope.afterCommand(argv);
  }
}
