/**
 * Writes and reads docs/reference/rights.md, the table of all statements of all roles.
 *
 * Beside each statement stands the test that fails without it. A statement whose test is not proved anew keeps the test that the page has.
 */
import { readFileSync, writeFileSync } from 'node:fs';
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
const OF_AWS = 'Lambda, Step Functions or the log service, in the name of the role';

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

export function written(template: TemplateJson, rights: readonly UsedRight[], proofs: readonly Proof[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const before = rowsOfPage(page);
  const used = new Map(rights.map((right) => [keyOf(right), right]));
  const needed = new Map(proofs.filter(({ result }) => result === 'needed').map((one) => [one.statement, one.test]));
  const kinds = Map.groupBy(statementsOf(template), ([, one]) => kindOf(one.role));
  const lines = [...kinds].flatMap(([kind, statements]) => [
    ...['', `### ${kind}`, '', '| may | shown by |', '|---|---|'],
    ...statements.map(([text, one]) => {
      const earlier = before.get(text);
      const known = needed.get(text) ?? (earlier?.startsWith(FAILS) ? earlier.slice(FAILS.length) : undefined);
      return `| \`${text.replaceAll(' | ', ' · ')}\` | ${shownBy(one, known, used)} |`;
    }),
  ]);
  const [head = '', rest = ''] = page.split(BEGIN);
  const [, tail = ''] = rest.split(END);
  writeFileSync(PAGE, [head, BEGIN, '\n', lines.join('\n').trim(), '\n\n', END, tail].join(''));
}

function shownBy(one: Granted, proof: string | undefined, used: ReadonlyMap<string, UsedRight>): string {
  if (isOfAwsAlone(one)) return OF_AWS;
  const rights = rightsOf(one)
    .filter(({ isOfAws }) => !isOfAws)
    .map(ofKind);
  const reasons = new Set(rights.flatMap((right) => (used.get(keyOf(right))?.test ? [] : (reasonFor(right) ?? []))));
  const test = rights.map((right) => used.get(keyOf(right))?.test).find((name) => name !== undefined);
  const shown = proof === undefined ? (test === undefined ? [] : [`${USES}${test}`]) : [`${FAILS}${proof}`];
  return [...shown.map((text) => text.replaceAll('|', '/')), ...reasons].join('; ');
}
