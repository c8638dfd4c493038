/** Reads the words and assignments of a shell command, with the variables that the text has set so far. */
import type { Assignment } from './command.ts';
import { expandWord, type Field, fieldOf, literalField } from './fields.ts';
import type { ShellNode } from './parser.ts';
import { assignedName, assignedNode, WORDS } from './walk-helpers.ts';
import type { WalkScope } from './walk-scope.ts';
import { type Atom, readWord, type WordReader, walkSubstitutions } from './word.ts';

interface WalkReader extends WordReader {
  readonly scope: WalkScope;
}

const sliceOf = ({ start, end }: ShellNode, { text }: WordReader): string => text.slice(start, end);

export function fieldsIn(node: ShellNode, walk: WalkReader): Field[] {
  return expandedAtoms(readWord(node, walk), walk);
}

export function expandedAtoms(atoms: readonly Atom[], walk: WalkReader): Field[] {
  const fields = expandWord(walk.scope.variables.resolved(atoms), walk.scope.variables.values, walk.budget);
  for (const field of fields ?? []) walk.scope.checkTilde(field.atoms);
  if (fields !== undefined) return fields;
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
  const literal = plain && field?.known === true && values.length <= 1;
  const text = plain && values.length <= 1 ? walk.scope.variables.textOf(field?.atoms ?? []) : undefined;
  walk.scope.variables.set(name, literal ? field?.text : text, [field]);
  return { name, value: field, plain, literal };
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
