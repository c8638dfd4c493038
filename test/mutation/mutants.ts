/**
 * Writes all mutants of a source file into it as alternatives: `(__mutant(7) ? a < b : a <= b)`.
 *
 * So a process loads the sources once and runs every mutant by its number. Only whole expressions of the syntax tree
 * are exchanged, so that no invalid program can come of it.
 */
import { parseSync } from 'vite';

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly change: string;
}

interface Variant {
  readonly change: string;
  readonly code: string;
  /** The expression without the mutant, which tells its values. */
  readonly seen?: ((id: number, plain: string) => string) | undefined;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS = new Map(
  Object.entries({
    '===': '!==',
    '!==': '===',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '&&': '||',
    '||': '&&',
    '??': '&&',
  }),
);

/** The words that let something run, and those that do not. */
const WORDS = new Map(Object.entries({ allow: 'ask', ask: 'allow', deny: 'allow', error: 'allow' }));

const METHODS = new Map(Object.entries({ some: 'every', every: 'some', startsWith: 'endsWith' }));

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The source with its mutants in it; the first of them has the number `from`. */
export function withMutants(file: string, text: string, from: number): { code: string; mutants: readonly Mutant[] } {
  const { program } = parseSync(file, text, { lang: 'ts' });
  const mutants: Mutant[] = [];
  const raw = ({ start, end }: Node): string => text.slice(start, end);

  const made = (node: Node, change: string): number => {
    const id = from + mutants.length;
    mutants.push({ id, file, line: text.slice(0, node.start).split('\n').length, change });
    return id;
  };

  /**
   * `code`, or what the expression is under one of its mutants. `told` says which function sees the values of the plain run: a mutant that
   * would have had the same value everywhere in a test cannot be noticed by it, and is not run.
   */
  const choose = (node: Node, variants: readonly Variant[], code: string): string => {
    if (variants.length === 0) return code;
    const numbered = variants.map((variant) => ({ ...variant, id: made(node, variant.change) }));
    const told = numbered.filter(({ seen }) => seen).reduce((plain, { id, seen }) => seen?.(id, plain) ?? plain, code);
    return `(${numbered.map(({ id, seen, code: other }) => `${seen ? '__runs' : '__mutant'}(${id}) ? (${other}) : `).join('')}(${told}))`;
  };

  /** The node's own text with its children's mutants in it. */
  const inside = (node: Node): string => {
    const children = Object.entries(node)
      .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((child: unknown) => ({ key, child })))
      .filter((each): each is { key: string; child: Node } => isNode(each.child))
      .filter(({ key, child }) => holdsCode(node, key, child))
      .sort((a, b) => a.child.start - b.child.start);
    let code = '';
    let at = node.start;
    for (const { key, child } of children) {
      if (child.start < at) continue;
      code += text.slice(at, child.start) + written(child, node, key);
      at = child.end;
    }
    return code + text.slice(at, node.end);
  };

  const written = (node: Node, parent?: Node, key = ''): string => {
    const turn = key === 'body' && LOOPS.has(parent?.type ?? '') ? '__turn(); ' : '';
    if (node.type === 'ExpressionStatement' && (node['expression'] as Node).type === 'CallExpression')
      // In a block of its own: an `else` may follow.
      return `{ ${turn}if (!__mutant(${made(node, `without ${short(raw(node))}`)})) ${inside(node)} }`;
    const code = turn ? `{ ${turn}${inside(node)} }` : inside(node);
    const memo = isMemo(node, text, parent) ? `__memo(${code})` : isWeakMemo(node) ? '__weakMemo()' : code;
    return choose(node, variantsOf(node, raw, parent, key), memo);
  };

  return { code: written(program as unknown as Node), mutants };
}

const LOOPS = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);

/** Types, names and what is written to decide nothing. */
function holdsCode(parent: Node, key: string, child: Node): boolean {
  if (child.type.startsWith('TS'))
    return ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(child.type);
  if (child.type === 'ImportDeclaration' || parent.type.startsWith('Export')) return key === 'declaration';
  if (key === 'key' || key === 'property') return parent['computed'] === true;
  if (parent.type === 'AssignmentExpression' && key === 'left') return false;
  if (parent.type === 'UpdateExpression') return false;
  return key !== 'id' && key !== 'typeAnnotation' && key !== 'returnType' && key !== 'typeArguments';
}

/** The memory of a module between calls: it must forget it between mutants. */
const isMemo = (node: Node, text: string, parent?: Node): boolean =>
  parent?.type === 'VariableDeclarator' &&
  text.lastIndexOf('\n', parent.start) === parent.start - '\nconst '.length &&
  node.type === 'NewExpression' &&
  (node['callee'] as Node)['name'] === 'Map' &&
  (node['arguments'] as unknown[]).length === 0;

/** Results remembered by object are forgotten, too: a run under a mutant must not read those of the run before it. */
const isWeakMemo = (node: Node): boolean =>
  node.type === 'NewExpression' && (node['callee'] as Node)['name'] === 'WeakMap';

function variantsOf(
  node: Node,
  raw: (node: Node) => string,
  parent: Node | undefined,
  key: string,
): readonly Variant[] {
  const text = raw(node);
  const as = (from: string, to: string) => `${from} → ${to}: ${short(text)}`;
  const variants: Variant[] = [];
  if (key === 'test' && parent && ['IfStatement', 'ConditionalExpression'].includes(parent.type))
    variants.push(
      { change: `always: ${short(text)}`, code: 'true', seen: (id, plain) => `__unless(${id}, ${plain})` },
      { change: `never: ${short(text)}`, code: 'false', seen: (id, plain) => `__when(${id}, ${plain})` },
    );
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = node['operator'] as string;
      const other = OPERATORS.get(operator);
      const [left, right] = [node['left'] as Node, node['right'] as Node];
      if (other) variants.push({ change: as(operator, other), code: `(${raw(left)}) ${other} (${raw(right)})` });
      break;
    }
    case 'UnaryExpression':
      if (node['operator'] === '!') variants.push({ change: as('!', ''), code: raw(node['argument'] as Node) });
      break;
    case 'Literal': {
      const value = node['value'];
      const instead =
        typeof value === 'boolean'
          ? String(!value)
          : typeof value === 'number' && value > 1
            ? String(value + 1)
            : typeof value === 'string' && WORDS.has(value)
              ? `'${WORDS.get(value)}'`
              : undefined;
      if (instead) variants.push({ change: as(text, instead.replaceAll("'", '')), code: instead });
      break;
    }
    case 'CallExpression': {
      const callee = node['callee'] as Node;
      const name = callee.type === 'MemberExpression' ? ((callee['property'] as Node)['name'] as string) : '';
      const other = METHODS.get(name);
      const calls = (node['arguments'] as Node[]).map(raw).join(', ');
      if (other && !text.includes('?.'))
        variants.push({ change: as(name, other), code: `${raw(callee['object'] as Node)}.${other}(${calls})` });
      break;
    }
  }
  return variants;
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}…` : line;
};
