/**
 * What LocalStack 4.14.0 does otherwise than AWS and is not corrected for: tests that say what AWS does and cannot pass on it. Each is
 * listed with the reason, is not run there, and is named at the end of the run. A unit test refuses a name that no file has.
 */
export interface Difference {
  /** As in the file, with its describe before it: `file > describe > test`. `file >` alone is the whole file. */
  readonly test: string;
  readonly aws: string;
  readonly localstack: string;
}

const NO_IAM = { aws: 'enforces IAM', localstack: 'its open-source line enforces no policies: whoever calls may' };

export const DIFFERENCES: readonly Difference[] = [
  { test: 'endpoint-senders.test.ts > who has no right to send is refused', ...NO_IAM },
  {
    test: 'endpoint-senders.test.ts > SenderId > is the unique id of a user, in single and batched messages',
    aws: "a user's unique id begins with AIDA",
    localstack: 'users have a random id; roles, which agents are, have AROA… as on AWS',
  },
  {
    test: 'endpoint-step-functions.test.ts > the time of a task that waits for its token > may be kept alive by heartbeats, and ends when one is missed',
    aws: 'a missed heartbeat is States.HeartbeatTimeout',
    localstack: 'names it States.Timeout',
  },
  {
    test: 'endpoint-step-functions.test.ts > a task token > is closed by stopping the execution',
    aws: 'StopExecution closes the token of a task that waits',
    localstack: 'its token stays open',
  },
  {
    test: 'endpoint-step-functions.test.ts > starting an execution again under its name > and the name has at most 80 characters, none of them a colon',
    aws: 'refuses such names with InvalidName',
    localstack: 'checks no names',
  },
];
