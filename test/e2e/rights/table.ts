/**
 * Writes and reads docs/reference/rights.md, the table of all statements of all roles.
 *
 * Beside each statement stands the test that fails without it. A statement whose test is not proved anew keeps the test that the page has.
 */
import type { TemplateJson } from '../../cdk/support/template.ts';
import { isOfAwsAlone, type Proof, statementText } from './proof.ts';
import { reasonFor } from './reasons.ts';
import { type Granted, grantedBy, keyOf, kindOf, ofKind, rightsOf } from './record.ts';
import type { UsedRight } from './used.ts';

export const PAGE = 'docs/reference/rights.md';
const BEGIN = '<!-- generated: npm run rights -- --write -->';
const END = '<!-- end of the generated part -->';

/** How a row is shown to be needed. */
const FAILS = 'fails without it: ';
const USES = 'uses it: ';
const OF_AWS = 'traces, and logs of the workflow, which AWS writes in the name of the role';

/** By statement: the last column. */
export function rowsOfPage(text: string): ReadonlyMap<string, string> {
  const [, part = ''] = text.split(BEGIN);
  const [generated = ''] = part.split(END);
  const lines = generated.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    lines.map((line) => {
      const [may = '', shown = ''] = line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim());
      return [may.replaceAll('`', '').replaceAll(' · ', ' | '), shown] as const;
    }),
  );
}

/** Every statement of the template, once for each kind of roles. */
export const statementsOf = (template: TemplateJson): ReadonlyMap<string, Granted> =>
  new Map(
    grantedBy(template)
      .toSorted((a, b) => (statementText(a) < statementText(b) ? -1 : 1))
      .map((one) => [statementText(one), one]),
  );

/** How the page shows that a statement is needed. */
interface Shown {
  readonly test: string | undefined;
  /** Whether that test fails without it. */
  readonly isProved: boolean;
  /** Reasons of rights that no test used. */
  readonly reasons: readonly string[];
}

/** Every statement of the template, as the page has it. */
export function shownOnPage(page: string, template: TemplateJson): ReadonlyMap<string, Shown> {
  const rows = rowsOfPage(page);
  return new Map([...statementsOf(template)].map(([text, one]) => [text, readShown(one, rows.get(text) ?? '')]));
}

/** Reasons stand at the end: the name of a test may hold what separates them. */
function readShown(one: Granted, text: string): Shown {
  const known = new Set(rightsOf(one).flatMap((right) => reasonFor(ofKind(right)) ?? []));
  const reasons: string[] = [];
  let test = text;
  for (let last = ''; ; test = test.slice(0, -last.length).replace(/; $/, '')) {
    last = [...known].find((reason) => test.endsWith(reason)) ?? '';
    if (last === '') break;
    reasons.unshift(last);
  }
  const name = [FAILS, USES].find((mark) => test.startsWith(mark));
  return { test: name && test.slice(name.length), isProved: name === FAILS, reasons };
}

/** The page anew. `rights` are those of a log; without one the page keeps its tests and reasons. */
export function written(
  page: string,
  template: TemplateJson,
  rights: readonly UsedRight[] | undefined,
  proofs: readonly Proof[],
): string {
  const before = shownOnPage(page, template);
  const used = rights && new Map(rights.map((right) => [keyOf(right), right]));
  const needed = new Map(proofs.filter(({ result }) => result === 'needed').map((one) => [one.statement, one.test]));
  const kinds = Map.groupBy(statementsOf(template), ([, one]) => kindOf(one.role));
  const lines = [...kinds].flatMap(([kind, statements]) => [
    ...['', `### ${kind}`, '', '| may | shown by |', '|---|---|'],
    ...statements.map(([text, one]) => {
      const earlier = before.get(text) ?? { test: undefined, isProved: false, reasons: [] };
      const known = needed.get(text) ?? (earlier.isProved ? earlier.test : undefined);
      const now = used ? usedIn(one, used) : earlier;
      const shown = known === undefined ? now : { ...now, test: known, isProved: true };
      return `| \`${text.replaceAll(' | ', ' · ')}\` | ${isOfAwsAlone(one) ? OF_AWS : cellOf(shown)} |`;
    }),
  ]);
  const [head = '', rest = ''] = page.split(BEGIN);
  const [, tail = ''] = rest.split(END);
  return [head, BEGIN, '\n', lines.join('\n').trim(), '\n\n', END, tail].join('');
}

function usedIn(one: Granted, used: ReadonlyMap<string, UsedRight>): Shown {
  const rights = rightsOf(one)
    .filter(({ isOfAws }) => !isOfAws)
    .map(ofKind);
  const reasons = new Set(rights.flatMap((right) => (used.get(keyOf(right))?.test ? [] : (reasonFor(right) ?? []))));
  const test = rights.map((right) => used.get(keyOf(right))?.test).find((name) => name !== undefined);
  return { test, isProved: false, reasons: [...reasons] };
}

function cellOf({ test, isProved, reasons }: Shown): string {
  const shown = test === undefined ? [] : [`${isProved ? FAILS : USES}${test.replaceAll('|', '/')}`];
  return [...shown, ...reasons].join('; ');
}
