/** Writes docs/policy-file.md: every key of countersign.yaml, with an example of each section. */
import { stringify } from 'yaml';
import { BUILT_IN, settingsLayer } from '../../../shared/guardrails/settings/settings.ts';
import { linked } from '../tags.ts';
import { type Key, keysBelow, type Node, policyFileSchema } from './keys.ts';
import { boundsOf, defaultOf, typeOf } from './words.ts';

const STAGES = 'Stages';
const SETTINGS = 'Settings of a call';

/** Keys that stand in several sections are described once, under a heading of their own. */
const SHARED = [STAGES, SETTINGS] as const;
const SHARED_WORDS: Readonly<Record<(typeof SHARED)[number], string>> = {
  [STAGES]: 'Stages run in order; each asks one group.',
  [SETTINGS]: 'A later layer is stronger. The defaults are those below all layers.',
};

/** The three lists of rules hold the same keys. */
const RULES = /^rules\.(deny|ask|allow)\[\]/;
const LAYER = /^(guardrails\.(?:mcp|(?:environments|origins|roles|agents|tools)\.<name>))\.(\w+)$/;

/** Where the page describes a key: the heading, and the path in its table. */
export function placeOf(path: string): { readonly heading: string; readonly path: string } {
  const [, stage] = path.match(/(?:^|\.)(stages\[\]\..*)$/) ?? [];
  if (stage !== undefined) return { heading: STAGES, path: stage };
  const [, , setting] = path.match(LAYER) ?? [];
  if (setting !== undefined && setting in settingsLayer.shape) return { heading: SETTINGS, path: setting };
  return { heading: path.replace(/[.[].*$/, ''), path: path.replace(RULES, 'rules.<list>[]') };
}

/** Policies are trees, so the schema names their form instead of listing it; their children and types have no words there. */
const TREE_WORDS: Readonly<Record<string, string>> = {
  random: 'Picks one of the actions at random.',
  'first-available': 'Picks the first action.',
  priority: 'Picks the first of the flows in `priorities` that is available.',
  'human-in-the-loop': 'Asks people about the action that another policy proposes.',
  llm: 'Asks a language model.',
  composite: 'Lets one policy propose, and another approve what `requiresApproval` picks out.',
  'flow-id': 'Picks out actions of the flows named.',
  'entity-state': 'Picks out every action while an entity is in a state.',
  always: 'Picks out every action.',
  never: 'Picks out nothing.',
  priorities: 'Flows, the most wanted first.',
  delegate: 'The policy that proposes.',
  proposer: 'The policy that proposes.',
  approver: 'The policy that approves.',
};

const cell = (text: string) => linked(text, 'reference/').replaceAll('|', '\\|').replaceAll('\n', ' ');

function row({ path, node, isRequired }: Key, defaults: Readonly<Record<string, unknown>> = {}): string {
  const usual = path in defaults ? `\`${String(defaults[path])}\`` : defaultOf(node);
  const description = node.description ?? TREE_WORDS[path];
  if (description === undefined) throw new Error(`${path} has no description`);
  return `| \`${path}\` | ${[typeOf(node), isRequired ? 'required' : usual, boundsOf(node), description].map(cell).join(' | ')} |`;
}

const table = (rows: readonly string[]) =>
  ['| key | type | default | bounds | meaning |', '| --- | --- | --- | --- | --- |', ...new Set(rows)].join('\n');

const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');
const link = (heading: string) => `[${heading}](#${anchor(heading)})`;

/** One type of policy or predicate: its own keys, and a type among them whose keys follow in a table of their own. */
function variant({ properties = {}, required = [] }: Node): string {
  const { type, ...rest } = properties;
  const name = type?.const ?? '';
  const keys = Object.entries(rest).map(([path, node]) => ({ path, node, isRequired: required.includes(path) }));
  return `**\`type: ${name}\`** ${TREE_WORDS[name]}${keys.length === 0 ? '' : `\n\n${table(keys.map((key) => row(key)))}`}`;
}

function policies(tree: Node): string {
  const predicates = (tree.oneOf ?? []).flatMap(({ properties }) => properties?.['requiresApproval']?.oneOf ?? []);
  return [
    ...(tree.oneOf ?? []).map(variant),
    'A `requiresApproval` of a composite policy has one of these types:',
    ...predicates.map(variant),
  ].join('\n\n');
}

/** The text of one top-level key: the example of its schema if it states one, else its part of the example file, comments included. */
export function exampleOf(key: string, example: string, own?: unknown): string {
  if (own !== undefined) return stringify({ [key]: own }).trimEnd();
  const lines = example.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (start < 0) throw new Error(`docs/examples/policy-file.yaml has no ${key}`);
  const length = lines.slice(start + 1).findIndex((line) => /^[a-zA-Z]/.test(line));
  return lines
    .slice(start, length < 0 ? undefined : start + 1 + length)
    .join('\n')
    .trimEnd();
}

/** The whole page. `example` is the policy file that the examples are cut from. */
export function policyPage(example: string): string {
  const schema = policyFileSchema();
  const keys = keysBelow('', schema);
  const tops = Object.entries(schema.properties ?? {});
  const [tree = {}] = Object.values(schema.definitions ?? {});
  const shown = keys.map((key) => ({ ...key, ...placeOf(key.path), stated: key.path }));
  const under = (wanted: string) => shown.filter(({ heading }) => heading === wanted);

  const section = ([top, node]: readonly [string, Node]) => {
    const rows = under(top).filter(({ path }, _, all) => path !== top || (all.length === 1 && top !== 'policies'));
    const layers = shown.flatMap(({ stated, heading }) =>
      heading === SETTINGS && stated.startsWith(`${top}.`) ? [stated.match(LAYER)?.[1]] : [],
    );
    const holders = [...new Set(layers)].map((path) => `\`${path}\``);
    return [
      `## ${top}`,
      cell(node.description ?? ''),
      ...(rows.length === 0 ? [] : [table(rows.map((key) => row(key)))]),
      ...(holders.length === 0 ? [] : [`The keys of ${holders.join(', ')} are described under ${link(SETTINGS)}.`]),
      ...(under(STAGES).some(({ stated }) => stated.startsWith(`${top}.`))
        ? [`The keys of each stage are described under ${link(STAGES)}.`]
        : []),
      ...(top === 'rules' ? ['`<list>` is `deny`, `ask` or `allow`. An entry that is only a text is its `rule`.'] : []),
      ...(top === 'policies' ? [policies(tree)] : []),
      `\`\`\`yaml\n${exampleOf(top, example, node.examples?.[0])}\n\`\`\``,
    ].join('\n\n');
  };
  const shared = (heading: (typeof SHARED)[number]) =>
    [
      `## ${heading}`,
      SHARED_WORDS[heading],
      table(under(heading).map((key) => row(key, heading === SETTINGS ? BUILT_IN : {}))),
    ].join('\n\n');

  return `${[
    '# The policy file: countersign.yaml',
    '<!-- Generated by `npm run schemas` from the schema of the policy file and docs/examples/policy-file.yaml. Do not edit. -->',
    'The policy file states who proposes, who approves and which rules hold. It loads whole or not at all; an unknown key is refused, and so is\nwhat YAML would drop or change: a key that stands there twice, a merge (`<<`, but in a file that begins with `%YAML 1.1`), `__proto__`, a value that JSON cannot hold, bytes that are not UTF-8.\n`npx countersign policy check` checks a file, and editors complete it by `shared/config/countersign.schema.json`.\nOnly `agents` is required. Most examples are parts of one file, [policy-file.yaml](examples/policy-file.yaml); a test loads all of them together.',
    'Types: a **duration** is a number and `s`, `m`, `h` or `d`, as in `90s`. A **name** has letters, digits, `.`, `_`, `:` and `-`, at most 128.\nA **secret** is named by its name in the secrets manager, never by its value.',
    [...tops.map(([top]) => top), ...SHARED].map((heading) => `- ${link(heading)}`).join('\n'),
    ...tops.map(section),
    ...SHARED.map(shared),
  ].join('\n\n')}\n`;
}
