/** Makes the queues, each with its dead-letter queue and an alarm on it: no message ends unseen. */
import { Duration } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  LATE_AFTER_S,
  MAX_RECEIPTS,
  MAX_RECEIPTS_OF_PEOPLE,
  MAX_RECEIPTS_OF_SENDERS,
  WEBHOOK_PAUSES_S,
} from '../../../shared/config/schema/defaults.ts';
import { alarmAt } from '../alarm/alarm.ts';
import { grown } from '../alarm/alarm-math.ts';
import { deadText, isMissed, lateText, type QueueName } from './queue-alarms.ts';

/** The most that SQS knows. `slack-out` sends a card again before it was received so often: Slack may be down for as long as it likes. */
const CARD_RECEIPTS = 1_000;
/** The most that SQS knows: a card waits as long as its approval, and the row says whether it is still posted. */
const CARD_DAYS = 14;
const WEBHOOK_DAYS = 4;
/** Six times what the slower of the functions may take that answer dead letters of proposals. */
const ANSWERED_S = 360;

interface QueueOptions {
  readonly encryptionKey: IKey | undefined;
  /** Local endpoints carry no metric math. */
  readonly development: boolean;
}

export class GateQueues extends Construct {
  readonly proposals: Queue;
  readonly deferred: Queue;
  readonly operators: Queue;
  readonly cards: Queue;
  /** Messages of people to the task agent: a group is one person's conversation. */
  readonly conversation: Queue;
  readonly executions: Queue;
  readonly outcomes: Queue;
  /** Events for webhooks, one for each that is told. */
  readonly webhooks: Queue;
  /** All of the above. */
  readonly live: Queue[] = [];
  /** Where each of them sets aside what could not be processed. */
  get dead(): Queue[] {
    return [...this.#deadOf.values()];
  }
  readonly #deadOf = new Map<Queue, Queue>();
  readonly alarms: AlarmBase[] = [];

  constructor(scope: Construct, id: string, { encryptionKey, development }: QueueOptions) {
    super(scope, id);
    const encrypted = encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED };
    const queue = (name: QueueName, props: QueueProps, receipts = MAX_RECEIPTS): Queue => {
      // Lines share nothing, so that each may be as fast as FIFO queues are.
      const fifo = props.fifo
        ? {
            fifo: true,
            deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
            fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
          }
        : {};
      const dead = new Queue(this, `${name}Dead`, {
        ...encrypted,
        ...fifo,
        enforceSSL: true,
        retentionPeriod: Duration.days(14),
        visibilityTimeout: Duration.seconds(Math.max(ANSWERED_S, props.visibilityTimeout?.toSeconds() ?? 0)),
      });
      const minute = { period: Duration.minutes(1), statistic: 'Maximum' };
      const inDead = dead.metricApproximateNumberOfMessagesVisible(minute);
      // The level stays where it is until somebody mends it: each letter that somebody waits for has to be told, the first and all further ones.
      const isPage = isMissed(name);
      this.alarms.push(alarmAt(this, `${name}DeadAlarm`, inDead, 1, deadText(name, receipts, isPage && development)));
      // SQS counts late, by a minute or two.
      if (!development && isPage)
        this.alarms.push(
          alarmAt(this, `${name}MoreDeadAlarm`, grown(inDead), 1, deadText(name, receipts, true), { of: 3, breach: 1 }),
        );
      const live = new Queue(this, name, {
        ...encrypted,
        enforceSSL: true,
        ...props,
        ...fifo,
        deadLetterQueue: { queue: dead, maxReceiveCount: receipts },
      });
      this.#deadOf.set(live, dead);
      this.live.push(live);
      const lateAfterS = LATE_AFTER_S[name];
      const age = live.metricApproximateAgeOfOldestMessage(minute);
      this.alarms.push(alarmAt(this, `${name}LateAlarm`, age, lateAfterS, lateText(name, lateAfterS)));
      return live;
    };
    const day = Duration.days(1);
    // Each visibility time-out is at least six times its function's time-out.
    this.proposals = queue('Proposals', { retentionPeriod: day, visibilityTimeout: Duration.seconds(60) });
    this.deferred = queue('Deferred', {
      retentionPeriod: day,
      visibilityTimeout: Duration.seconds(360),
    });
    this.operators = queue(
      'Operators',
      { retentionPeriod: day, visibilityTimeout: Duration.seconds(180) },
      MAX_RECEIPTS_OF_SENDERS,
    );
    // A message waits for the calls before it, which may take their time.
    this.executions = queue(
      'Executions',
      { retentionPeriod: day, visibilityTimeout: Duration.seconds(1_800) },
      MAX_RECEIPTS_OF_SENDERS,
    );
    this.outcomes = queue(
      'Outcomes',
      { retentionPeriod: day, visibilityTimeout: Duration.seconds(180) },
      MAX_RECEIPTS_OF_SENDERS,
    );
    // Posts of one agent in a channel are a group, its updates there another; Slack's limits are kept by waiting.
    const cards = {
      fifo: true,
      retentionPeriod: Duration.days(CARD_DAYS),
      visibilityTimeout: Duration.seconds(120),
    };
    this.cards = queue('Cards', cards, CARD_RECEIPTS);
    const byPerson = { fifo: true, retentionPeriod: day, visibilityTimeout: Duration.seconds(180) };
    this.conversation = queue('Talk', byPerson, MAX_RECEIPTS_OF_PEOPLE);
    this.webhooks = queue(
      'Webhooks',
      { retentionPeriod: Duration.days(WEBHOOK_DAYS), visibilityTimeout: Duration.seconds(180) },
      WEBHOOK_PAUSES_S.length + 1,
    );
  }
  /** Where `live`, one of these, sets aside what could not be processed. */
  deadOf(live: Queue): Queue {
    const dead = this.#deadOf.get(live);
    if (!dead) throw new Error(`${live.node.path} is no queue of the gate`);
    return dead;
  }
}
