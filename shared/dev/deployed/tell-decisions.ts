/** Tells the decisions of a gate that is deployed to the endpoint. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { settingsIn } from '../../../cdk/constructs/published-values.ts';
import { dynamoAuditLog } from '../../adapters/dynamodb/audit/audit-log.ts';
import { ownValue } from '../../domain/own.ts';
import { systemClock } from '../../ports/clock.ts';
import { systemTimers } from '../../ports/timers.ts';
import { clientConfig, type Endpoint } from '../aws/endpoint.ts';
import { type FollowOptions, followRecord } from '../follow-record.ts';
import { ADDED } from './local-template.ts';

/**
 * Reads with the endpoint's own keys: an app need not have an auditor, and a role's keys end while the gate runs.
 *
 * @param outputs of the gate's stack
 * @returns a function that ends it
 */
export function tellDecisions(
  endpoint: Endpoint,
  outputs: Readonly<Record<string, string>>,
  { agents, names }: Pick<FollowOptions, 'agents' | 'names'>,
  tell: (line: string) => void,
): () => Promise<void> {
  const [settings = '', functions = ''] = [ADDED.settings, ADDED.functions].map((name) => ownValue(outputs, name));
  const { auditTable: audit, stateTable: state } = settingsIn(settings, functions);
  const client = new DynamoDBClient(clientConfig(endpoint));
  const log = dynamoAuditLog(client, { audit, state });
  const stop = followRecord({ log, agents, names, tell, clock: systemClock, timers: systemTimers });
  return async () => {
    const stopped = stop();
    // A look that is under way ends with it.
    client.destroy();
    await stopped;
  };
}
