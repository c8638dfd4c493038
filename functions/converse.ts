/** Answers what people say to the task agent in Slack, one message at a time, in the order of their conversation; may ask a model (A11). */
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { dynamoReplyStore } from '../shared/adapters/dynamodb/reply-store.ts';
import { SlackBusyError, SlackRefusedError } from '../shared/adapters/slack/errors.ts';
import { slackSpeaker } from '../shared/adapters/slack/task-speaker.ts';
import { type TalkGate, talk } from '../shared/pipeline/talk.ts';
import { systemClock } from '../shared/ports/clock.ts';
import type { Said } from '../shared/ports/task-talk.ts';
import { dynamo } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, faultName, logger, publishMetrics } from './runtime/observe.ts';
import { afterTimer, onceResolved } from './runtime/once.ts';
import { slackSecrets } from './runtime/secrets.ts';
import { taskClassifierOf } from './runtime/task-model.ts';
import { baseOf, shell, storesOf } from './runtime/wiring.ts';

const env = readEnv('converse');
const secrets = slackSecrets(env.SLACK_SECRET, systemClock);

const wired = onceResolved(async (): Promise<Omit<TalkGate, 'speaker'>> => {
  const base = await baseOf(env);
  return {
    ...base,
    ...storesOf(env),
    shell,
    said: dynamoReplyStore(dynamo(), { state: env.STATE_TABLE }),
    taskClassifier: taskClassifierOf(base.policy, env.LLM_BASE_URL),
    after: afterTimer,
  };
});

export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { body, messageId } of Records) {
    try {
      const { botToken } = await secrets.get();
      const gate = { ...(await wired()), speaker: slackSpeaker(botToken, env.SLACK_API_URL) };
      const { kind } = await talk(JSON.parse(body) as Said, gate);
      count('TaskMessagesAnswered', 1, { kind });
    } catch (error) {
      if (error instanceof SlackRefusedError) refused(error);
      else {
        logger.warn('a message to the task agent could not be answered', { fault: faultName(error) });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
  }
  publishMetrics();
  return { batchItemFailures };
}

/** What Slack will never take is decided all the same, and holds up nobody. */
function refused({ reason }: SlackRefusedError): void {
  count('TaskRepliesRefused');
  logger.error('Slack refused a reply', { reason });
}
