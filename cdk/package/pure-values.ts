/** Marks values of module constants as pure, so that bundlers leave out those that nothing uses. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { parseSync, Visitor } from 'rolldown/utils';

interface Spanned {
  readonly start: number;
  readonly end: number;
}

/**
 * Puts a mark before each call that makes a constant of the module. This is safe because the package states that loading a module has no
 * effect besides its own values: `"sideEffects": false`.
 *
 * @returns the text with marks; calls inside of functions stay as they are, since nothing runs them while the module loads
 */
export function withPureValues(file: string, text: string): string {
  const { program } = parseSync(file, text);
  const values: Spanned[] = [];
  const functions: Spanned[] = [];
  const calls: Spanned[] = [];
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'VariableDeclaration')
      for (const { init } of declaration.declarations) if (init) values.push(init);
  }
  const hide = (node: Spanned) => void functions.push(node);
  const note = (node: Spanned) => void calls.push(node);
  new Visitor({
    FunctionExpression: hide,
    FunctionDeclaration: hide,
    ArrowFunctionExpression: hide,
    ClassBody: hide,
    CallExpression: note,
    NewExpression: note,
  }).visit(program);
  const within = (spans: readonly Spanned[], { start, end }: Spanned) =>
    spans.some((span) => span.start <= start && end <= span.end);
  const marked = calls.filter((call) => within(values, call) && !within(functions, call));
  // The calls of a chain begin at one place, and one mark there is for all of them.
  const places = [...new Set(marked.map(({ start }) => start))].sort((a, b) => b - a);
  return places.reduce((changed, at) => `${changed.slice(0, at)}/* @__PURE__ */ ${changed.slice(at)}`, text);
}

export const pureValues: Plugin = {
  name: 'pure-values',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:shared|cdk)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: withPureValues(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};
