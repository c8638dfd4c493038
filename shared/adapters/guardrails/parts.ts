/** Gives guardrails their state and time, in one process or on a shared DynamoDB table. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkSettings, fn, having, text } from '../../domain/settings.ts';
import type { GuardrailRuntime } from '../../ports/guardrail-runtime.ts';
import type { GuardrailState } from '../../ports/stores/guardrail-state.ts';
import { sleepBy, systemTimers } from '../../ports/timers.ts';
import { CLIENT_OPTIONS } from '../client-options.ts';
import { memoryGuardrailState } from '../memory/guardrails/state.ts';

/** The state of limits and budgets, made by `memoryGuardrails` or `dynamoGuardrails`. */
export interface GuardrailParts {
  /** The processes that share the state: this one, or all that use the table. */
  readonly sharedBy: 'process' | 'table';
  /** @internal */
  readonly state: GuardrailState;
  /** @internal */
  readonly runtime: GuardrailRuntime;
}

const sleep = sleepBy(systemTimers.after);

const runtimeAt = (now: () => number): GuardrailRuntime => ({ now, random: Math.random, newId: randomUUID, sleep });

/**
 * Creates limits and budgets in the memory of one process, which end with the process.
 *
 * @param now milliseconds since 1970; default: this machine's clock
 * @example
 * const config = { environment: 'production', environments: { production: {} } };
 * const guard = guardrails({ config, tools: [], parts: memoryGuardrails() });
 */
export function memoryGuardrails(now: () => number = Date.now): GuardrailParts {
  fn(now, 'now');
  return { sharedBy: 'process', state: memoryGuardrailState(now), runtime: runtimeAt(now) };
}

/** Settings of `dynamoGuardrails`. */
export interface DynamoGuardrailsOptions {
  /** A table with the keys `pk` and `sk`, both strings, and `ttl` as its time to live. */
  readonly table: string;
  /** Default: a client with the process's region and credentials. */
  readonly client?: DynamoDBClient;
}

/**
 * Limits and budgets that all processes share, on the table's own clock. Resolves once the table has answered.
 *
 * @throws the SDK's error if the table cannot be read
 * @example
 * const config = { environment: 'production', environments: { production: {} } };
 * const guard = guardrails({ config, tools: [], parts: await dynamoGuardrails({ table: 'limits' }) });
 */
export async function dynamoGuardrails(options: DynamoGuardrailsOptions): Promise<GuardrailParts> {
  checkSettings(options, { table: text, client: having('send') }, { required: ['table'] });
  const { table, client } = options;
  const [{ DynamoDBClient: Client }, { dynamoGuardrailState }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('../dynamodb/guardrails/state.ts'),
  ]);
  const { state, now, ready } = dynamoGuardrailState(client ?? new Client(CLIENT_OPTIONS), table);
  await ready();
  return { sharedBy: 'table', state, runtime: runtimeAt(now) };
}
