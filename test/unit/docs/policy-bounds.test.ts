/** Checks that the policy file takes each value up to the bounds of its page, and none beyond. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadPolicy } from '../../../shared/config/load.ts';
import { policySchema } from '../../../shared/config/schema/policy-file.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';
import { keysBelow, type Node, policyFileSchema } from '../../docs/policy-page/keys.ts';
import { exampleOf } from '../../docs/policy-page/page.ts';

const example = readFileSync(new URL('../../../docs/examples/policy-file.yaml', import.meta.url), 'utf8');
const schema = policyFileSchema();
const EXAMPLES = Object.keys(policySchema.shape)
  .map((key) => exampleOf(key, example, schema.properties?.[key]?.examples?.[0]))
  .join('\n\n');

/** Sections that no example holds whole. */
const MORE = {
  'guardrails.mcp': {},
  'guardrails.origins': { 'mcp::files': {} },
  'guardrails.providers': { 'mcp::mail': {} },
  'taskAgent.model': { provider: 'anthropic', secret: 'key', model: 'm' },
};

type Keys = Record<string, unknown>;
const isKeys = (value: unknown): value is Keys => typeof value === 'object' && value !== null;

function wholePolicy(): Keys {
  const file: Keys = parse(EXAMPLES);
  for (const [path, value] of Object.entries(MORE)) {
    const steps = path.split('.');
    const [holder] = holdersOf(file, steps.slice(0, -1));
    if (holder) holder[steps.at(-1) ?? ''] ??= structuredClone(value);
  }
  return file;
}

/** The objects at a path such as `tools.<name>.stages[]`. */
function holdersOf(file: Keys, steps: readonly string[]): readonly Keys[] {
  let found: readonly unknown[] = [file];
  for (const step of steps)
    found = found.flatMap((value) => {
      if (!isKeys(value)) return [];
      return step === '[]' || step === '<name>' ? Object.values(value) : [value[step]];
    });
  return found.filter(isKeys);
}

const WHOLE = wholePolicy();

const stepsOf = (path: string) => path.replaceAll('[]', '.[]').split('.');

/** Refusals of a value of the key, by the key at fault. */
function refusalsOf(path: string, value: unknown): readonly { readonly key: unknown; readonly message: string }[] {
  const file = structuredClone(WHOLE);
  const steps = stepsOf(path);
  const [holder = {}] = holdersOf(file, steps.slice(0, -1));
  holder[steps.at(-1) ?? ''] = value;
  try {
    loadPolicy(JSON.stringify(file), 'countersign.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    return error.problems.map(({ path: at, message }) => ({ key: at.at(-1), message }));
  }
}

/** Refusals of the value alone, and not of how it goes with others. */
const tooFar = (path: string, value: unknown) =>
  refusalsOf(path, value).flatMap(({ key, message }) =>
    key === stepsOf(path).at(-1) && /^(?:must be|is longer than \d)/.test(message) ? [message] : [],
  );

const keys = keysBelow('', schema).filter(({ path }) => holdersOf(WHOLE, stepsOf(path).slice(0, -1)).length > 0);
const formsOf = (node: Node): readonly Node[] => [node, ...(node.anyOf ?? [])];
const isChosen = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

test('the example of every section loads, and most keys stand in one', () => {
  expect(() => loadPolicy(stringify(WHOLE), 'countersign.yaml')).not.toThrow();
  expect(keys.length).toBeGreaterThan(300);
});

test('a number is taken at the bounds of its page, and refused beyond', () => {
  const numbers = keys.flatMap(({ path, node }) => formsOf(node).map((form) => ({ path, ...form })));
  for (const { path, type, maximum, minimum, exclusiveMinimum } of numbers) {
    if (type !== 'integer' && type !== 'number') continue;
    for (const bound of [maximum, minimum].filter(isChosen))
      expect(tooFar(path, bound), `${path}: ${bound}`).toEqual([]);
    const beyond = [maximum && maximum + 1, minimum !== undefined ? minimum - 1 : exclusiveMinimum];
    for (const value of beyond.filter(isChosen)) expect(refusalsOf(path, value), `${path}: ${value}`).not.toEqual([]);
  }
});

test('a duration that is refused for its length has the bound in its words, and is taken at it', () => {
  const durations = keys.filter(({ node }) => formsOf(node).some(({ pattern }) => pattern?.includes('(s|m|h|d)')));
  expect(durations.length).toBeGreaterThan(15);
  for (const { path } of durations) {
    const words = keys.flatMap((key) => (path.startsWith(key.path) ? [key.node.description] : [])).join(' ');
    for (const value of ['0s', '99999d'])
      for (const message of tooFar(path, value))
        for (const [bound] of message.matchAll(/\b\d+[smhd]\b/g)) {
          if (bound !== '1s') expect(words, `${path}: ${message}`).toContain(bound);
          expect(tooFar(path, bound), `${path}: ${bound}`).toEqual([]);
        }
    for (const [, bound = ''] of words.matchAll(/at most (\d+[smhd])\b/gi)) {
      expect(tooFar(path, bound), `${path}: ${bound}`).toEqual([]);
      expect(tooFar(path, '99999d'), `${path}: 99999d`).not.toEqual([]);
    }
  }
});
