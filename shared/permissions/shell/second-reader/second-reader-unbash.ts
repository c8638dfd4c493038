/** Lists the facts of a shell text as the second reader's tree shows them. */
import {
  type Assignment,
  type Command,
  type CompoundList,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type Pipeline,
  type PipelinePrefix,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import {
  EXPANSION,
  isPlainSource,
  type ReadWord,
  redirectFact,
  type Span,
  spanFact,
  wordsFact,
} from './second-reader-facts.ts';

/** The second reader reads a text once more for each substitution around it: beyond this depth it is refused. */
const MAX_DEPTH = 40;
/** Unquoted, each of them may make other words of a word. */
const EXPANDED = '*?[]{}~';

/** A word, with its text where that is certain. */
interface Literal extends ReadWord {
  readonly literal: string | undefined;
}

interface Positioned {
  readonly pos: number;
  readonly end: number;
}

const spanOf = ({ pos, end }: Positioned): Span => ({ start: pos, end });

const keywordOf = ({ pos }: Positioned, keyword: string): Span => ({ start: pos, end: pos + keyword.length });

export class UnbashReading {
  readonly facts: string[] = [];
  /** The words of every command that holds no expansion. */
  readonly commands: (readonly string[])[] = [];
  /** The targets of redirections that hold no expansion. */
  readonly targets: string[] = [];
  /** The reader met an error, or a text that is too deep to read. */
  refused = false;
  readonly #text: string;
  #depth = 0;

  constructor(text: string, script: ParsedScript) {
    this.#text = text;
    this.#script(script);
  }

  #script(script: ParsedScript): void {
    // The positions of a script with a source of its own are not those of the text.
    if (script.errors !== undefined || script.source !== undefined) this.refused = true;
    else this.#statements(script.commands);
  }

  #statements(statements: readonly Statement[]): void {
    for (const { command, background, end } of statements) {
      if (background === true) this.facts.push(`& ${end - 1}`);
      this.#node(command);
    }
  }

  #list(list: CompoundList | undefined): void {
    if (list !== undefined) this.#statements(list.commands);
  }

  #node(node: SyntaxNode): void {
    switch (node.type) {
      case 'AndOr':
        for (const command of node.commands) this.#node(command);
        return;
      case 'Pipeline':
        this.#pipeline(node);
        return;
      case 'Command':
        this.#command(node, []);
        return;
      case 'Redirected':
        this.#node(node.command);
        for (const redirect of node.redirects) this.#redirect(redirect);
        return;
      case 'Subshell':
        this.facts.push(spanFact('(', spanOf(node)));
        this.#list(node.body);
        return;
      case 'BraceGroup':
        this.facts.push(spanFact('{', spanOf(node)));
        this.#list(node.body);
        return;
      case 'If':
        this.facts.push(spanFact('if', spanOf(node)));
        for (const { clause, then } of [node, ...node.elif]) {
          this.#list(clause);
          this.#list(then);
        }
        this.#list(node.else);
        return;
      case 'While':
        this.facts.push(spanFact('while', spanOf(node)));
        this.#list(node.clause);
        this.#list(node.body);
        return;
      case 'For':
      case 'Select':
        this.facts.push(spanFact('for', spanOf(node)));
        this.facts.push(
          wordsFact(
            'values',
            (node.wordlist ?? []).map((word) => this.#word(word)),
          ),
        );
        this.#list(node.body);
        return;
      case 'ArithmeticFor':
        this.facts.push(spanFact('for ((', spanOf(node)));
        for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) this.#expansion(part);
        this.#list(node.body);
        return;
      case 'Case':
        this.facts.push(spanFact('case', spanOf(node)));
        this.#expansion(node.word);
        for (const item of node.items) {
          for (const pattern of item.pattern) this.#expansion(pattern);
          this.#list(item.body);
        }
        return;
      case 'Function':
        this.facts.push(`function ${node.pos}`);
        this.#node(node.body);
        return;
      case 'TestCommand':
        this.facts.push(spanFact('[[', spanOf(node)), wordsFact('operands', this.#operands(node)));
        return;
      case 'ArithmeticCommand':
        this.facts.push(spanFact('((', spanOf(node)));
        if (node.expression !== undefined) this.#expansion(node.expression);
        return;
      case 'Coproc':
        // The first reader takes `coproc` for the name of a command.
        if (node.body.type === 'Command') this.#command(node.body, [this.#plain(keywordOf(node, 'coproc'))]);
        else this.refused = true;
        return;
      default:
        this.refused = true;
    }
  }

  #pipeline({ prefixes, commands }: Pipeline): void {
    const lead = prefixes.length === 0 ? [] : this.#lead(prefixes);
    if (commands.length === 0) this.#emit(lead);
    commands.forEach((command, at) => {
      if (at > 0 || lead.length === 0) this.#node(command);
      else if (command.type === 'Command') this.#command(command, lead);
      else {
        this.#emit(lead);
        this.#node(command);
      }
    });
  }

  /** `time`, its options and what stands between it and the command: to the first reader they are words. */
  #lead(prefixes: readonly PipelinePrefix[]): Literal[] {
    const from = prefixes.findIndex(({ type }) => type === 'Time');
    return prefixes.slice(from < 0 ? prefixes.length : from).flatMap((prefix) => {
      const parts =
        prefix.type === 'Time'
          ? [{ pos: prefix.pos, end: prefix.keywordEnd }, prefix.posix, prefix.endOfOptions]
          : [prefix];
      return parts.flatMap((part) => (part === undefined ? [] : [this.#plain(spanOf(part))]));
    });
  }

  #command(node: Command, lead: readonly Literal[]): void {
    const words = lead.slice();
    const assignments: ReadWord[] = [];
    for (const part of node.prefix) {
      if (part.type === 'Assignment') assignments.push(this.#assignment(part));
      else this.#redirect(part);
    }
    if (node.name !== undefined) words.push(this.#word(node.name));
    for (const part of node.suffix) {
      if (part.type === 'Word') words.push(this.#word(part));
      else if (part.type === 'Assignment') words.push(this.#assignment(part));
      else this.#redirect(part);
    }
    if (assignments.length > 0) this.facts.push(wordsFact('assign', assignments));
    this.#emit(words);
  }

  #emit(words: readonly Literal[]): void {
    if (words.length === 0) return;
    this.facts.push(wordsFact('command', words));
    const literals: string[] = [];
    for (const { literal } of words) {
      if (literal === undefined) return;
      literals.push(literal);
    }
    this.commands.push(literals);
  }

  #plain(span: Span): Literal {
    return isPlainSource(this.#text, span)
      ? { ...span, literal: this.#text.slice(span.start, span.end) }
      : { ...span, literal: undefined, content: this.#text.slice(span.start, span.end) };
  }

  #word(word: Word): Literal {
    const span = spanOf(word);
    if (isPlainSource(this.#text, span)) return this.#plain(span);
    const content = this.#content(word);
    return { ...span, content, literal: isLiteral(word) ? content : undefined };
  }

  #content(word: Word): string {
    return word.parts === undefined ? word.value : word.parts.map((part) => this.#part(part)).join('');
  }

  #part(part: WordPart): string {
    switch (part.type) {
      case 'Glob':
        return part.parts === undefined ? part.value : this.#gapped(part, part.parts);
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return part.value;
      case 'DoubleQuoted':
      case 'LocaleString':
        return part.parts.map((each) => this.#part(each)).join('');
      case 'BraceExpansion':
        return part.parts === undefined ? part.text : this.#gapped(part, part.parts);
      default:
        this.#expansion(part);
        return EXPANSION;
    }
  }

  /** Brackets, braces and commas stand between the parts. */
  #gapped({ pos, end }: Positioned, parts: readonly WordPart[]): string {
    let content = '';
    let at = pos;
    for (const part of parts) {
      content += this.#text.slice(at, part.pos) + this.#part(part);
      at = part.end;
    }
    return content + this.#text.slice(at, end);
  }

  /** Finds the commands within a part of which only these are compared. */
  #expansion(node: SyntaxNode): void {
    if (this.#depth >= MAX_DEPTH) this.refused = true;
    if (this.refused) return;
    if (node.type === 'Script') {
      this.#script(node);
      return;
    }
    if (
      node.type === 'CommandExpansion' ||
      node.type === 'ProcessSubstitution' ||
      node.type === 'ArithmeticCommandExpansion'
    )
      this.facts.push(spanFact('substitution', spanOf(node)));
    this.#depth += 1;
    forEachChild(node, (child) => this.#expansion(child));
    this.#depth -= 1;
  }

  #assignment(node: Assignment): Literal {
    const span = spanOf(node);
    if (isPlainSource(this.#text, span)) return this.#plain(span);
    if (node.index !== undefined) this.#expansion(node.index);
    const { value } = node;
    const name = this.#text.slice(node.pos, value.pos);
    if (value.type === 'ArrayValue') {
      this.#expansion(value);
      return { ...span, content: name + EXPANSION, literal: undefined };
    }
    const content = name + this.#content(value);
    return { ...span, content, literal: isLiteral(value) && node.index === undefined ? content : undefined };
  }

  #redirect(node: Redirection): void {
    if (node.type === 'HereDoc') {
      this.#heredoc(node);
      return;
    }
    const { descriptor, operator, target } = node;
    const word = target && this.#word(target);
    this.facts.push(
      redirectFact(
        node.pos,
        descriptor === undefined ? '' : this.#text.slice(descriptor.pos, descriptor.end),
        operator,
        word,
      ),
    );
    const isFile = node.type === 'Redirect' && !operator.endsWith('&');
    if (isFile && word?.literal !== undefined) this.targets.push(word.literal);
  }

  #heredoc({ pos, delimiter, closing, body }: HereDoc): void {
    const spans = [delimiter, closing].flatMap((each) => (each === undefined ? [] : [spanOf(each)]));
    this.facts.push(wordsFact(`here-document ${pos}`, spans));
    this.#expansion(body);
  }

  /** Operands of a test may be patterns, which the readers quote differently: only their positions are compared. */
  #operands(node: SyntaxNode): ReadWord[] {
    if (node.type === 'Word') {
      this.#expansion(node);
      return [spanOf(node)];
    }
    const words: ReadWord[] = [];
    forEachChild(node, (child) => words.push(...this.#operands(child)));
    return words;
  }
}

/** Whether the word stays exactly one word, whose text is certain. */
function isLiteral({ parts, text }: Word): boolean {
  const isFixed = (source: string) => !Array.from(source).some((char) => EXPANDED.includes(char));
  return (
    parts?.every(
      (part) =>
        part.type === 'SingleQuoted' ||
        part.type === 'AnsiCQuoted' ||
        (part.type === 'Literal' && isFixed(part.text)) ||
        ((part.type === 'DoubleQuoted' || part.type === 'LocaleString') &&
          part.parts.every(({ type }) => type === 'Literal')),
    ) ?? isFixed(text)
  );
}
