/**
 * All mutants of a source file, written into it as alternatives: `(__mutant(7) ? a < b : a <= b)`. So a process loads the sources once and
 * runs every mutant by its number. What is no valid program cannot come out of it: only whole expressions of the syntax tree are exchanged.
 */
import { parseSync } from 'vite';

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly change: string;
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

  /** `code`, or what the expression is under one of its mutants. */
  const choose = (node: Node, variants: readonly (readonly [change: string, code: string])[], code: string): string =>
    variants.length === 0
      ? code
      : `(${variants.map(([change, other]) => `__mutant(${made(node, change)}) ? (${other}) : `).join('')}(${code}))`;

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
    if (node.type === 'ExpressionStatement' && (node['expression'] as Node).type === 'CallExpression')
      // In a block of its own: an `else` may follow.
      return `{ if (!__mutant(${made(node, `without ${short(raw(node))}`)})) ${inside(node)} }`;
    const code = key === 'body' && LOOPS.has(parent?.type ?? '') ? `{ __turn(); ${inside(node)} }` : inside(node);
    const memo = isMemo(node, text, parent) ? `__memo(${code})` : code;
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

/** What a module remembers between calls: it must forget it between mutants. */
const isMemo = (node: Node, text: string, parent?: Node): boolean =>
  parent?.type === 'VariableDeclarator' &&
  text.lastIndexOf('\n', parent.start) === parent.start - '\nconst '.length &&
  node.type === 'NewExpression' &&
  (node['callee'] as Node)['name'] === 'Map' &&
  (node['arguments'] as unknown[]).length === 0;

function variantsOf(
  node: Node,
  raw: (node: Node) => string,
  parent: Node | undefined,
  key: string,
): (readonly [string, string])[] {
  const text = raw(node);
  const as = (from: string, to: string) => `${from} → ${to}: ${short(text)}`;
  const variants: (readonly [string, string])[] = [];
  if (key === 'test' && parent && ['IfStatement', 'ConditionalExpression'].includes(parent.type))
    variants.push([`always: ${short(text)}`, 'true'], [`never: ${short(text)}`, 'false']);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = node['operator'] as string;
      const other = OPERATORS.get(operator);
      const [left, right] = [node['left'] as Node, node['right'] as Node];
      if (other) variants.push([as(operator, other), `(${raw(left)}) ${other} (${raw(right)})`]);
      break;
    }
    case 'UnaryExpression':
      if (node['operator'] === '!') variants.push([as('!', ''), raw(node['argument'] as Node)]);
      break;
    case 'Literal': {
      const value = node['value'];
      if (typeof value === 'boolean') variants.push([as(String(value), String(!value)), String(!value)]);
      else if (typeof value === 'number' && value > 1) variants.push([as(text, String(value + 1)), String(value + 1)]);
      else if (typeof value === 'string' && WORDS.has(value))
        variants.push([as(text, `${WORDS.get(value)}`), `'${WORDS.get(value)}'`]);
      break;
    }
    case 'CallExpression': {
      const callee = node['callee'] as Node;
      const name = callee.type === 'MemberExpression' ? ((callee['property'] as Node)['name'] as string) : '';
      const other = METHODS.get(name);
      const calls = (node['arguments'] as Node[]).map(raw).join(', ');
      if (other && !text.includes('?.'))
        variants.push([as(name, other), `${raw(callee['object'] as Node)}.${other}(${calls})`]);
      break;
    }
  }
  return variants;
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}…` : line;
};
