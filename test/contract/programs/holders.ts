/** A process that takes all that it can get of every guardrail and gives nothing back: somebody is going to kill it in the middle of it. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoGuardrails } from '../../../shared/adapters/dynamodb/guardrails/state.ts';
import { takeAll } from './taking.ts';

const [table = '', key = '', callers = '0'] = process.argv.slice(2);
const { state, now, ready } = dynamoGuardrails(new DynamoDBClient(), table);
await ready();
process.stdout.write('ready\n');
await Promise.all(
  Array.from({ length: Number(callers) }, (_, index) =>
    takeAll({ state, now }, key, `dead-${index}`, (what) => process.stdout.write(`${what}\n`)),
  ),
);
// The process holds its slots until it is killed.
setInterval(() => undefined, 60_000);
