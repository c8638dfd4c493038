/** Refuses properties of the stack that are of another kind than their types say. */
import { Token } from 'aws-cdk-lib';
import { checkTexts } from './constructs/props/check-kinds.ts';

/** The fields of `CountersignStackProps` that are checked. */
interface Stated {
  readonly alarmTopicArn?: unknown;
  readonly alarmTopicArns?: { readonly page?: unknown; readonly ticket?: unknown };
  readonly archiveCopyArn?: unknown;
  readonly archiveRetentionDays?: unknown;
  readonly eventBusName?: unknown;
  readonly redeem?: unknown;
}

/** The construct checks its own. @throws Error that names the prop. */
export function checkStackProps(props: Stated): void {
  if (typeof props !== 'object' || props === null)
    throw new Error('props: are missing: give at least policyFile and slackAppId');
  checkTexts<Stated>(props, ['eventBusName']);
  const { alarmTopicArn, alarmTopicArns, archiveCopyArn, archiveRetentionDays, redeem } = props;
  const arns: Readonly<Record<string, unknown>> = {
    alarmTopicArn,
    // Each of two topics is stated.
    'alarmTopicArns.page': alarmTopicArns && (alarmTopicArns.page ?? null),
    'alarmTopicArns.ticket': alarmTopicArns && (alarmTopicArns.ticket ?? null),
    archiveCopyArn,
  };
  for (const [prop, arn] of Object.entries(arns))
    if (arn !== undefined && !isArn(arn)) throw new Error(`${prop}: must be an ARN, a text that begins with arn:`);
  if (archiveRetentionDays !== undefined && typeof archiveRetentionDays !== 'number')
    throw new Error('archiveRetentionDays: must be a number');
  if (redeem !== undefined && !isTexts(redeem))
    throw new Error("redeem: must be a list of agents by their names, such as ['billing']");
}

const isArn = (given: unknown): boolean =>
  typeof given === 'string' && (Token.isUnresolved(given) || given.startsWith('arn:'));

export const isTexts = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');
