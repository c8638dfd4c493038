/** States list prices of us-east-1 in dollars (November 2026), without free tier, discounts and taxes. */

export const PRICES = {
  asOf: '2026-11',
  region: 'us-east-1',
  dynamodb: {
    perMillionWriteUnits: 0.625,
    perMillionReadUnits: 0.125,
    /** GetRecords; nothing where a Lambda trigger reads the stream. */
    perMillionStreamReads: 0.2,
  },
  sqs: {
    perMillionStandard: 0.4,
    perMillionFifo: 0.5,
    /** A standard queue whose messages have a group, as that of proposals: $0.10 for fair queues on top, here of each request. */
    perMillionFair: 0.4 + 0.1,
  },
  /** arm64. */
  lambda: { perMillionRequests: 0.2, perGbSecond: 0.0000133334 },
  stepFunctions: { perMillionTransitions: 25 },
  s3: { perMillionPuts: 5, perMillionLists: 5, perMillionGets: 0.4, perGbMonth: 0.023 },
  kms: { perMillionSigns: 15, perKeyMonth: 1 },
  logs: { perGb: 0.5 },
  /** An alarm on metric math is billed for each metric in it. */
  cloudWatch: { perAlarmMonth: 0.1, perCompositeMonth: 0.5, perMetricMonth: 0.3 },
  eventBridge: { perMillion: 1 },
  xray: { perMillion: 5 },
} as const;

/** Counted in the template and in lines of the log; tests compare them. */
export const COUNTED = {
  alarms: { metrics: 158, composites: 5 },
  /** Bytes of the metric lines of one invocation of `evaluate`, which decides one proposal or ten. */
  metricBytes: { batchOf10: 2_530, batchOf1: 980 },
  /** Metric bytes of all six invocations for a call that one person decides. */
  humanMetricBytes: 3_200,
} as const;

/** Assumed values that are not measured here; printed with every table. */
export const ASSUMED = {
  /**
   * Billed milliseconds of a warm `evaluate` that knows the rate of its sender: two calls to DynamoDB one after the other, at 5 to 10 ms each in a
   * region (the third goes beside the first), and its own work.
   */
  evaluateMs: { batchOf10: 52, batchOf1: 28 },
  evaluateGb: 1,
  /** Lambda traces the first invocation of each second, and one in twenty of the others: so many at some hundred invocations a second, and nearly all at one. */
  traced: { busy: 0.05, idle: 1 },
  /** Opened, vote, end of the stage, end, decided. */
  humanEvents: 5,
  /** Reads until an agent has an automatic decision: its first two come too early (60 and 180 ms after it proposed). */
  agentReads: 3,
  /** Read units of one read that is not the last before the agent gives up. */
  agentReadUnits: 0.5,
  /** Entries of the record that are archived at once: one invocation and one object. */
  archiveBatch: 100,
  archiveMs: 100,
  archiveGb: 0.25,
  /** Functions of the way of a human decision: how often each runs, how long, with how much memory. */
  human: [
    { name: 'evaluate', ms: 60, gb: 1 },
    { name: 'request-approval', ms: 40, gb: 0.25 },
    { name: 'slack-out', ms: 250, gb: 0.25 },
    { name: 'slack', ms: 80, gb: 1 },
    { name: 'resume', ms: 60, gb: 0.5 },
  ],
  transitions: 1,
  /**
   * Every five minutes two allows, a deny, a question and its cancel, and a permit that is redeemed, refused and reported; once an hour a
   * question that expires, for which the function waits 17 s. The milliseconds are the mean.
   */
  canary: { runsAMonth: 8_640, ms: 5_200, gb: 0.25, automatic: 4, questions: 1 + 1 / 12, alarms: 6, metrics: 8 },
  /** One permit: two requests and a report, by their invocations and write units. */
  canaryPermit: { invocations: 3, ms: 50, gb: 0.5, writes: 20 },
} as const;
