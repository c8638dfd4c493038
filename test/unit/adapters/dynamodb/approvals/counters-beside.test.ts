/** Checks that no transaction of an ask or of its end holds a counter. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { dynamoApprovalStore } from '../../../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoClaimStore } from '../../../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { memoryInputStore } from '../../../../../shared/adapters/memory/stores/input-store.ts';
import { claimOf, decisionOf, newCase, openingOf, recordOf, START } from '../../../../contract/support/rows.ts';

const TABLES = { state: 'state', audit: 'audit' };

/** Takes every request, and remembers them. */
function takingAll() {
  const sent: { readonly name: string; readonly input: unknown }[] = [];
  const client = Object.assign(new DynamoDBClient({ region: 'x' }), {
    send: async ({ constructor: { name }, input }: { constructor: { name: string }; input: unknown }) => {
      sent.push({ name, input });
      return {};
    },
  }) as unknown as DynamoDBClient;
  const countersIn = (wanted: string) =>
    sent.filter(({ name, input }) => name === wanted && JSON.stringify(input).includes('"waiting#'));
  return { client, sent, countersIn };
}

test.each([
  ['an ask', 'open'],
  ['its end', 'finish'],
])('%s counts beside its transaction', async (_, what) => {
  const { client, sent, countersIn } = takingAll();
  const inputs = memoryInputStore();
  const about = newCase();
  if (what === 'open') await dynamoClaimStore(client, TABLES, inputs).open(claimOf(about, 'ask'), openingOf(about));
  else {
    const decided = recordOf(about, 'decided', { decision: decisionOf('expired') });
    await dynamoApprovalStore(client, TABLES, inputs).finish(openingOf(about).approval, decided, START);
  }
  expect(sent.filter(({ name }) => name === 'TransactWriteItemsCommand')).toHaveLength(1);
  expect(countersIn('TransactWriteItemsCommand')).toEqual([]);
  expect(countersIn('UpdateItemCommand')).toHaveLength(2);
});
