/** Stores circuits on DynamoDB: read consistently, written only over the version that was read. */
import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { CircuitRow, CircuitStore } from '../../../ports/stores/guardrail-state.ts';
import { fromItem } from '../items.ts';
import { dayAfter, type GuardrailTable, numberIn, rowKey, update } from './rows.ts';

export class DynamoCircuits implements CircuitStore {
  readonly #table: GuardrailTable;

  constructor(table: GuardrailTable) {
    this.#table = table;
  }

  async load(key: string): Promise<{ row: CircuitRow; version: number } | undefined> {
    const { client, table } = this.#table;
    const get = new GetItemCommand({ TableName: table, Key: rowKey(key, 'circuit'), ConsistentRead: true });
    const { Item } = await client.send(get);
    if (!Item) return undefined;
    const row = fromItem(Item);
    return { row: row['circuit'] as CircuitRow, version: numberIn(row, 'version') ?? 0 };
  }

  async save(key: string, row: CircuitRow, expectedVersion: number): Promise<boolean> {
    const writer = randomUUID();
    const written = await update(this.#table, rowKey(key, 'circuit'), {
      set: 'circuit = :row, #version = :next, writer = :writer, #ttl = :ttl',
      condition: expectedVersion === 0 ? 'attribute_not_exists(pk)' : '#version = :expected',
      names: { '#version': 'version', '#ttl': 'ttl' },
      values: {
        ':row': row,
        ':next': expectedVersion + 1,
        ':writer': writer,
        ':ttl': dayAfter(Math.max(row.probeAt, this.#table.now())),
        ...(expectedVersion === 0 ? {} : { ':expected': expectedVersion }),
      },
    });
    // A repeated write of the SDK meets its own row.
    return written.done || written.row?.['writer'] === writer;
  }
}
