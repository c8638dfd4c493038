/**
 * Begins the wait of an approval: stores the task token, and has the card posted.
 * Only the workflow calls it.
 */
import { sqsCardQueue } from '../shared/adapters/sqs/outbox.ts';
import { requestApproval } from '../shared/use-cases/approvals/request-approval.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { lazy } from './runtime/lazy.ts';
import { traced } from './runtime/telemetry/trace.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { storesOf } from './runtime/wiring/stores.ts';

const env = readEnv('requestApproval');
const deps = lazy(() => ({ approvals: storesOf(env).approvals, cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL) }));

interface RequestApprovalEvent {
  readonly pid: string;
  readonly token: string;
  readonly enteredAt: string;
  readonly retryCount: number;
}

export const handler = withTelemetry<RequestApprovalEvent, void>(
  async ({ pid, ...token }) => {
    await traced('request-approval', pid, () => requestApproval(pid, token, deps()));
  },
  ({ pid }) => ({ pid }),
);
