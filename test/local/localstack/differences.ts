/**
 * Lists tests that cannot pass on LocalStack 4.14.0, each with the reason.
 *
 * LocalStack differs from AWS there, and is not corrected. A listed test is not run there, and is named at the end of
 * the run. A unit test refuses a name that no file has.
 */
interface Difference {
  /** As in the file, with its describe before it: `file > describe > test`. The file alone, or a describe, is all that is in it. */
  readonly test: string;
  readonly aws: string;
  readonly localstack: string;
}

const NO_IAM = { aws: 'enforces IAM', localstack: 'its open-source line enforces no policies: whoever calls may' };
const NO_IAM_FAULT = {
  ...NO_IAM,
  localstack: `${NO_IAM.localstack}; taking a right away is how the test makes a fault`,
};

export const DIFFERENCES: readonly Difference[] = [
  {
    test: 'queues.test.ts > a standard queue serves groups by turns, those with the fewest in flight first',
    aws: 'has fair queues: a group with many messages in flight does not delay those of others',
    localstack: 'serves messages of every group in the order in which they came',
  },
  { test: 'senders.test.ts > who has no right to send is refused', ...NO_IAM },
  { test: 'senders.test.ts > a session is its role where a policy asks who the principal is', ...NO_IAM },
  {
    test: 'senders.test.ts > SenderId > is the unique id of a user, in single and batched messages',
    aws: "a user's unique id begins with AIDA",
    localstack: 'users have a random id; roles, which agents are, have AROA… as on AWS',
  },
  {
    test: 'step-functions.test.ts > the time of a task that waits for its token > may be kept alive by heartbeats, and ends when one is missed',
    aws: 'a missed heartbeat is States.HeartbeatTimeout',
    localstack: 'names it States.Timeout',
  },
  {
    test: 'step-functions.test.ts > a task token > is closed by stopping the execution',
    aws: 'StopExecution closes the token of a task that waits',
    localstack: 'its token stays open',
  },
  {
    test: 'step-functions.test.ts > starting an execution again under its name > and the name has at most 80 characters, none of them a colon',
    aws: 'refuses such names with InvalidName',
    localstack: 'checks no names',
  },
  { test: 'cli.test.ts > what waits and what was decided > is refused to an agent, in one line', ...NO_IAM },
  { test: 'cli.test.ts > what waits and what was decided > is brought back by nobody who may not', ...NO_IAM },
  { test: 'cli.test.ts > an operator > does not read what agents did', ...NO_IAM },
  {
    test: 'cli.test.ts > an operator > hears that no request of Slack can be verified while the signing secret is missing',
    aws: 'every machine finds the address of a function URL',
    localstack: 'its function URLs stand below a name of its own, which machines without a network do not find',
  },
  { test: 'execute.test.ts > another agent reads none of its results', ...NO_IAM },
  {
    test: 'execute.test.ts > G30 with the limiters down, what mutates is refused before it is called, and what only reads may pass',
    ...NO_IAM_FAULT,
  },
  { test: 'faults.test.ts > a message that the store refuses', ...NO_IAM_FAULT },
  { test: 'faults.test.ts > a function without one of its rights', ...NO_IAM_FAULT },
  { test: 'identity.test.ts > an agent > may not read another agent’s', ...NO_IAM },
  {
    test: 'identity.test.ts > an agent > may not read the rest of its own entry: not whole, not one attribute more',
    ...NO_IAM,
  },
  { test: 'identity.test.ts > an agent > may not query, scan, batch-read or change the record', ...NO_IAM },
  { test: 'identity.test.ts > an agent > may not read the state, where approvals and task tokens are', ...NO_IAM },
  { test: 'operators.test.ts > an agent is no operator: its role may not send to the operators queue', ...NO_IAM },
  { test: 'outages.test.ts > an outage that outlasted the retries of the workflow', ...NO_IAM_FAULT },
  { test: 'refused-services.test.ts', ...NO_IAM_FAULT },
  { test: 'stolen-permits.test.ts', ...NO_IAM },
  { test: 'stolen-rights.test.ts > with the credentials of any one role', ...NO_IAM },
  { test: 'tamper-matrix.test.ts > an attack that a role is refused, and the account’s root does', ...NO_IAM },
  { test: 'stolen-roles.test.ts > with the credentials of any one role', ...NO_IAM },
  {
    test: 'trace.test.ts > countersign trace finds > the same for an operator, who is told that the record is not shown, and of no history',
    ...NO_IAM,
  },
  { test: 'trace.test.ts > countersign trace finds > a click that failed, with the fault', ...NO_IAM_FAULT },
  { test: 'trace.test.ts > an agent may not trace', ...NO_IAM },
  {
    test: 'events.test.ts > a dashboard is deployed',
    aws: 'deploys dashboards',
    localstack: 'skips AWS::CloudWatch::Dashboard, and says that it was created',
  },
];
