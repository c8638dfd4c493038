/**
 * Writes attributes as DynamoDB's own JSON protocol does.
 *
 * The decision is packed as its row holds it.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { hexToBytes, packDecision } from '../../shared/adapters/dynamodb/pack.ts';
import type { Decision } from '../../shared/contract/decision.ts';

/** Bytes are Base64, and undefined values are left out. */
export function attributesOf(row: { readonly decision?: Decision | undefined; readonly verdict?: string | undefined }) {
  const { decision, verdict } = row;
  const packed = { verdict, decision: decision && hexToBytes(packDecision(decision)) };
  const item = marshall(packed, { removeUndefinedValues: true });
  return JSON.parse(JSON.stringify(item), (_, value: unknown) =>
    isBytes(value) ? Buffer.from(value.data).toString('base64') : value,
  ) as Readonly<Record<'decision' | 'verdict', unknown>>;
}

const isBytes = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value;
