/** Counts the series that a policy's functions write where all of it is busy, and their price a month. */
import { FUNCTIONS } from '../../../cdk/constructs/functions/function-names.ts';
import { isWritten, METRICS, type MetricMode, type MetricName } from '../../../shared/config/metric-names.ts';
import { OBJECTIVES } from '../../../shared/config/objectives.ts';
import { COUNTED, PRICES } from './prices.ts';

/** How many of each a policy names. */
export interface PolicySize {
  readonly name: string;
  readonly agentsWithQueue: number;
  readonly tools: number;
  readonly groups: number;
  readonly models: number;
  readonly hooks: number;
  readonly webhooks: number;
  readonly budgets: number;
}

export const SIZES: readonly PolicySize[] = [
  { name: 'small', agentsWithQueue: 0, tools: 5, groups: 1, models: 0, hooks: 0, webhooks: 0, budgets: 1 },
  { name: 'middle', agentsWithQueue: 2, tools: 30, groups: 4, models: 1, hooks: 1, webhooks: 1, budgets: 10 },
  { name: 'large', agentsWithQueue: 10, tools: 200, groups: 15, models: 3, hooks: 4, webhooks: 4, budgets: 60 },
];

/** Values of dimensions that no policy names: as many as are usual, which is fewer than there are. */
const USUAL = {
  fault: 5,
  queue: 2,
  outcome: 6,
  reason: 5,
  path: 4,
  way: 2,
  status: 5,
  code: 4,
  check: 3,
  change: 1,
  problem: 2,
};

function valuesOf(policy: PolicySize): Readonly<Record<string, number>> {
  return {
    ...USUAL,
    function: FUNCTIONS.length,
    objective: Object.keys(OBJECTIVES).length,
    agent: policy.agentsWithQueue,
    // All that no policy names are one.
    tool: policy.tools + 1,
    origin: 1,
    group: policy.groups,
    model: policy.models,
    use: 1,
    hook: policy.hooks,
    webhook: policy.webhooks,
    budget: policy.budgets,
  };
}

/** Metrics that are written only where the policy names such a thing. */
const NEEDS: readonly (readonly [RegExp, keyof PolicySize])[] = [
  [/^Model/, 'models'],
  [/^Hook/, 'hooks'],
  [/^Webhooks/, 'webhooks'],
  [/^budget_used$/, 'budgets'],
];

export function seriesOf(policy: PolicySize, mode: MetricMode): number {
  const values = valuesOf(policy);
  return Object.entries(METRICS)
    .filter(([name]) => NEEDS.every(([pattern, needed]) => !pattern.test(name) || policy[needed]))
    .map(([name, { by }]) => {
      const sets = ([[], ...by] as readonly (readonly string[])[]).filter((set) =>
        isWritten(mode, name as MetricName, set),
      );
      return sets
        .map((set) => set.reduce((product, one) => product * (values[one] ?? 0), 1))
        .reduce((a, b) => a + b, 0);
    })
    .reduce((a, b) => a + b, 0);
}

const { perAlarmMonth, perCompositeMonth, perMetricMonth } = PRICES.cloudWatch;
export const seriesDollars = (series: number): number => series * perMetricMonth;
/** A month of all alarms, of which none ever fires. */
export const alarmDollars = (): number =>
  COUNTED.alarms.metrics * perAlarmMonth + COUNTED.alarms.composites * perCompositeMonth;
