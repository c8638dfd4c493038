/**
 * Puts the gate back to where it was before a test was played without a right.
 *
 * Messages that failed, workflows that wait and rows that a test left would else slow down or spoil the next play.
 */
import { isDeepStrictEqual } from 'node:util';
import { type AttributeValue, DeleteItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { paginateListExecutions, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { PREFIX } from '../../../shared/adapters/dynamodb/items.ts';
import { e2eGate } from '../gate.ts';
import { resources } from '../harness/resources.ts';

type Row = Record<string, AttributeValue>;

export class Snapshot {
  readonly #rows: ReadonlyMap<string, Row>;

  static async take(): Promise<Snapshot> {
    return new Snapshot(await stateRows());
  }

  private constructor(rows: ReadonlyMap<string, Row>) {
    this.#rows = rows;
  }

  /** The record stays: it only grows, and each play has proposals of its own. */
  async restore(): Promise<void> {
    await emptyQueues();
    await endWorkflows();
    await this.#putBack();
  }

  async #putBack(): Promise<void> {
    const { root, outputs } = await e2eGate();
    const TableName = outputs.StateTable;
    const now = await stateRows();
    const added = [...now].filter(([key]) => !this.#rows.has(key));
    const changed = [...this.#rows].filter(([key, row]) => !isDeepStrictEqual(now.get(key), row));
    await Promise.all([
      ...added.map(([, { pk, sk }]) =>
        root.dynamodb.send(new DeleteItemCommand({ TableName, Key: { pk, sk } as Row })),
      ),
      ...changed.map(([, Item]) => root.dynamodb.send(new PutItemCommand({ TableName, Item }))),
    ]);
  }
}

/** Without aliases: the record, which stays, names people by them. */
async function stateRows(): Promise<ReadonlyMap<string, Row>> {
  const { root, outputs } = await e2eGate();
  const rows = new Map<string, Row>();
  const scan = { TableName: outputs.StateTable, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: root.dynamodb }, scan))
    for (const item of Items)
      if (!item['pk']?.S?.startsWith(PREFIX.alias)) rows.set(JSON.stringify([item['pk'], item['sk']]), item);
  return rows;
}

async function emptyQueues(): Promise<void> {
  const { root } = await e2eGate();
  const queues = [...(await resources('AWS::SQS::Queue')).values()];
  await Promise.all(queues.map((QueueUrl) => root.sqs.send(new PurgeQueueCommand({ QueueUrl }))));
}

async function endWorkflows(): Promise<void> {
  const { root, outputs } = await e2eGate();
  const running = { stateMachineArn: outputs.StateMachineArn, statusFilter: 'RUNNING' } as const;
  for await (const { executions = [] } of paginateListExecutions({ client: root.sfn }, running))
    await Promise.all(executions.map(({ executionArn }) => root.sfn.send(new StopExecutionCommand({ executionArn }))));
}
