/**
 * Lists the service level objectives: measure, bound, and the share that has to keep it.
 *
 * A share is of 28 days. The functions count by this table, `cdk/` makes the alarms and the dashboard from it, and `docs/operate.md`
 * shows it. The words for people are `OBJECTIVE_TEXTS` of `cdk/`, which no function loads.
 */
import type { MetricName } from './metric-names.ts';

export interface Objective {
  /** The metric that is compared with the bound, each sample once. */
  readonly metric: MetricName;
  /** Counts these samples only. */
  readonly where?: Readonly<Record<string, string>>;
  readonly withinMs: number;
  /** The share of all samples that have to be good, from 0 to 1. */
  readonly share: number;
  /** The page for a fast loss (two days spend the budget of 28). Slower losses make a ticket; without a page, fast ones do, too. */
  readonly raises?: 'decisions' | 'clicks';
}

export const OBJECTIVES = {
  decisions: {
    metric: 'DecisionLatency',
    where: { way: 'rules' },
    withinMs: 2_000,
    share: 0.999,
    raises: 'decisions',
  },
  'model-decisions': {
    metric: 'DecisionLatency',
    where: { way: 'model' },
    withinMs: 10_000,
    share: 0.99,
  },
  cards: {
    metric: 'CardDelay',
    withinMs: 30_000,
    share: 0.995,
    // Questions that nobody can see have a page of their own.
  },
  clicks: {
    metric: 'ClickAck',
    withinMs: 2_500,
    share: 0.999,
    raises: 'clicks',
  },
  answers: {
    metric: 'AnswerDelay',
    withinMs: 5_000,
    share: 0.995,
  },
  endings: {
    metric: 'ExpiryLag',
    withinMs: 60_000,
    share: 0.999,
  },
  redeems: {
    metric: 'RedeemTime',
    withinMs: 1_000,
    share: 0.999,
  },
} as const satisfies Readonly<Record<string, Objective>>;

export type ObjectiveName = keyof typeof OBJECTIVES;

/** The objectives that a sample counts for. `by`: the sets of dimensions that it is written under. */
export const objectivesOf = (
  metric: string,
  by: readonly Readonly<Record<string, string>>[],
): (Objective & { readonly name: ObjectiveName })[] =>
  Object.entries(OBJECTIVES as Readonly<Record<ObjectiveName, Objective>>)
    .filter(([, one]) => one.metric === metric && holds(one.where ?? {}, by))
    .map(([name, one]) => ({ ...one, name: name as ObjectiveName }));

const holds = (where: Readonly<Record<string, string>>, by: readonly Readonly<Record<string, string>>[]): boolean =>
  Object.entries(where).every(([name, value]) => by.some((set) => set[name] === value));
