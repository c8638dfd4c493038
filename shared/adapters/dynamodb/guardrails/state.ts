/** Puts all guardrail state on one DynamoDB table, on that table's own clock. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { GuardrailState } from '../../../ports/stores/guardrail-state.ts';
import { DynamoBudgets } from './budgets.ts';
import { DynamoCircuits } from './circuits.ts';
import { DynamoRateLimits } from './rate-limits.ts';
import { serverClock } from './server-clock.ts';
import { DynamoSlots } from './slots.ts';

interface DynamoGuardrailState {
  readonly state: GuardrailState;
  /** Give it to the guardrails' runtime, so that probes and leases are measured by the same clock. */
  readonly now: () => number;
  /** Await it once before the first call. */
  readonly ready: () => Promise<void>;
}

/** `now` only in tests: whoever gives one answers for its being the same everywhere. */
export function dynamoGuardrailState(client: DynamoDBClient, table: string, now?: () => number): DynamoGuardrailState {
  const clock = now ? { now, ready: async () => {} } : serverClock(client, table);
  const rows = { client, table, now: clock.now };
  return {
    ...clock,
    state: {
      rate: new DynamoRateLimits(rows),
      slots: new DynamoSlots(rows),
      budgets: new DynamoBudgets(rows),
      circuits: new DynamoCircuits(rows),
    },
  };
}
