/** Checks which alarm tells of each incident, which of them wake somebody, and that nothing else does. */
import { describe, expect, inject, test } from 'vitest';
import { all, type TemplateJson } from './support/template.ts';

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
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[];
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

describe('incidents that woke nobody', () => {
  test.each([
    ['nobody answers, every question expires', 'ticket/PeopleAlarms/UnansweredAlarm', 'ApprovalsEnded'],
    ['clicks take over three seconds', 'ticket/Slack/SlowAlarm', 'UrlRequestLatency'],
    ['many clicks take over three seconds, or fail', 'cause/Objectives/clicksFastBurnAlarm', 'Sli'],
    ['a fifth of the decisions are errors', 'ticket/PeopleAlarms/RefusedAlarm', 'ProposalsRefused'],
    ['every decision is an error', 'cause/PeopleAlarms/AllRefusedAlarm', 'ProposalsRefused'],
    ['agents can no longer send', 'cause/Canary/UnansweredAlarm', 'CanaryPassed'],
    ['an unregistered sender floods', 'ticket/PeopleAlarms/UnregisteredAlarm', 'ProposalsRefused'],
    ['DynamoDB throttles', 'ticket/TableAlarms/ThrottledAlarm', 'WriteThrottleEvents'],
    ['KMS or another right is denied to those who are waited for', 'cause/Waited/FaultsAlarm', 'Faults'],
    ['a bundle does not start', 'cause/Entrances/ErrorsAlarm', 'Errors'],
    ['KMS or another right is denied to any function', 'ticket/Any/FaultsAlarm', 'Faults'],
    ['StartExecution or a transition is throttled', 'ticket/Workflow/ThrottledAlarm', 'ExecutionThrottled'],
    ['the rule of reconcile fails', 'cause/Reconcile/StoppedAlarm', 'Invocations'],
    ['the rule of seal fails', 'ticket/Seal/StoppedAlarm', 'SealsWritten'],
    ['somebody else uses up the concurrency of the account', 'ticket/Functions/Throttles1Alarm', 'Throttles'],
    ['evaluate comes near its time-out', 'ticket/Evaluate/NearTimeoutAlarm', 'Duration'],
    ['reconcile comes near its time-out', 'ticket/Reconcile/NearTimeoutAlarm', 'Duration'],
    ['the token of Slack has ended, before any card', 'ticket/SlackOut/UnreachableAlarm', 'SlackReachable'],
    ['a model is away', 'ticket/ToolAlarms/ModelsAlarm', 'ModelErrors'],
    ['a hook throws', 'ticket/ToolAlarms/HooksAlarm', 'HookErrors'],
    ['requests are forged', 'ticket/Slack/ForgedAlarm', 'ForgedRequests'],
    ['the gate allows what it must deny', 'page/Canary/WrongVerdictAlarm', 'CanaryWrong'],
    ['somebody changes the record', 'page/RecordAlarms/ChangedAlarm', 'RecordChanged'],
    [
      'dead letters of proposals that nobody answers',
      'cause/Queues/ProposalsMoreDeadAlarm',
      'ApproximateNumberOfMessagesVisible',
    ],
    ['a card is dead-lettered after another', 'cause/Queues/CardsMoreDeadAlarm', 'ApproximateNumberOfMessagesVisible'],
    ['dead letters cannot be answered', 'cause/Deliberate/UnansweredLettersAlarm', 'DeadLettersUnanswered'],
    ['a pause is forgotten', 'ticket/Reconcile/PauseAlarm', 'OldestPause'],
  ])('%s: %s', (_, name, metric) => {
    expect(metricsOf(name)).toContain(metric);
    expect(tells(name)).toMatch(/^(page|ticket)\//);
  });

  test('silence is a fault of what has to happen all the time, and of nothing else', () => {
    const silent = metricAlarms.filter(({ properties }) => properties.TreatMissingData === 'breaching');
    expect(silent.map(({ properties }) => nameOf(properties)).toSorted()).toEqual([
      'cause/Canary/UnansweredAlarm',
      'cause/Reconcile/StoppedAlarm',
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
