/** Judges the benign corpus: everyday commands of coding agents, under a policy as teams write it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePolicy, type Policy } from '../../shared/config/compile.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import type { Decided } from '../../shared/permissions/model/types.ts';
import { loadShellParser } from '../../shared/permissions/shell/parser.ts';
import { evaluateCall } from '../../shared/permissions/stages/evaluate.ts';

export const BENIGN = join(import.meta.dirname, 'benign.jsonl');
const POLICY = join(import.meta.dirname, 'benign-policy.yaml');

/** The share that is let pass, at least, of all that a careful team would let pass. */
export const MIN_ALLOWED = 0.95;

export interface BenignRow {
  readonly id: string;
  readonly command: string;
  readonly mode: 'default' | 'acceptEdits';
  /** The root of the project, if the row has none. */
  readonly cwd?: string | undefined;
  /**
   * A careful team's wish under the policy: `allow` to let it pass, `ask` to be asked at least, `deny` to have it refused.
   */
  readonly expect: 'allow' | 'ask' | 'deny';
  readonly why: string;
}

export interface BenignOutcome {
  readonly row: BenignRow;
  readonly verdict: Decided['verdict'];
  readonly message: string;
}

/** Whether a line of a file of cases is a row of the corpus. */
export const isBenign = (one: object): one is BenignRow => 'command' in one && 'mode' in one && 'expect' in one;

/** Every row of the corpus, in its order. Throws a `SyntaxError` on a line that is no JSON. */
export function readBenign(): BenignRow[] {
  return readFileSync(BENIGN, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BenignRow);
}

export const loadBenignPolicy = (): Policy => compilePolicy(loadPolicy(readFileSync(POLICY, 'utf8'), POLICY));

/** Asks the gate for its verdict on each row, with neither a classifier nor a parent to ask. */
export async function judgeBenign(rows: readonly BenignRow[]): Promise<BenignOutcome[]> {
  const { rules, tools, protectedPaths, settings } = loadBenignPolicy();
  const shell = await loadShellParser();
  const { projectRoot, home } = settings.agents['coder'] ?? { projectRoot: '/', home: '/' };
  return rows.map((row) => {
    const call = {
      toolName: 'Bash',
      input: { command: row.command },
      mode: row.mode,
      cwd: row.cwd ?? projectRoot,
      projectRoot,
      home,
      tools,
      policy: rules,
      protected: protectedPaths,
      shell,
    };
    const answer = evaluateCall(call, { now: 0, classifier: { state: 'none' }, parent: { state: 'none' } });
    if (answer.kind === 'needs') throw new Error(`${row.id} needs ${answer.need.type}`);
    return { row, verdict: answer.verdict.verdict, message: answer.verdict.message };
  });
}

/** Whether the gate does what the row wants. A row that wants to be asked accepts a refusal, too. */
export function isMet({ row, verdict }: BenignOutcome): boolean {
  return row.expect === 'ask' ? verdict !== 'allow' : verdict === row.expect;
}

const wanting = (outcomes: readonly BenignOutcome[], expect: BenignRow['expect']): BenignOutcome[] =>
  outcomes.filter(({ row }) => row.expect === expect);

/** Rows that fail the corpus: whatever was to be asked or denied and was not, and needless questions beyond the share. */
export function failedBenign(outcomes: readonly BenignOutcome[]): BenignOutcome[] {
  const allow = wanting(outcomes, 'allow');
  const needless = allow.filter((outcome) => !isMet(outcome));
  const loose = outcomes.filter((outcome) => outcome.row.expect !== 'allow' && !isMet(outcome));
  return needless.length > allow.length * (1 - MIN_ALLOWED) ? [...loose, ...needless] : loose;
}

const numbers = (outcomes: readonly BenignOutcome[], expect: BenignRow['expect']): string => {
  const wanted = wanting(outcomes, expect);
  return `${wanted.filter(isMet).length} of ${wanted.length}`;
};

const line = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.padEnd(14))
    .join('')
    .trimEnd();

/** Lines to print: each row that differs with its message, then for each group how many of the wanted verdicts came. */
export function benignTable(outcomes: readonly BenignOutcome[]): string[] {
  const differing = outcomes
    .filter(({ row, verdict }) => verdict !== row.expect)
    .map(
      ({ row, verdict, message }) =>
        `${row.id}  ${row.expect} → ${verdict}  ${JSON.stringify(row.command)}  ${message}`,
    );
  const groups = Map.groupBy(outcomes, ({ row }) => row.id.replace(/-\d+$/, ''));
  const rows = [...groups, ['all', outcomes] as const].map(([group, of]) =>
    line([group, numbers(of, 'allow'), numbers(of, 'ask'), numbers(of, 'deny')]),
  );
  const allow = wanting(outcomes, 'allow');
  const share = (100 * allow.filter(isMet).length) / Math.max(1, allow.length);
  return [
    ...differing,
    '',
    line(['benign', 'allowed', 'asked', 'denied']),
    ...rows,
    `${share.toFixed(1)} % of what a careful team lets pass is allowed (at least ${100 * MIN_ALLOWED} %)`,
  ];
}
