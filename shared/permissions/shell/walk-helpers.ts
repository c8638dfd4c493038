/** Node kinds and small readings that the walk over a shell tree needs. */
import type { ShellNode } from './parser.ts';

export const CONTAINERS: ReadonlySet<string> = new Set([
  'program',
  'list',
  'compound_statement',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'do_group',
  'negated_command',
  'variable_assignments',
]);
export const WORDS: ReadonlySet<string> = new Set([
  'word',
  'number',
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'brace_expression',
  'variable_name',
  'special_variable_name',
]);
/** Built-ins that give variables a value which cannot be known here. */
export const SETTERS: ReadonlySet<string> = new Set([
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'printf',
  'let',
  'select',
]);

/** What an assignment gives a value to. */
export function assignedNode(node: ShellNode): ShellNode | undefined {
  return node.children.find((child) => child.type === 'variable_name' || child.type === 'subscript');
}

export function unescapeBackticks(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    if (text[at] === '\\' && (next === '`' || next === '$' || next === '\\')) at += 1;
    result += text[at];
  }
  return result;
}

export function isDescriptor(text: string): boolean {
  return text === '-' || [...text].every((char) => char >= '0' && char <= '9');
}

export function hasOperator(node: ShellNode): boolean {
  return node.children.some(
    (child) =>
      (child.type === 'expansion' && child.children.length !== 3) ||
      child.type === 'arithmetic_expansion' ||
      hasOperator(child),
  );
}
