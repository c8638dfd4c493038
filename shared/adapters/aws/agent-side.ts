/** Reaches a deployed gate on AWS for an agent; loads each SDK and makes each client on first use. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DecisionReader, ProposalQueue, Redeemer } from '../../ports/agent-side.ts';
import type { ResultReader } from '../../ports/stores/result-store.ts';
import { CLIENT_OPTIONS } from '../client-options.ts';
import { lambdaRedeemer } from '../lambda/redeemer.ts';

/** Keys of an AWS principal, as `@aws-sdk/credential-providers` gives them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** The endpoint and the identity for AWS. The SDK finds an absent value as it always does: in the environment, a profile or the role. */
export interface AwsOptions {
  /** Such as `eu-central-1`. */
  readonly region?: string | undefined;
  /** Keys of the role that the deployment registered for the agent, or a function that gives them, such as `fromTemporaryCredentials(…)`. */
  readonly credentials?: AwsCredentials | (() => Promise<AwsCredentials>) | undefined;
  /** URL of an endpoint that plays AWS. */
  readonly endpoint?: string | undefined;
}

export interface AwsAgentSide {
  queueAt(url: string): ProposalQueue;
  decisionsIn(auditTable: string): DecisionReader;
  resultsIn(stateTable: string): ResultReader;
  redeemerOf(functionName: string): Redeemer;
  /** Closes the connections of all clients that were made. */
  close(): void;
}

export function awsAgentSide(aws: AwsOptions): AwsAgentSide {
  const stated = Object.fromEntries(Object.entries(aws).filter(([, value]) => value !== undefined));
  const made: { destroy(): void }[] = [];
  const once = <Client extends { destroy(): void }>(make: () => Promise<Client>): (() => Promise<Client>) => {
    let client: Promise<Client> | undefined;
    const making = async () => {
      const one = await make();
      made.push(one);
      return one;
    };
    return () => {
      client ??= making();
      return client;
    };
  };
  const sqs = once<SQSClient>(async () => {
    const { SQSClient: Client } = await import('@aws-sdk/client-sqs');
    return new Client({ ...CLIENT_OPTIONS, ...stated });
  });
  const dynamodb = once<DynamoDBClient>(async () => {
    const { DynamoDBClient: Client } = await import('@aws-sdk/client-dynamodb');
    return new Client({ ...CLIENT_OPTIONS, ...stated });
  });
  return {
    queueAt: (url) => ({
      async publish(body, agent) {
        const { sqsProposalQueue } = await import('../sqs/proposal-queue.ts');
        await sqsProposalQueue(await sqs(), url).publish(body, agent);
      },
    }),
    decisionsIn: (auditTable) => ({
      async read(...given) {
        const { dynamoDecisionReader } = await import('../dynamodb/proposals/decision-reader.ts');
        return dynamoDecisionReader(await dynamodb(), auditTable).read(...given);
      },
    }),
    resultsIn: (stateTable) => ({
      async read(...given) {
        const { dynamoResultStore } = await import('../dynamodb/proposals/result-store.ts');
        return dynamoResultStore(await dynamodb(), { state: stateTable }).read(...given);
      },
    }),
    redeemerOf: (functionName) => {
      const redeemer = lambdaRedeemer(functionName, stated);
      made.push({ destroy: () => redeemer.close() });
      return redeemer;
    },
    close: () => {
      for (const client of made.splice(0)) client.destroy();
    },
  };
}
