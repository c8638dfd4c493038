/**
 * Gives the reason of each right that no end-to-end test uses.
 *
 * A right that no test uses and that has no reason here fails `npm run rights`.
 */
import type { Right } from './record.ts';

interface Reason {
  /** Names of roles, without the stack's own part: `Seal` is `GateSealRole`. */
  readonly roles: readonly string[];
  readonly right: RegExp;
  /** The path that needs it. */
  readonly why: string;
  /** The test of that path. */
  readonly test: string;
}

const DECIDING = ['Evaluate', 'Deliberate', 'Resume', 'Reconcile', 'Converse'];

export const REASONS: readonly Reason[] = [
  {
    roles: ['operators', 'AuditorRole'],
    right: /^(logs:FilterLogEvents|states:DescribeExecution) /,
    why: '`countersign trace` reads what became of a proposal in logs and in the workflow',
    test: 'test/e2e/record/trace.test.ts',
  },
  {
    roles: ['Deliberate', 'Converse', 'operators'],
    right: /^dynamodb:BatchGetItem GateTablesState alias#/,
    why: 'people of a row are read by their aliases, once somebody was forgotten',
    test: 'test/e2e/record/forget.test.ts',
  },
  {
    roles: ['Slack', 'Operate'],
    right: /^lambda:InvokeFunction GateResumeFunction$/,
    why: 'a vote has the approval decided at once',
    test: 'test/e2e/approve.test.ts',
  },
  {
    roles: DECIDING,
    right: /^(dynamodb:GetItem GateTablesState token#|states:SendTask(Failure|Success) )/,
    why: 'the wait of an approval that is decided is ended',
    test: 'test/e2e/approve.test.ts',
  },
  {
    roles: ['Canary'],
    right: /^(sqs:SendMessage GateQueuesOutcomes|lambda:InvokeFunction GateRedeemFunction)$/,
    why: 'the canary redeems a permit and reports a run',
    test: 'test/unit/client/canary/canary.test.ts',
  },
  {
    roles: ['operators', 'AuditorRole'],
    right: /^lambda:GetFunctionConfiguration \w+:\*$/,
    why: 'the versions behind the alias of an entrance, which no local endpoint has',
    test: 'test/unit/cli/commands/status.test.ts',
  },
  {
    roles: ['operators'],
    right: /^dynamodb:\w+ GateTablesAudit(\/index\/\w+)? \[?(-operations|refusal\/-dead-letters|-dead-letters)/,
    why: 'results of operations from before the record had families, by facets, and entries about dead letters',
    test: 'test/unit/cli/commands/results.test.ts',
  },
  {
    roles: ['agents'],
    right: /^lambda:InvokeFunction GateRecordOutcomeFunction$/,
    why: 'an agent with `grantRedeem` that reports what it ran at once, and not by the queue',
    test: 'test/unit/use-cases/execution/redeem-outcomes.test.ts',
  },
  {
    roles: ['agents'],
    right: /^sqs:\w+ Replies$/,
    why: 'a right of the test’s own role, by the queue’s `grantConsumeMessages`: no grant of the gate',
    test: 'test/e2e/app.ts',
  },
  {
    roles: ['ArchiveAudit'],
    right: /^s3:(GetObject|ListBucket) /,
    why: 'an entry of the stream that comes again is compared with the object that is there',
    test: 'test/unit/use-cases/archive/stream-faults.test.ts',
  },
  {
    roles: ['Seal'],
    right: /^s3:GetObject GateRecordBucket\/list/,
    why: 'a list that an earlier run wrote before it ended is read, and sealed',
    test: 'test/unit/use-cases/archive/write-seal.test.ts',
  },
  {
    roles: [...DECIDING, 'ExecuteTool', 'Redeem'],
    right: /^dynamodb:(GetItem|UpdateItem) GateTablesState (circuit|budget)#/,
    why: 'a call whose tool, or whose agent, has a breaker or a budget in the policy file',
    test: 'test/contract/guardrails/guardrails.contract.ts',
  },
  {
    roles: ['Deliberate', 'Operate', 'CollectOutcomes', 'Converse', 'ExecuteTool'],
    right: /^sqs:(ChangeMessageVisibility|DeleteMessage|GetQueueAttributes|ReceiveMessage) \w+Dead$/,
    why: 'a dead letter is answered, and one that could not be comes again soon, and not after minutes',
    test: 'test/functions/dead-letters.test.ts',
  },
  {
    roles: ['Converse', 'ExecuteTool', 'Evaluate'],
    right: /^sqs:ChangeMessageVisibility \w+$/,
    why: 'a message that has to wait for Slack, its agent’s share or a store comes again when that is over',
    test: 'test/functions/runtime/work-batch.test.ts',
  },
  {
    roles: ['ExecuteTool'],
    right: /^sqs:SendMessage GateQueuesExecutions$/,
    why: 'a run beyond its agent’s share waits behind the others',
    test: 'test/unit/use-cases/execution/execute.test.ts',
  },
  {
    roles: ['ExecuteTool'],
    right: /^dynamodb:GetItem GateTablesState permit#/,
    why: 'a request that comes again is compared with the run that has begun',
    test: 'test/unit/use-cases/execution/execute.test.ts',
  },
  {
    roles: [...DECIDING, 'ExecuteTool', 'Redeem'],
    right: /^dynamodb:GetItem GateTablesState delegations$/,
    why: 'an approval for later counts while the people who gave it could give it still (D52)',
    test: 'test/unit/use-cases/people/seats.test.ts',
  },
  {
    roles: [...DECIDING],
    right: /^dynamodb:(GetItem|PutItem|UpdateItem) GateTablesState (session|denied)#/,
    why: 'a session that was not read with the batch, or changed since, and its count of denials',
    test: 'test/contract/stores/sessions.contract.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^dynamodb:DeleteItem GateTablesState task#/,
    why: 'a task is deleted on words that a model classified',
    test: 'test/functions/runtime/task-model.test.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^dynamodb:GetItem GateTablesState approval#/,
    why: 'a deferred call that is identical to one which waits already',
    test: 'test/contract/stores/claims.contract.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^(dynamodb:PutItem GateTablesState sealed#|kms:GenerateDataKey )/,
    why: 'a secret in a deferred proposal is sealed',
    test: 'test/unit/use-cases/redaction/secrets.test.ts',
  },
  {
    roles: ['Redeem'],
    right: /^(dynamodb:GetItem GateTablesState sealed#|kms:Decrypt )/,
    why: 'an approved call with a sealed secret is compared and handed out',
    test: 'test/unit/use-cases/execution/secret-runs.test.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^dynamodb:Query GateTablesAudit (not|vote)/,
    why: 'a row that ended is compared with the record before it is finished (G47)',
    test: 'test/unit/use-cases/execution/secret-runs.test.ts',
  },
  {
    roles: ['Deliberate', 'ExecuteTool', 'Operate', 'Redeem'],
    right: /^s3:(GetObject|PutObject) GateInputs\/input/,
    why: 'an input of more than 8 KB, which evaluate, resume, slack and slack-out are tested with',
    test: 'test/e2e/messages/sizes.test.ts',
  },
  {
    roles: ['Reconcile'],
    right: /^s3:ListBucket GateInputs$/,
    why: 'an input that is gone, which resume and slack-out are tested with, is told to who may list alone',
    test: 'test/e2e/messages/sizes.test.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^sqs:SendMessage (GateQueuesDeferred|Replies)$/,
    why: 'a deferred proposal that has to wait again, and a decision about one in its agent’s own queue',
    test: 'test/functions/deliberate.test.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^bedrock:InvokeModel /,
    why: 'a model of Bedrock, which the deployed tests ask at a server of their own; the endpoint asks for the right where it is the model',
    test: 'test/local/endpoint/bedrock.test.ts',
  },
  {
    roles: ['Deliberate'],
    right: /^secretsmanager:GetSecretValue .*hook-key/,
    why: 'the end-to-end hook’s secret does not exist, so that its request is for another name',
    test: 'test/functions/hooks.test.ts',
  },
  {
    roles: ['Reconcile'],
    right: /^dynamodb:(GetItem|PutItem) GateTablesState result#/,
    why: 'a run of the gate that ended without a result gets one for its agent',
    test: 'test/unit/use-cases/execution/execute-crash.exhaustive.test.ts',
  },
  {
    roles: ['Reconcile'],
    right: /^sqs:SendMessage GateQueuesDeferred$/,
    why: 'an approval that needs a model’s answer is handed over',
    test: 'test/unit/use-cases/resolvers/deliberate-share.test.ts',
  },
  {
    roles: ['Redrive'],
    right: /^sqs:(SendMessage GateQueuesWebhooks|(Delete|Receive)Message GateQueuesWebhooksDead)$/,
    why: 'events that no receiver took are sent again on an operator’s word',
    test: 'test/functions/redrive.test.ts',
  },
];

/** Undefined where there is none. */
export function reasonFor({ role, action, resource, rows }: Right): string | undefined {
  const name = role.replace(/^Gate(\w+)Role$/, '$1');
  const right = [action, resource, rows].join(' ').trim();
  const found = REASONS.find((one) => one.roles.includes(name) && one.right.test(right));
  return found && `${found.why} (${found.test})`;
}
