/**
 * Makes alarms that are quiet where nothing happens.
 *
 * Records the tier of each alarm, and the text for its reader.
 */
import {
  type AlarmBase,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** A page wakes somebody: agents or people wait. A ticket is for the next working day. A cause tells nobody: it raises a page of several causes. */
type Tier = 'page' | 'ticket' | 'cause';

/** The pages that several causes raise: a night with one fault has one page. */
export type PageName = 'decisions' | 'clicks' | 'questions' | 'repairs' | 'dead-letters';

export interface AlarmText {
  readonly tier: Tier;
  /** The page that a cause raises. */
  readonly raises?: PageName;
  /** The loss of a user, as a sentence without its full stop. */
  readonly loses: string;
  /** The command, or the log, to begin with. */
  readonly first: string;
  /** A heading of docs/runbook.md, as its link has it. */
  readonly section: string;
}

export interface AlarmOptions {
  readonly deployment: string;
  /** Local endpoints carry no metric math and no composite alarms: shares are plain counts there, and each cause is a page of its own. */
  readonly development: boolean;
  /** Whether the canary runs on a schedule: without one its silence is no fault. */
  readonly hasCanary: boolean;
}

export const ticket = (section: string, loses: string, first: string): AlarmText => ({
  tier: 'ticket',
  section,
  loses,
  first,
});
export const page = (section: string, loses: string, first: string): AlarmText => ({
  ...ticket(section, loses, first),
  tier: 'page',
});

export const cause = (raises: PageName, section: string, loses: string, first: string): AlarmText => ({
  ...ticket(section, loses, first),
  tier: 'cause',
  raises,
});

/** The faults of a function, as its log shows them. */
export const logOf = (name: string) => `the log of ${name}, filter { $.fault = * }`;

interface Periods {
  /** How many periods are looked at, and how many of them have to breach. */
  readonly of: number;
  readonly breach?: number;
}

const texts = new WeakMap<AlarmBase, AlarmText>();

/** @throws Error for an alarm that was not made here. */
export function textOf(alarm: AlarmBase): AlarmText {
  const text = texts.get(alarm);
  if (!text) throw new Error(`${alarm.node.path} has no text`);
  return text;
}

/** The words that whoever is told reads first. */
export const descriptionOf = (deployment: string, { loses, first, section }: AlarmText): string =>
  `${deployment}: ${loses}. First: ${first}. Then: docs/runbook.md#${section}`;

export function alarmAt(
  scope: Construct,
  id: string,
  metric: Metric | MathExpression,
  threshold: number,
  text: AlarmText,
  { of, breach = of }: Periods = { of: 1 },
): AlarmBase {
  return remember(
    metric.createAlarm(scope, id, {
      threshold,
      evaluationPeriods: of,
      ...(breach === of ? {} : { datapointsToAlarm: breach }),
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }),
    text,
  );
}

/** Where there are samples, and all of a period are less than the threshold. */
export function alarmBelow(
  scope: Construct,
  id: string,
  metric: Metric | MathExpression,
  threshold: number,
  text: AlarmText,
  { of }: Periods,
): AlarmBase {
  return remember(
    metric.createAlarm(scope, id, {
      threshold,
      evaluationPeriods: of,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }),
    text,
  );
}

/** For what has to happen all the time: silence is the fault. */
export function alarmWithout(
  scope: Construct,
  id: string,
  metric: Metric | MathExpression,
  text: AlarmText,
): AlarmBase {
  return remember(
    metric.createAlarm(scope, id, {
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    }),
    text,
  );
}

/** Gives an alarm its text. */
export function remember<One extends AlarmBase>(alarm: One, text: AlarmText): One {
  texts.set(alarm, text);
  return alarm;
}
