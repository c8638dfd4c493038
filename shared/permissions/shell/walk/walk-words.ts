/**
 * Reads the words and assignments of a shell command, with the variables set so far.
 *
 * The text sets them.
 */
import { isPlainAscii } from '../../text/characters.ts';
import type { Assignment } from '../syntax/command.ts';
import { expandWord, type Field, fieldOf, literalField, plainField } from '../syntax/fields.ts';
import type { ShellNode } from '../syntax/tree.ts';
import { type Atom, readWord, type WordReader, walkSubstitutions } from '../syntax/word.ts';
import { assignedName, assignedNode, WORDS } from './walk-helpers.ts';
import type { WalkScope } from './walk-scope.ts';

interface WalkReader extends WordReader {
  readonly scope: WalkScope;
}

const sliceOf = ({ start, end }: ShellNode, { text }: WordReader): string => text.slice(start, end);

export function fieldsIn(node: ShellNode, walk: WalkReader): Field[] {
  const field = uniformWord(node, walk.text);
  return field === undefined ? expandedAtoms(readWord(node, walk), walk) : fieldsOf(field, walk);
}

/** The fields of a word that was read: of its atoms, or the one that it plainly is. */
export function fieldsOf(word: readonly Atom[] | Field, walk: WalkReader): Field[] {
  if (!('text' in word)) return expandedAtoms(word, walk);
  return walk.budget.spend(word.text.length) ? [word] : tooMany(word.atoms, walk);
}

/** The field of the usual word, plain or wholly quoted, which is read without a look at each character; undefined for any other. */
export function uniformWord(node: ShellNode, source: string): Field | undefined {
  const { type, start, end, children } = node;
  if (type === 'word') {
    const text = source.slice(start, end);
    return children.length === 0 && isUniform(text) ? plainField(text) : undefined;
  }
  const [first, second] = children;
  if (type === 'command_name')
    return children.length === 1 && first?.type === 'word' ? uniformWord(first, source) : undefined;
  if (type === 'raw_string') return quotedField(source.slice(start + 1, end - 1));
  if (type !== 'string' || children.length !== 3 || second?.type !== 'string_content') return undefined;
  if (second.start !== start + 1 || second.end !== end - 1) return undefined;
  const text = source.slice(second.start, second.end);
  return text.includes('\\') ? undefined : quotedField(text);
}

const quotedField = (text: string): Field | undefined => (isPlainAscii(text) ? literalField(text) : undefined);

/** Letters, digits and signs that mean nothing to a shell within a word, and the wildcards that `plainField` knows. */
function isUniform(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isPlain =
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x2b && code <= 0x3a) ||
      code === 0x5f;
    if (!isPlain && !'*?=@%'.includes(text[at] as string)) return false;
  }
  return true;
}

function expandedAtoms(atoms: readonly Atom[], walk: WalkReader): Field[] {
  const fields = expandWord(walk.scope.variables.resolved(atoms), walk.scope.variables.values, walk.budget);
  for (const field of fields ?? []) if (field.text.includes('~')) walk.scope.checkTilde(field.atoms);
  return fields ?? tooMany(atoms, walk);
}

function tooMany(atoms: readonly Atom[], walk: WalkReader): Field[] {
  walk.doubt('a word that makes too many');
  return [fieldOf([...atoms, { kind: 'opaque', quoted: false }])];
}

export function assignmentIn(node: ShellNode, walk: WalkReader): Assignment {
  const target = assignedNode(node);
  const operator = node.children.find((child) => !child.named);
  const values = node.children.filter((child) => child.named && child !== target);
  const name = assignedName(node, walk.text);
  // A shell without `+=` looks for a program of that name, and leaves the variable as it was.
  if (operator !== undefined && sliceOf(operator, walk) === '+=') walk.doubt('an assignment that not every shell has');
  const plain = target?.type === 'variable_name' && operator !== undefined && sliceOf(operator, walk) === '=';
  if (target?.type === 'subscript') {
    walk.doubt('a subscript');
    walkSubstitutions(target, walk);
  }
  const value = values[0];
  let field: Field | undefined;
  if (value !== undefined && value.type === 'array') {
    walk.doubt('an array');
    walkSubstitutions(value, walk);
  } else if (value !== undefined) {
    field = fieldOf(walk.scope.variables.resolved(readWord(value, walk)));
    walk.scope.checkTilde(field.atoms);
  } else {
    field = literalField('');
  }
  if (values.length > 1) walk.doubt('an assignment of more than one word');
  // A shell expands no glob in the value of an assignment.
  const literal = plain && field?.isKnown === true && values.length <= 1;
  const { variables } = walk.scope;
  const text = plain && field !== undefined && values.length <= 1 ? variables.textOf(field.atoms) : undefined;
  variables.set(name, literal ? field?.text : text, [field]);
  return { name, value: text === undefined || literal ? field : literalField(text), plain, literal };
}

/** The words of `export`, `declare` and their like; their assignments are made. */
export function declaredFields(node: ShellNode, walk: WalkReader): readonly Field[] {
  const fields: Field[] = [];
  const keyword = node.children[0];
  const isBashOnly = keyword !== undefined && ['declare', 'typeset'].includes(sliceOf(keyword, walk));
  for (const child of node.children) {
    if (child.type === 'variable_assignment') {
      const { name, value } = assignmentIn(child, walk);
      if (isBashOnly) walk.scope.variables.unsettle(name);
      const known = value ?? fieldOf([{ kind: 'opaque', quoted: false }]);
      fields.push(fieldOf([...literalField(`${name}=`).atoms, ...known.atoms]));
    } else if (WORDS.has(child.type)) {
      const made = fieldsIn(child, walk);
      for (const field of made) walk.scope.variables.setDeclared(field);
      fields.push(...made);
    } else if (!child.named) {
      fields.push(literalField(sliceOf(child, walk)));
    } else if (child.type !== 'comment') {
      walk.doubt(`a word of an unknown kind (${child.type})`);
      walkSubstitutions(child, walk);
    }
  }
  return fields;
}
