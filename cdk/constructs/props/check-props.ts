/** Refuses wrong properties of the construct at synthesis. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { METRIC_MODES } from '../../../shared/config/metric-names.ts';
import { isLoopback } from '../../../shared/domain/loopback.ts';
import { MIN_RETENTION } from '../data/record-archive.ts';
import { type CountersignProps, SHIFTS, TRACINGS } from './props.ts';

/** @throws Error that names the prop. */
export function checkProps(props: CountersignProps): void {
  const { slackAppId, slackApiUrl, llmBaseUrl, logRetention, archiveRetention, removalPolicy } = props;
  const development = removalPolicy === RemovalPolicy.DESTROY;
  for (const [prop, allowed] of Object.entries({ shift: SHIFTS, metrics: METRIC_MODES, tracing: TRACINGS } as const)) {
    const given = props[prop as 'shift' | 'metrics' | 'tracing'];
    if (given !== undefined && !allowed.some((one) => one === given))
      throw new Error(`${prop}: must be one of ${allowed.join(', ')}`);
  }
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
  if (!development && archiveRetention && archiveRetention.toDays() < MIN_RETENTION.toDays())
    throw new Error(`archiveRetention: at least ${MIN_RETENTION.toDays()} days outside development`);
  const { encryptionKey, archiveCopy } = props;
  if (encryptionKey && archiveCopy && !archiveCopy.encryptionKey)
    throw new Error('archiveCopy: needs an encryptionKey of its own, as the archive has one');
}

/** The bot token, or the model's key, goes there with every call. */
function isSafeApi(text: string): boolean {
  if (!URL.canParse(text) || !text.endsWith('/')) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
