/** The queues, each with its dead-letter queue and an alarm on it: no message ends unseen (G33). */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** After this many receipts a message is set aside (G33). */
const RECEIPTS = 5;

export class GateQueues extends Construct {
  readonly proposals: Queue;
  readonly deferred: Queue;
  readonly operators: Queue;
  readonly cards: Queue;
  readonly alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, { encryptionKey }: { readonly encryptionKey: IKey | undefined }) {
    super(scope, id);
    const encrypted = encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED };
    const queue = (name: string, props: QueueProps): Queue => {
      const fifo = props.fifo ? { fifo: true } : {};
      const dead = new Queue(this, `${name}Dead`, {
        ...encrypted,
        ...fifo,
        enforceSSL: true,
        retentionPeriod: Duration.days(14),
      });
      const alarm = dead
        .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' })
        .createAlarm(this, `${name}DeadAlarm`, {
          alarmDescription: `A message of ${name} could not be worked ${RECEIPTS} times`,
          threshold: 1,
          evaluationPeriods: 1,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        });
      this.alarms.push(alarm);
      return new Queue(this, name, {
        ...encrypted,
        enforceSSL: true,
        ...props,
        deadLetterQueue: { queue: dead, maxReceiveCount: RECEIPTS },
      });
    };
    const day = Duration.days(1);
    this.proposals = queue('Proposals', { retentionPeriod: day, visibilityTimeout: Duration.seconds(60) });
    this.deferred = queue('Deferred', { retentionPeriod: day, visibilityTimeout: Duration.seconds(360) });
    this.operators = queue('Operators', { retentionPeriod: day, visibilityTimeout: Duration.seconds(180) });
    // A channel is a group: its cards are posted in order, one at a time, and Slack's limit is kept by waiting (A22).
    this.cards = queue('Cards', { fifo: true, retentionPeriod: day, visibilityTimeout: Duration.seconds(120) });
    this.alarms.push(
      this.cards
        .metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' })
        .createAlarm(this, 'CardsLateAlarm', {
          alarmDescription: 'Cards have waited two minutes for Slack',
          threshold: 120,
          evaluationPeriods: 1,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    );
  }
}
