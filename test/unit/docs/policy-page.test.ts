/** Checks that docs/policy-file.md describes every key of countersign.yaml, and its examples load. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadPolicy } from '../../../shared/config/load.ts';
import { policySchema } from '../../../shared/config/schema/policy-file.ts';
import { keysBelow, type Node, policyFileSchema } from '../../docs/policy-page/keys.ts';
import { exampleOf, placeOf, policyPage } from '../../docs/policy-page/page.ts';
import { linked } from '../../docs/tags.ts';
import { cli } from '../cli/run-cli.ts';
import { ROOT } from './documents.ts';

const at = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const page = at('policy-file.md');
const example = at('examples/policy-file.yaml');
const sections = Object.keys(policySchema.shape);
const schemas = policyFileSchema().properties ?? {};
const shownFor = (key: string) => exampleOf(key, example, schemas[key]?.examples?.[0]);
const rows = page.split('\n').filter((line) => line.startsWith('| `'));

describe('docs/policy-file.md', () => {
  test('is current', () => {
    expect(page, 'docs/policy-file.md is stale: run npm run schemas').toBe(policyPage(example));
  });

  test.each(sections)('has a section with an example for %s', (key) => {
    expect(page).toContain(`\n## ${key}\n`);
    expect(page).toContain(`- [${key}](#${key.toLowerCase()})`);
    expect(page).toContain(`\`\`\`yaml\n${shownFor(key)}\n\`\`\``);
  });

  test('describes every key below a section by its own words', () => {
    const keys = keysBelow('', policyFileSchema()).filter(({ path }) => /[.[]/.test(path));
    expect(keys.length).toBeGreaterThan(300);
    const missing = keys.filter(({ path, node }) => {
      const ownRows = rows.filter((line) => line.startsWith(`| \`${placeOf(path).path}\` |`));
      const words = linked(node.description ?? '', 'reference/').replaceAll('|', '\\|');
      return words === '' || !ownRows.some((row) => row.endsWith(` ${words} |`));
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  test('describes every type of policy and of predicate, and each of their keys', () => {
    const [tree] = Object.values(policyFileSchema().definitions ?? {});
    const variants = (node: Node | undefined): readonly Node[] => node?.oneOf ?? [];
    const predicates = variants(tree).flatMap(({ properties }) => variants(properties?.['requiresApproval']));
    expect([variants(tree).length, predicates.length]).toEqual([6, 4]);
    for (const { properties = {} } of [...variants(tree), ...predicates]) {
      const { type, ...keys } = properties;
      expect(page).toContain(`**\`type: ${type?.const}\`**`);
      for (const key of Object.keys(keys)) expect(rows.some((row) => row.startsWith(`| \`${key}\` |`))).toBe(true);
    }
  });

  test('states default and bounds: a duration, a list, a number, a setting below all layers', () => {
    expect(page).toContain('| `approvals.timeout` | duration | `1h` |');
    expect(page).toContain('| `rules.deny` | list of text or map | none |');
    expect(page).toContain('| `stages[].quorum` | integer | `1` | 1 to 20 |');
    expect(page).toContain('| `ratePerSecond` | number | `10` |');
    expect(page).toContain('| `agents.<name>.owner` | name | required |');
  });
});

describe('the example of the policy file', () => {
  test('has no finding, and needs what it accepts', async () => {
    expect(await cli(['policy', 'lint', 'docs/examples/policy-file.yaml'], { cwd: ROOT })).toMatchObject({
      code: 0,
      out: 'No findings, 1 accepted by lint.ignore.\n',
    });
  });

  test('loads by itself', () => {
    const { policy } = loadPolicy(example, 'docs/examples/policy-file.yaml');
    expect(Object.keys(policy).toSorted()).toEqual(sections.toSorted());
  });

  test('has a part for every section, or the section has an example of its own, and all load together', () => {
    const whole = sections.map(shownFor).join('\n\n');
    expect(Object.keys(parse(whole) as object).toSorted()).toEqual(sections.toSorted());
    expect(() => loadPolicy(whole, 'the examples')).not.toThrow();
    const twice = Object.keys(parse(example) as object).filter((key) => schemas[key]?.examples !== undefined);
    expect(twice).toEqual([]);
  });

  test.each(sections)('holds a part for %s that is YAML by itself', (key) => {
    expect(Object.keys(parse(shownFor(key)) as object)).toEqual([key]);
  });

  test('without a section names that section', () => {
    expect(() => exampleOf('people', 'agents:\n  a: {}\n')).toThrow('has no people');
  });
});
