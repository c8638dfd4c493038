/** Runs agents and operators with their role's credentials, the real SDK and the package's client. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import type { CountersignClientOptions } from '../../../shared/client/calls/options.ts';
import { CountersignClient } from '../../../shared/client/client.ts';
import type { Decision } from '../../../shared/contract/decision.ts';
import type { AuditEntry } from '../../../shared/contract/index.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { OPERATIONS, pidOfOperation } from '../../../shared/domain/record/operation-id.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { entriesOf } from './rows.ts';
import { hopeless, patience, until } from './until.ts';

export type Agent = Awaited<ReturnType<typeof agentNamed>>;

/** Reads often: the client's own pace is made for waits of minutes. */
const sleep = async (ms: number) => {
  hopeless.signal?.throwIfAborted();
  await delay(Math.min(ms, 250));
};

/** `role` is the agent's own by default; another one speaks for whom it is registered. */
export async function agentNamed(name: string, role = name) {
  const gate = await e2eGate();
  const { Deployment, ProposalsQueueUrl, AuditTable } = gate.outputs;
  const environment = await gate.environmentOf('Agent', role);
  const config = clientConfig({ ...gate.endpoint, env: environment });
  const sqs = new SQSClient(config);
  const dynamodb = new DynamoDBClient(config);
  const clientWith = (more: Partial<CountersignClientOptions> = {}) =>
    new CountersignClient({
      agent: name,
      deployment: Deployment,
      queueUrl: ProposalsQueueUrl,
      auditTable: AuditTable,
      queue: sqsProposalQueue(sqs, ProposalsQueueUrl),
      reader: dynamoDecisionReader(dynamodb, AuditTable),
      sleep,
      ...more,
    });
  const client = clientWith();
  const pid = (proposalId: string) => pidOf(Deployment, name, proposalId);
  return {
    name,
    environment,
    sqs,
    dynamodb,
    client,
    /** Another one, as of another process. */
    clientWith,
    pid,
    wait: (proposalId: string): Promise<Decision> => client.wait(proposalId, { timeout: patience.ms }),
    /** One shell command under a new id. */
    run: (command: string, more: Partial<Parameters<CountersignClient['propose']>[0]> = {}): Promise<string> =>
      client.propose({ proposalId: newId(), toolName: 'Bash', input: { command }, ...more }),
    /** Exactly these bytes. */
    send: async (body: string, groupId: string | undefined = name): Promise<string> => {
      const message = { QueueUrl: ProposalsQueueUrl, MessageBody: body };
      const sent = await sqs.send(
        new SendMessageCommand(groupId === undefined ? message : { ...message, MessageGroupId: groupId }),
      );
      return sent.MessageId ?? '';
    },
    /** The id under which the answer to an unreadable message is filed (D35). */
    unreadable: (body: string) => `unreadable:${createHash('sha256').update(body).digest('hex')}`,
  };
}

/** `queueUrl`: another queue than that of operators. */
export async function operatorNamed(name: string, queueUrl?: string) {
  const gate = await e2eGate();
  const QueueUrl = queueUrl ?? gate.outputs.OperatorsQueueUrl;
  const environment = await gate.environmentOf('Operator', name);
  const sqs = new SQSClient(clientConfig({ ...gate.endpoint, env: environment }));
  const say = async (operation: Record<string, unknown>): Promise<void> => {
    const body = JSON.stringify({ operationId: newId(), reason: 'a test', ...operation });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
  };
  return {
    say,
    /** Says it, and waits until the record has it; under the operation's id, for all of the record is a megabyte at each look. */
    done: async ({ operationId = newId(), ...operation }: Record<string, unknown>): Promise<AuditEntry> => {
      const reason = `test ${newId()}`;
      await say({ ...operation, operationId, reason });
      return until(`the record of ${String(operation['kind'])}`, async () => {
        const entries = await entriesOf(OPERATIONS, pidOfOperation(String(operationId)), 'operation');
        return entries.find(({ detail }) => detail === reason);
      });
    },
  };
}

export const newId = (): string => randomUUID();
