/**
 * Lists the service level objectives: measure, bound, and the share that has to keep it.
 *
 * A share is of 28 days. The functions count by this table, `cdk/` makes the alarms and the dashboard from it, and `docs/operate.md`
 * shows it.
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
  /** Completes "Good is:". */
  readonly good: string;
  /** The loss of a user where it is missed, as a sentence without its full stop. */
  readonly loses: string;
}

export const OBJECTIVES = {
  decisions: {
    metric: 'DecisionLatency',
    where: { way: 'rules' },
    withinMs: 2_000,
    share: 0.999,
    raises: 'decisions',
    good: 'rules decide, or people are asked, within 2 s of the first send',
    loses: 'Agents wait for decisions that rules make alone',
  },
  'model-decisions': {
    metric: 'DecisionLatency',
    where: { way: 'model' },
    withinMs: 10_000,
    share: 0.99,
    good: 'a decision with a model or a hook comes within 10 s of the first send',
    loses: 'Agents wait for decisions that need a model or a hook',
  },
  cards: {
    metric: 'CardDelay',
    withinMs: 30_000,
    share: 0.995,
    // Questions that nobody can see have a page of their own.
    good: 'a question has its card in Slack within 30 s',
    loses: 'People do not see the questions that wait for them',
  },
  clicks: {
    metric: 'ClickAck',
    withinMs: 2_500,
    share: 0.999,
    raises: 'clicks',
    good: 'a click is answered within 2.5 s, and not with an error',
    loses: 'People who click see an error of Slack',
  },
  answers: {
    metric: 'AnswerDelay',
    withinMs: 5_000,
    share: 0.995,
    good: "people's answer is a decision within 5 s",
    loses: 'Agents wait although people have answered',
  },
  endings: {
    metric: 'ExpiryLag',
    withinMs: 60_000,
    share: 0.999,
    good: 'a question that nobody answers ends within 60 s of its time',
    loses: 'Questions whose time is over end late',
  },
  redeems: {
    metric: 'RedeemTime',
    withinMs: 1_000,
    share: 0.999,
    good: 'a permit is answered within 1 s, and not with a fault',
    loses: 'Approved calls wait for their permit, or do not run',
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
