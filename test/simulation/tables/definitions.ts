/**
 * The two tables as the stack makes them.
 *
 * A test compares them with its template, which takes seconds to make.
 */
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { AGENT_INDEX, DUE_INDEX, FACET_INDEX, type Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { LOOK_ATTRIBUTES, LOOK_INDEX } from '../../../shared/adapters/dynamodb/reconcile-index.ts';

type Definition = Required<Pick<CreateTableCommandInput, 'TableName' | 'GlobalSecondaryIndexes'>>;

const indexOf = (
  IndexName: string,
  [partition, sort]: readonly [string, string],
  Projection: { readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; readonly NonKeyAttributes?: string[] },
) => ({
  IndexName,
  KeySchema: [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ],
  Projection,
});

export const NAMES: Tables = { state: 'state', audit: 'audit' };

export const DEFINITIONS: readonly Definition[] = [
  {
    TableName: NAMES.state,
    GlobalSecondaryIndexes: [
      indexOf(LOOK_INDEX, ['look', 'lookAt'], { ProjectionType: 'INCLUDE', NonKeyAttributes: [...LOOK_ATTRIBUTES] }),
      indexOf(DUE_INDEX, ['due', 'dueAt'], { ProjectionType: 'ALL' }),
      indexOf('generic', ['gpk', 'gsk'], { ProjectionType: 'ALL' }),
    ],
  },
  {
    TableName: NAMES.audit,
    GlobalSecondaryIndexes: [
      indexOf(AGENT_INDEX, ['agent', 'at'], { ProjectionType: 'KEYS_ONLY' }),
      indexOf(FACET_INDEX, ['agent', 'facet'], {
        ProjectionType: 'INCLUDE',
        NonKeyAttributes: ['session', 'waited'],
      }),
    ],
  },
];
