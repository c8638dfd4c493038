/** Reads a source as pieces of code: the calls, reads and awaits of each, and its own functions. */
import { parseAst } from 'rolldown/parseAst';

export interface NamedAt {
  readonly name: string;
  readonly at: number;
}

/** A function or class, or what a module runs when it loads. */
export interface Code {
  /** Where its declaration ends: no two declarations that can be called end at one place. */
  readonly end: number;
  readonly awaits: readonly number[];
  readonly names: readonly NamedAt[];
  readonly reads: readonly NamedAt[];
  /** Objects of which a member is read by a name that the source does not state: any, or one of those that the key may be. */
  readonly anyOf: readonly { readonly at: number; readonly key?: number }[];
  /** Functions and classes that are called by their names. */
  readonly named: readonly Code[];
  readonly members: readonly Member[];
  /** The class that a class extends. */
  readonly base?: NamedAt | undefined;
}

/** A member of an object or a class: called by whoever reads it. */
export interface Member extends NamedAt {
  /** The member's code, or the name of the value. */
  readonly gives: Code | NamedAt;
  /** Stands for both names at once. */
  readonly isShort?: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
type Fields = Node & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';
const isCode = (value: unknown): value is Fields =>
  isNode(value) && ['FunctionExpression', 'ArrowFunctionExpression', 'ClassExpression'].includes(value.type);

type Open = { -readonly [Part in keyof Code]: Code[Part] extends readonly (infer One)[] ? One[] : Code[Part] };
const opened = (end: number): Open => ({ end, awaits: [], names: [], reads: [], anyOf: [], named: [], members: [] });

export function codeOf(source: string): Code {
  const program = parseAst(source, { lang: 'ts' }) as unknown as Fields;
  const code = opened(source.length + 1);
  for (const statement of program['body'] as unknown[]) walk(statement, code);
  return code;
}

/** A function's parameters and body, or the code that a class runs when it is made or constructed. */
function inside(node: Fields, end = node.end): Code {
  const code = opened(end);
  if (node.type.startsWith('Class')) {
    const base = node['superClass'];
    if (isNode(base) && base.type === 'Identifier') code.base = { name: String(base['name']), at: base.start };
    walk(base, code);
    for (const one of (node['body'] as Fields)['body'] as Fields[]) member(one, code);
    return code;
  }
  for (const parameter of node['params'] as unknown[]) pattern(parameter, code);
  walk(node['body'], code);
  return code;
}

function walk(node: unknown, code: Open): void {
  if (Array.isArray(node)) for (const one of node) walk(one, code);
  if (!isNode(node)) return;
  if (node.type.startsWith('TS') && !isNode(node['expression'])) return;
  switch (node.type) {
    case 'Identifier':
      code.names.push({ name: String(node['name']), at: node.start });
      return;
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      if (node['declare'] !== true && isNode(node['body'])) code.named.push(inside(node));
      return;
    case 'VariableDeclarator':
      pattern(node['id'], code);
      if (isNode(node['id']) && node['id'].type === 'Identifier' && isCode(node['init']))
        code.named.push(inside(node['init'], node.end));
      else walk(node['init'], code);
      return;
    case 'MemberExpression':
      walk(node['object'], code);
      read(node, code);
      return;
    case 'ObjectExpression':
      for (const one of node['properties'] as Fields[]) member(one, code);
      return;
    case 'AssignmentExpression':
      assigned(node['left'], code);
      walk(node['right'], code);
      return;
    case 'ForOfStatement':
      if (node['await'] === true) code.awaits.push(node.start);
      break;
    case 'CatchClause':
      pattern(node['param'], code);
      walk(node['body'], code);
      return;
    case 'AwaitExpression':
      code.awaits.push(node.start);
      break;
    case 'CallExpression':
      if (isOfAll(node)) for (const one of node['arguments'] as Fields[]) code.anyOf.push({ at: one.end - 1 });
      break;
    case 'ImportDeclaration':
    case 'BreakStatement':
    case 'ContinueStatement':
      return;
    case 'ExportNamedDeclaration':
      walk(node['declaration'], code);
      return;
    default:
      if (isCode(node)) {
        within(inside(node), code);
        return;
      }
  }
  for (const [key, part] of Object.entries(node))
    if (!['typeAnnotation', 'typeArguments', 'typeParameters', 'returnType', 'label'].includes(key)) walk(part, code);
}

/** `Object.values` and `Object.entries` read every member. */
function isOfAll({ callee }: Fields): boolean {
  if (!isNode(callee) || !isNode(callee['object']) || !isNode(callee['property'])) return false;
  return callee['object']['name'] === 'Object' && ['values', 'entries'].includes(String(callee['property']['name']));
}

/** A function without a name runs where it stands, or whoever it is given to calls it. */
function within(inner: Code, code: Open): void {
  code.awaits.push(...inner.awaits);
  code.names.push(...inner.names);
  code.reads.push(...inner.reads);
  code.anyOf.push(...inner.anyOf);
  code.named.push(...inner.named);
  code.members.push(...inner.members);
}

function read({ object, property, computed }: Fields, code: Open): void {
  if (!isNode(property)) return;
  if (computed !== true) code.reads.push(placeOf(property));
  else if (property.type === 'Literal' && typeof property['value'] === 'number') return;
  else {
    walk(property, code);
    if (isNode(object)) code.anyOf.push({ at: object.end - 1, key: property.end - 1 });
  }
}

const placeOf = (key: Fields): NamedAt =>
  key.type === 'Literal'
    ? { name: String(key['value']), at: key.start }
    : { name: `${key.type === 'PrivateIdentifier' ? '#' : ''}${String(key['name'])}`, at: key.start };

function member(one: Fields, code: Open): void {
  const { key, value, computed, shorthand: isShort, kind } = one as { [key: string]: unknown };
  if (one.type === 'SpreadElement') walk(one['argument'], code);
  if (one.type === 'StaticBlock') walk(one['body'], code);
  if (!isNode(key)) return;
  if (computed === true) walk(key, code);
  if (!isNode(value) || (isCode(value) && !value['body'])) return;
  const hasName = computed !== true && kind !== 'constructor';
  if (hasName && isCode(value)) code.members.push({ ...placeOf(key), gives: inside(value, one.end) });
  else if (hasName && value.type === 'Identifier' && one.type === 'Property')
    code.members.push({ ...placeOf(key), gives: placeOf(value), isShort: isShort === true });
  else if (isCode(value)) within(inside(value), code);
  else walk(value, code);
}

/** A name that is taken out of a value is a member that is read. */
function pattern(node: unknown, code: Open): void {
  if (!isNode(node)) return;
  if (node.type === 'TSParameterProperty') pattern(node['parameter'], code);
  if (node.type === 'RestElement') pattern(node['argument'], code);
  if (node.type === 'ArrayPattern') for (const one of node['elements'] as unknown[]) pattern(one, code);
  if (node.type === 'AssignmentPattern') {
    pattern(node['left'], code);
    walk(node['right'], code);
  }
  if (node.type !== 'ObjectPattern') return;
  for (const one of node['properties'] as Fields[]) {
    if (one.type === 'RestElement') continue;
    const { key, value, computed } = one;
    if (computed === true) walk(key, code);
    else if (isNode(key)) code.reads.push(placeOf(key));
    pattern(value, code);
  }
}

function assigned(target: unknown, code: Open): void {
  if (isNode(target) && target.type.endsWith('Pattern')) pattern(target, code);
  else walk(target, code);
}
