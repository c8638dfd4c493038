/** Bounds the tries and times of every AWS client: one hung socket must not take a batch's time. */

const CONNECTION_TIMEOUT_MS = 1_000;
/** DynamoDB, SQS and their like answer in tens of milliseconds; a second try after this still fits the time of one batch. */
const REQUEST_TIMEOUT_MS = 3_000;

/** For services that answer at once. Adaptive retries belong to the queue: a function tries three times, then lets the message come again. */
export const CLIENT_OPTIONS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
} as const;

/** For calls of functions: one try, since a second may do a thing twice. How long a function may take is its caller's deadline. */
export const INVOKE_OPTIONS = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
} as const;
