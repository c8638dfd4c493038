/**
 * Takes all that one process can get of every guardrail, and gives nothing back.
 *
 * A test kills this process in the middle of its work.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoGuardrailState } from '../../../shared/adapters/dynamodb/guardrails/state.ts';
import { takeAll } from './taking.ts';

const [table = '', key = '', callers = '0'] = process.argv.slice(2);
const { state, now, ready } = dynamoGuardrailState(new DynamoDBClient(), table);
await ready();
process.stdout.write('ready\n');
await Promise.all(
  Array.from({ length: Number(callers) }, (_, index) =>
    takeAll({ state, now }, key, `dead-${index}`, (what) => process.stdout.write(`${what}\n`)),
  ),
);
// The process holds its slots until it is killed.
setInterval(() => undefined, 60_000);
