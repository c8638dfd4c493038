/** Checks which alarm tells of each incident, which of them wake somebody, and that nothing else does. */
import { runInNewContext } from 'node:vm';
import { describe, expect, inject, test } from 'vitest';
import { INCIDENTS } from '../../support/incidents.ts';
import { all, type TemplateJson } from '../support/template.ts';

const template = JSON.parse(inject('production')) as TemplateJson;
const NAME = /^Gate-Test\//;

interface Metric {
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}
interface Alarm extends Metric {
  readonly AlarmName: string;
  readonly AlarmRule?: { readonly 'Fn::Join': readonly [string, readonly unknown[]] };
  readonly TreatMissingData?: string;
  readonly Metrics?: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: Metric };
  }[];
}

const metricAlarms = all<Alarm>(template, 'AWS::CloudWatch::Alarm');
const composites = all<Alarm>(template, 'AWS::CloudWatch::CompositeAlarm');
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace(NAME, '');
const names = [...composites, ...metricAlarms].map(({ properties }) => nameOf(properties));
const tier = (of: string) => names.filter((name) => name.startsWith(`${of}/`)).toSorted();

/** By the name of the page: the causes that its rule names. */
const causesOf = new Map(
  composites.map(({ properties }) => [
    nameOf(properties),
    metricAlarms
      .filter(({ id }) => JSON.stringify(properties.AlarmRule).includes(`"${id}"`))
      .map((one) => nameOf(one.properties))
      .toSorted(),
  ]),
);

test('seven pages: five that several causes raise, the record that was changed, and a wrong verdict', () => {
  expect(tier('page')).toEqual([
    'page/Canary/WrongVerdictAlarm',
    'page/ClicksPage',
    'page/DeadLettersPage',
    'page/DecisionsPage',
    'page/QuestionsPage',
    'page/RecordAlarms/ChangedAlarm',
    'page/RepairsPage',
  ]);
});

test('each cause raises one page', () => {
  expect(Object.fromEntries(causesOf)).toEqual({
    'page/DecisionsPage': [
      'cause/Canary/UnansweredAlarm',
      'cause/Deliberate/UnansweredLettersAlarm',
      'cause/Entrances/ErrorsAlarm',
      'cause/Objectives/decisionsFastBurnAlarm',
      'cause/PeopleAlarms/AllRefusedAlarm',
      'cause/Queues/ProposalsLateAlarm',
      'cause/Waited/FaultsAlarm',
    ],
    'page/ClicksPage': ['cause/Objectives/clicksFastBurnAlarm', 'cause/Slack/UnansweredAlarm'],
    'page/QuestionsPage': [
      'cause/Reconcile/HiddenAlarm',
      'cause/SlackOut/BlockedmissingscopeAlarm',
      'cause/SlackOut/BlockedtokenrefusedAlarm',
    ],
    'page/RepairsPage': ['cause/Reconcile/BehindAlarm', 'cause/Reconcile/StoppedAlarm'],
    'page/DeadLettersPage': ['cause/Queues/CardsMoreDeadAlarm', 'cause/Queues/ProposalsMoreDeadAlarm'],
  });
  expect([...causesOf.values()].flat().toSorted()).toEqual(tier('cause'));
});

const metricsOf = (name: string): string[] => {
  const alarm = metricAlarms.find(({ properties }) => nameOf(properties) === name)?.properties;
  const found = [alarm, ...(alarm?.Metrics ?? []).map(({ MetricStat }) => MetricStat?.Metric)];
  return found.flatMap((metric) => metric?.MetricName ?? []);
};
/** The page of a cause; a page or a ticket itself. */
const tells = (name: string): string => [...causesOf].find(([, causes]) => causes.includes(name))?.[0] ?? name;

describe('incidents', () => {
  test.each(Object.entries(INCIDENTS))('%s: %s', (_, [name, metric]) => {
    expect(metricsOf(name)).toContain(metric);
    expect(tells(name)).toMatch(/^(page|ticket)\//);
  });

  test('silence is a fault of what has to happen all the time, and of nothing else', () => {
    const silent = metricAlarms.filter(({ properties }) => properties.TreatMissingData === 'breaching');
    expect(silent.map(({ properties }) => nameOf(properties)).toSorted()).toEqual([
      'cause/Canary/UnansweredAlarm',
      'cause/Reconcile/StoppedAlarm',
      'ticket/ArchiveAudit/SilentAlarm',
      'ticket/Seal/StoppedAlarm',
    ]);
  });
});

describe('wake-ups that were needless', () => {
  test.each([
    ['an open breaker', 'CircuitAlarm'],
    ['throttles', 'Functions/Throttles'],
    ['a function that failed once', 'Functions/Errors'],
    ['cards that wait for their turn', 'CardsLateAlarm'],
    ['a card that Slack refuses', 'SlackOut/RefusedAlarm'],
    ['a workflow that somebody stopped', 'Workflow/AbortedAlarm'],
    ['the level of a dead-letter queue', 'DeadAlarm'],
  ])('%s: a ticket', (_, part) => {
    const found = names.filter((name) => name.includes(part) && !name.includes('MoreDead'));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((name) => !name.startsWith('ticket/'))).toEqual([]);
  });

  test('the budget of an agent raises nothing', () => {
    expect(metricAlarms.flatMap(({ properties }) => metricsOf(nameOf(properties)))).not.toContain('budget_used');
  });
});

/** The value of an alarm's metric math for one period; a series without a figure is silent. */
function mathOf(name: string, figureOf: (metric: Metric) => number | undefined): number {
  const { Metrics = [] } = metricAlarms.find(({ properties }) => nameOf(properties) === name)?.properties ?? {};
  const figures = Metrics.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, figureOf(MetricStat.Metric)]] : []));
  const math = {
    IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    FILL: (value: number | undefined, filled: number) => value ?? filled,
  };
  const expression = Metrics.flatMap(({ Expression }) => Expression ?? []).join();
  const text = expression.replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ');
  return runInNewContext(text, { ...math, ...Object.fromEntries(figures) });
}

describe('shares', () => {
  // `ProposalsWorked` counts no message of the canary, which runs all the time.
  test.each([
    [20, 20, 1],
    [19, 40, 0],
    [9, 9, 0],
  ])('%i proposals of %i that are refused: %i', (refused, worked, value) => {
    const figures: Record<string, number> = { ProposalsRefused: refused, ProposalsWorked: worked };
    const figureOf = ({ MetricName = '' }: Metric) => figures[MetricName];
    expect(mathOf('cause/PeopleAlarms/AllRefusedAlarm', figureOf)).toBe(value);
  });

  const throttlesOf = (logicalId: RegExp, figures: Readonly<Record<string, number>>, others: number) =>
    names
      .filter((name) => name.startsWith('ticket/Functions/Throttles'))
      .map((name) =>
        mathOf(name, ({ MetricName = '', Dimensions }) =>
          logicalId.test(JSON.stringify(Dimensions)) ? figures[MetricName] : MetricName === 'Throttles' ? 0 : others,
        ),
      )
      .toSorted();

  test('a function whose runs are all throttled is told of, however busy the others are', () => {
    expect(throttlesOf(/GateSlack(?!Out)/, { Throttles: 50 }, 10_000)).toEqual([0, 0, 0, 1]);
    expect(throttlesOf(/GateSlack(?!Out)/, { Throttles: 50, Invocations: 6_000 }, 0)).toEqual([0, 0, 0, 0]);
  });

  test('no alarm takes more than the ten metrics that CloudWatch lets it have', () => {
    for (const { properties } of metricAlarms)
      expect((properties.Metrics ?? []).filter(({ MetricStat }) => MetricStat).length).toBeLessThanOrEqual(10);
  });
});

test('every index of a table that cannot keep up with writes is told of', () => {
  const tables = all<{ readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[] }>(
    template,
    'AWS::DynamoDB::Table',
  );
  const indexes = tables.flatMap(({ id, properties }) =>
    (properties.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => [id, IndexName]),
  );
  expect(indexes.length).toBeGreaterThan(0);
  for (const [id, index] of indexes)
    expect(
      mathOf('ticket/TableAlarms/ThrottledAlarm', ({ MetricName, Dimensions }) => {
        const text = JSON.stringify(Dimensions);
        return MetricName === 'WriteThrottleEvents' && text.includes(`"${id}"`) && text.includes(`"${index}"`) ? 12 : 0;
      }),
    ).toBe(12);
});
