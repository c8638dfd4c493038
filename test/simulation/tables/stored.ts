/** Shows the rows of simulated tables to the judge of a run. */
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { recordFromItem } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { itemBytes } from '../../../shared/adapters/dynamodb/item-size.ts';
import { approvalKey, fromItem, type Item, PREFIX, toItem } from '../../../shared/adapters/dynamodb/items.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import { MAX_CALL_BYTES, MAX_ENTRY_BYTES, MAX_JOURNAL_BYTES } from '../model/sizes.ts';
import type { Stored } from '../model/stored.ts';
import { SimulatedClient } from './client.ts';
import { NAMES } from './definitions.ts';
import { storesOnTables } from './stores.ts';
import type { SimulatedTables } from './tables.ts';

export function onTables(tables: SimulatedTables, inputs: InputStore): Stored {
  const stores = storesOnTables(new SimulatedClient(tables, async () => undefined), inputs);
  const { approvals, audit, permits, sessions, tasks } = stores;
  return {
    approvals,
    audit,
    permits,
    sessions,
    tasks,
    reader: stores.readersOf('').reader,
    *waiting() {
      for (const { pk, waiting } of tables.itemsOf(NAMES.state))
        if (pk?.S?.startsWith(PREFIX.waiting)) yield [pk.S, Number(waiting?.N ?? 0)];
    },
    sinks() {
      const texts = (items: Iterable<Item>) => [...items].map((item) => JSON.stringify(fromItem(item)));
      const state = Map.groupBy(tables.itemsOf(NAMES.state), ({ pk }) => `${pk?.S?.split('#')[0]}s`);
      const kinds = [...state].map(([place, items]) => ({ place, texts: texts(items) }));
      return [...kinds, { place: NAMES.audit, texts: texts(tables.itemsOf(NAMES.audit)) }];
    },
    async large() {
      return [...largeEntries(tables), ...largeJournals(tables)];
    },
    damage(pid, change) {
      const item = tables.itemAt(NAMES.state, approvalKey(pid, 'row'));
      if (!item?.['approval']?.M) return false;
      tables.place(NAMES.state, { ...item, ...toItem({ approval: change(unmarshall(item['approval'].M)) }) });
      return true;
    },
  };
}

function* largeEntries(tables: SimulatedTables): Generator<string> {
  for (const item of tables.itemsOf(NAMES.audit)) {
    const bytes = itemBytes(item);
    if (bytes <= MAX_ENTRY_BYTES) continue;
    const calls = recordFromItem(item).entry.calls?.length ?? 0;
    const most = MAX_ENTRY_BYTES + MAX_CALL_BYTES * Math.max(0, calls - 1);
    if (bytes > most) yield `the entry ${nameOf(item)} has ${bytes} bytes`;
  }
}

function* largeJournals(tables: SimulatedTables): Generator<string> {
  for (const item of tables.itemsOf(NAMES.state))
    if (item['pk']?.S?.startsWith(PREFIX.journal) && itemBytes(item) > MAX_JOURNAL_BYTES)
      yield `an entry in the journal ${nameOf(item)} has ${itemBytes(item)} bytes`;
}

const nameOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`;
