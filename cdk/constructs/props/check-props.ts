/** Refuses wrong properties of the construct at synthesis. */
import { statSync } from 'node:fs';
import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { METRIC_MODES } from '../../../shared/config/metric-names.ts';
import { SEAL_KEYS } from '../../../shared/domain/archive/seal-key.ts';
import { isLoopback } from '../../../shared/domain/loopback.ts';
import { ARCHIVE_LOCKS, MAX_RETENTION, MIN_RETENTION } from '../data/record-archive.ts';
import { TRAIL } from '../data/record-readers.ts';
import { checkKinds } from './check-kinds.ts';
import { type CountersignProps, SHIFTS, TRACINGS } from './props.ts';

/** @throws Error that names the prop. */
export function checkProps(props: CountersignProps): void {
  checkKinds(props);
  const { slackAppId, slackApiUrl, llmBaseUrl, logRetention, archiveRetention, removalPolicy } = props;
  const development = removalPolicy === RemovalPolicy.DESTROY;
  for (const [prop, allowed] of Object.entries(CHOICES)) {
    const given = props[prop as keyof typeof CHOICES];
    if (given !== undefined && !allowed.some((one) => one === given))
      throw new Error(`${prop}: must be one of ${allowed.join(', ')}`);
  }
  const { policyFile, slackConcurrency, eventBus } = props;
  if (!policyFile || !statSync(policyFile, { throwIfNoEntry: false })?.isFile())
    throw new Error(`policyFile: there is no file ${policyFile}`);
  // With none of it no click would be answered.
  if (slackConcurrency !== undefined && slackConcurrency !== 'unreserved' && !isCount(slackConcurrency))
    throw new Error("slackConcurrency: must be a whole number from 1 on, or 'unreserved'");
  if (typeof eventBus === 'string' && !['log', 'none'].includes(eventBus))
    throw new Error("eventBus: must be a bus, such as EventBus.fromEventBusName(…), 'log' or 'none'");
  if (props.alarmTopics && props.alarmTopic) throw new Error('alarmTopic: is given beside alarmTopics');
  if (!/^A[A-Z0-9]+$/.test(slackAppId)) throw new Error('slackAppId: must be the Slack app id, such as A0123ABCD');
  if (slackApiUrl !== undefined && !isSafeApi(slackApiUrl)) {
    throw new Error('slackApiUrl: must be https with a slash at its end; plain http is for loopback only');
  }
  if (llmBaseUrl !== undefined && !isSafeApi(`${llmBaseUrl.replace(/\/$/, '')}/`)) {
    throw new Error('llmBaseUrl: must be https; plain http is for loopback only');
  }
  if (!development && logRetention !== undefined && logRetention < RetentionDays.SIX_MONTHS)
    throw new Error(
      'logRetention: logs are kept at least six months outside development, which removalPolicy DESTROY stands for (G38)',
    );
  checkRetention(archiveRetention, development);
  const { encryptionKey, archiveCopy } = props;
  if (encryptionKey && archiveCopy && !archiveCopy.encryptionKey)
    throw new Error('archiveCopy: needs an encryptionKey of its own, as the archive has one');
}

/** The longest name of an alarm. */
const MAX_ALARM_NAME = 255;
const MAX_TRAIL_NAME = 128;

/** Refuses a name, stated or made of the construct's path, that AWS would refuse at deployment. @throws Error that names the prop. */
export function checkDeployment(
  deployment: string,
  { logReaders = false }: Pick<CountersignProps, 'logReaders'>,
): void {
  const refuse = (problem: string): never => {
    throw new Error(`deployment: ${deployment} ${problem}`);
  };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(deployment)) refuse('must be letters, digits, and . _ - between them');
  if (/^(?:aws|ssm)/i.test(deployment))
    refuse('begins with aws or ssm, which AWS keeps for its own parameters in SSM: choose another name');
  if (!logReaders) return;
  if (/[._-]{2}|[._-]$/.test(deployment))
    refuse('has two of . _ - in a row, or one at its end, which no trail of CloudTrail (logReaders) may have');
  if (deployment.length + TRAIL.length > MAX_TRAIL_NAME)
    refuse(
      `has more than ${MAX_TRAIL_NAME - TRAIL.length} characters, the most with a trail of CloudTrail (logReaders)`,
    );
}

/** An alarm of an agent's own queue holds the names of the deployment and the agent. @throws Error that names the prop. */
export function checkedAlarmName(name: string): string {
  if (name.length > MAX_ALARM_NAME)
    throw new Error(
      `deployment: the alarm ${name} has more than ${MAX_ALARM_NAME} characters: shorten the name of the deployment or of the agent`,
    );
  return name;
}

function checkRetention(stated: CountersignProps['archiveRetention'], development: boolean): void {
  if (!stated) return;
  // S3 counts the days of a lock, and locks nothing for none.
  const days = stated.toDays({ integral: false });
  if (!Number.isInteger(days) || days < 1)
    throw new Error('archiveRetention: must be a whole number of days, from 1 on');
  if (!development && days < MIN_RETENTION.toDays())
    throw new Error(`archiveRetention: at least ${MIN_RETENTION.toDays()} days outside development`);
  if (days > MAX_RETENTION.toDays())
    throw new Error(`archiveRetention: at most ${MAX_RETENTION.toDays()} days, for which S3 locks an object`);
}

/** A word that is none of these would be taken for another one: a lock that is misspelt for the weaker. */
const CHOICES = {
  shift: SHIFTS,
  metrics: METRIC_MODES,
  tracing: TRACINGS,
  archiveLock: ARCHIVE_LOCKS,
  archiveKey: SEAL_KEYS,
  accountsAllowed: ['loopback'],
} as const satisfies Partial<Record<keyof CountersignProps, readonly string[]>>;

const isCount = (value: number): boolean => Token.isUnresolved(value) || (Number.isInteger(value) && value >= 1);

/** The bot token, or the model's key, goes there with every call. */
function isSafeApi(text: string): boolean {
  if (!URL.canParse(text) || !text.endsWith('/')) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
