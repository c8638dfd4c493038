/** Checks that no role but those of permits could give a used permit back, if it were stolen. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { permitKey } from '../../../shared/adapters/dynamodb/items.ts';
import type { RedeemAnswer } from '../../../shared/contract/index.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { REPORTS, redeemed } from '../harness/redeemed.ts';
import { type StolenRole, stolenRoles } from '../harness/roles.ts';

/** As docs/security.md says under "Trusted parts". */
const OF_PERMITS = [
  'GateCollectOutcomesRole',
  'GateExecuteToolRole',
  'GateReconcileRole',
  'GateRecordOutcomeRole',
  'GateRedeemRole',
];

it('a used permit is given back by no role but those of permits, and without them it stays used (G25)', async () => {
  const { root, outputs } = await e2eGate();
  const TableName = outputs.StateTable ?? '';
  const { pid } = await agentNamed('runner');
  const run = await redeemed('RunEcho');
  await REPORTS['record-outcome'](run);
  const { actionDigest: _, redemptionId: __, ...request } = run;
  const again = async () => ((await invoke('redeem', request)).answer as RedeemAnswer | null)?.granted;
  const Key = permitKey(pid(run.proposalId), 'call');
  const { Item } = await root.dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const free = new PutItemCommand({ TableName, Item: { ...Item, stage: { S: 'free' } } });
  const isGivenBackBy = ({ dynamodb }: StolenRole) =>
    dynamodb.send(free).then(
      () => true,
      (error: Error) => {
        expect(error.name).toBe('AccessDeniedException');
        return false;
      },
    );
  const roles = await stolenRoles();
  for (const role of roles.filter(({ name }) => !OF_PERMITS.includes(name)))
    expect({ name: role.name, gave: await isGivenBackBy(role) }).toEqual({ name: role.name, gave: false });
  expect(await again()).toBe(false);
  for (const role of roles.filter(({ name }) => OF_PERMITS.includes(name)))
    expect({ name: role.name, gave: await isGivenBackBy(role) }).toEqual({ name: role.name, gave: true });
}, 300_000);
