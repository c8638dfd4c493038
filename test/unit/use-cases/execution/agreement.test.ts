/**
 * Checks that a permit needs a claim, an approval and votes that agree (A19, G47).
 *
 * All of them have to agree with the decision, or nothing runs.
 */
import { describe, expect, test } from 'vitest';
import { copyOf, toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';
import type { AuditRow, MemoryState } from '../../../../shared/adapters/memory/stores/state.ts';
import type { Approval, Decision, RedeemRequest } from '../../../../shared/contract/index.ts';
import type { AuditRecord } from '../../../../shared/ports/stores/audit-log.ts';
import { redeemed, requestRun, resultOf, TOOLS } from '../running.ts';
import { policyOf, World } from '../world.ts';

const asking = () =>
  new World(
    policyOf({
      ask: ['Refund'],
      allow: ['Search'],
      more: TOOLS,
      approvers: '  platform: { members: [alice, bob, olga], channel: approvals }\n',
    }),
  );

async function proposed(world: World, proposalId = 'p1', toolName = 'Refund', more: object = {}): Promise<void> {
  await world.send({ kind: 'tool-call', proposalId, toolName, input: { order: 7 }, ...more });
}

/** Redeems the call, once it is approved. */
async function callOf(world: World, proposalId = 'p1'): Promise<RedeemRequest & { readonly decision: Decision }> {
  const decision = await world.decided(proposalId);
  const [call] = decision.calls;
  if (!call?.permit) throw new Error(`not approved: ${decision.message}`);
  const { input } = call.effective ?? { input: { order: 7 } };
  const toolName = proposalId.startsWith('s') ? 'Search' : 'Refund';
  return { agent: 'coder', proposalId, callId: call.id, permitId: call.permit.permitId, toolName, input, decision };
}

async function approved(): Promise<World> {
  const world = asking();
  await proposed(world);
  await world.click('p1', 'alice');
  return world;
}

const stateOf = (world: World): MemoryState => world.gate.parts.state;
const rowsOf = (world: World, proposalId = 'p1') =>
  stateOf(world).audit.get(`coder#${world.pid(proposalId)}`) ?? new Map<string, AuditRow>();

/** Writes over an entry as somebody could who may put into its partition. */
function forge(world: World, sort: string, change: (record: AuditRecord) => unknown, more: Partial<AuditRow> = {}) {
  const row = rowsOf(world).get(sort);
  if (!row) throw new Error(`there is no entry ${sort}`);
  const record = change(copyOf(row.record) as AuditRecord);
  rowsOf(world).set(sort, { ...row, ...more, record: toCopy(record as AuditRecord) });
}

function forgeApproval(world: World, change: (approval: Approval) => unknown, decision?: Decision) {
  const row = stateOf(world).approvals.get(world.pid('p1'));
  if (!row) throw new Error('there is no approval');
  stateOf(world).approvals.set(world.pid('p1'), {
    ...row,
    approval: toCopy(change(copyOf(row.approval) as Approval)),
    ...(decision ? { decision: toCopy(decision) } : {}),
  });
}

const codeOf = async (world: World, call: RedeemRequest & { readonly decision: Decision }) => {
  const answer = await redeemed(world, call);
  return answer.granted ? 'granted' : answer.error.code;
};

/** The first call's own decision, changed. */
const withCall = (decision: Decision | undefined, more: object): Decision => {
  if (!decision) throw new Error('there is no decision');
  return { ...decision, calls: decision.calls.map((call) => ({ ...call, ...more })) };
};

describe('what people approved runs', () => {
  test('once they did', async () => {
    const world = await approved();
    expect(await codeOf(world, await callOf(world))).toBe('granted');
  });

  test('as they edited it', async () => {
    const world = asking();
    await proposed(world);
    await world.edit('p1', 'alice', { order: 8 });
    if ((await world.row('p1')).approval.status === 'pending') await world.click('p1', 'bob');
    expect(await codeOf(world, await callOf(world))).toBe('granted');
  });

  test('where one approval answers for two', async () => {
    const world = asking();
    await proposed(world, 'p1');
    await proposed(world, 'p2');
    await world.click('p1', 'alice');
    expect((await world.row('p2')).approval.askedAs).toBe(world.pid('p1'));
    expect(await codeOf(world, await callOf(world, 'p2'))).toBe('granted');
  });
});

describe('of several calls that rules decide', () => {
  const BATCH = [
    { id: 'a', toolName: 'Search', input: { order: 7 } },
    { id: 'b', toolName: 'Wipe', input: { order: 7 } },
  ];
  async function decided(): Promise<World> {
    const world = new World(policyOf({ deny: ['Wipe'], allow: ['Search'], more: TOOLS }));
    await world.send({ kind: 'tool-call', proposalId: 's1', calls: BATCH });
    return world;
  }

  test('one that is denied takes no permit from the others', async () => {
    const world = await decided();
    expect(await world.decided('s1')).toMatchObject({ outcome: 'denied' });
    expect(await codeOf(world, await callOf(world, 's1'))).toBe('granted');
  });

  test('one that is denied gets no permit of another', async () => {
    const world = await decided();
    const call = await callOf(world, 's1');
    const row = rowsOf(world, 's1').get('evaluated');
    if (!row) throw new Error('there is no claim');
    const record = copyOf(row.record) as AuditRecord;
    const calls = call.decision.calls.map(({ id }) => ({ ...call.decision.calls[0], id }));
    const forged = { ...record, decision: { ...record.decision, calls } };
    rowsOf(world, 's1').set('evaluated', { ...row, record: toCopy(forged as AuditRecord) });
    const wipe = { ...call, callId: 'b', toolName: 'Wipe' };
    expect(await codeOf(world, wipe)).toBe('record_disagrees');
  });
});

describe('a forged decision gives no permit', () => {
  test('beside an approval that still waits', async () => {
    const world = await approved();
    const call = await callOf(world);
    const other = asking();
    await proposed(other);
    const decided = rowsOf(world).get('decided');
    if (!decided) throw new Error('there is no decision');
    rowsOf(other).set('decided', decided);
    expect(await codeOf(other, call)).toBe('record_disagrees');
    await requestRun(other, call);
    expect(await resultOf(other)).toMatchObject({ status: 'refused', error: { code: 'record_disagrees' } });
    expect((await other.row('p1')).approval.status).toBe('pending');
    // Both attempts are on the record, where an alarm counts them.
    const refused = (await other.audit('p1')).filter(({ reasonCode }) => reasonCode === 'record_disagrees');
    expect(refused).toHaveLength(2);
  });

  const FORGERIES: readonly (readonly [string, (world: World, decision: Decision) => void])[] = [
    ['without a claim', (world) => void rowsOf(world).delete('evaluated')],
    ['beside a claim that denied', (world) => forge(world, 'evaluated', (record) => record, { verdict: 'deny' })],
    ['beside a claim that allowed', (world) => forge(world, 'evaluated', (record) => record, { verdict: 'allow' })],
    [
      'over an ask that says that it was decided already',
      (world, decision) => forge(world, 'evaluated', (record) => ({ ...record, decision })),
    ],
    [
      'over the one that people came to',
      (world, decision) =>
        forge(world, 'decided', (record) => ({ ...record, decision: { ...decision, message: 'yes' } })),
    ],
    ['where the approval was rejected', (world) => forgeApproval(world, (row) => ({ ...row, status: 'rejected' }))],
    ['where the approval was withdrawn', (world) => forgeApproval(world, (row) => ({ ...row, status: 'cancelled' }))],
    ['where nobody voted', (world) => forgeApproval(world, (row) => ({ ...row, votes: [] }))],
    ['of another agent', (world) => forgeApproval(world, (row) => ({ ...row, agent: 'writer' }))],
    [
      'for votes that are not on the record',
      (world) => {
        for (const sort of [...rowsOf(world).keys()]) if (sort.startsWith('vote#')) rowsOf(world).delete(sort);
      },
    ],
    [
      'for a vote that was refused',
      (world) => forge(world, 'vote#1', (record) => ({ ...record, entry: { ...record.entry, accepted: false } })),
    ],
    [
      'by somebody who did not vote',
      (world, decision) => {
        const named = withCall(decision, { decidedBy: { type: 'human', id: 'T0DEMO/U0BOB' } });
        forge(world, 'decided', (record) => ({ ...record, decision: named }));
        forgeApproval(world, (row) => row, named);
      },
    ],
    [
      'as if a rule had allowed what people were asked about',
      (world, decision) => {
        const ruled = withCall(decision, { decidedBy: { type: 'rule', id: 'project:1' } });
        forge(world, 'decided', (record) => ({ ...record, decision: ruled }));
        forgeApproval(world, (row) => row, ruled);
      },
    ],
    [
      'for another action than the one that was judged',
      (world) =>
        forge(world, 'decided', (record) => ({
          ...record,
          entry: {
            ...record.entry,
            calls: record.entry.calls?.map((one) => ({ ...one, auditDigest: 'a'.repeat(64) })),
          },
        })),
    ],
  ];

  test.each(FORGERIES)('%s', async (_, change) => {
    const world = await approved();
    const call = await callOf(world);
    change(world, call.decision);
    expect(await codeOf(world, call)).toBe('record_disagrees');
  });

  test('an automatic decision is bound to its claim: verdict, judge and action', async () => {
    const automatic = async () => {
      const world = asking();
      await proposed(world, 'p1', 'Search');
      return { world, call: { ...(await callOf(world)), toolName: 'Search' } };
    };
    const good = await automatic();
    expect(await codeOf(good.world, good.call)).toBe('granted');
    const changes: ((world: World, decision: Decision) => void)[] = [
      (world) => forge(world, 'evaluated', (record) => record, { verdict: 'deny' }),
      (world, decision) =>
        forge(world, 'evaluated', (record) => ({
          ...record,
          decision: withCall(decision, { decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' } }),
        })),
      (world) => forge(world, 'evaluated', (record) => ({ ...record, entry: { ...record.entry, calls: [] } })),
    ];
    for (const change of changes) {
      const { world, call } = await automatic();
      change(world, call.decision);
      expect(await codeOf(world, call)).toBe('record_disagrees');
    }
  });
});
