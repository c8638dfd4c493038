/** Plays one scene of the demo as the agent, with the rights of its role: `node scene-process.ts KEY`. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { SCENES } from './scenes.ts';

const setting = (name: string): string => process.env[name] ?? '';
const agent = setting('COUNTERSIGN_AGENT');
const queueUrl = setting('COUNTERSIGN_QUEUE_URL');
const options = {
  agent,
  deployment: setting('COUNTERSIGN_DEPLOYMENT'),
  queueUrl,
  auditTable: setting('COUNTERSIGN_AUDIT_TABLE'),
  redeemFunction: setting('COUNTERSIGN_REDEEM_FUNCTION'),
  outcomesQueueUrl: setting('COUNTERSIGN_OUTCOMES_QUEUE_URL'),
};

await SCENES.find(({ key }) => key === process.argv[2])?.play({
  agent,
  queue: sqsProposalQueue(new SQSClient({}), queueUrl),
  clientFor: (id) => new CountersignClient({ ...options, newId: () => id }),
  tell: (line) => console.log(JSON.stringify(line)),
});
