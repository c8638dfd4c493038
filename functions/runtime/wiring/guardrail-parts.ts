/** Wires the guardrails of a function: the shared table, its clock, and the events. */
import { randomUUID } from 'node:crypto';
import { dynamoGuardrailState } from '../../../shared/adapters/dynamodb/guardrails/state.ts';
import type { GuardrailRuntime } from '../../../shared/ports/guardrail-runtime.ts';
import { sleepBy, systemTimers } from '../../../shared/ports/timers.ts';
import { dynamo } from '../clients/aws.ts';
import { events } from '../telemetry/events.ts';

export function guardrailPartsOf(stateTable: string) {
  // The table's clock is heard with the first answer, and every run reads a row before it asks a limiter.
  const { state, now } = dynamoGuardrailState(dynamo(), stateTable);
  const runtime: GuardrailRuntime = { now, random: Math.random, newId: randomUUID, sleep: sleepBy(systemTimers.after) };
  return { state, runtime, events };
}
