/** Checks that one command voids older permits after a restore, and later approvals run (A26). */
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { countersign, type Environment, json } from '../harness/command.ts';
import { invoke } from '../harness/functions.ts';
import { allRows, sortsOf } from '../harness/rows.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';

type Row = Readonly<Record<string, unknown>>;

let runner: Agent;
let builder: Agent;
let oncall: Environment;
let before: readonly Row[];
beforeAll(async () => {
  [runner, builder] = await Promise.all([agentNamed('runner'), agentNamed('builder')]);
  oncall = await (await e2eGate()).environmentOf('Operator', 'oncall');
  before = await stateRows();
});
// Other tests have permits of their own.
afterAll(async () => {
  await restore(before, ({ pk }) => pk === 'control');
});

const stateRows = async () => allRows((await e2eGate()).outputs.StateTable);
const keyOf = ({ pk, sk }: Row) => `${pk} ${sk}`;

/** Puts rows back as they were, and takes away those that were not there, as a restored table has them. */
async function restore(backup: readonly Row[], isMeant: (row: Row) => boolean): Promise<void> {
  const { root, outputs } = await e2eGate();
  const TableName = outputs.StateTable;
  const older = backup.filter(isMeant);
  const known = new Set(older.map(keyOf));
  for (const row of (await stateRows()).filter(isMeant)) {
    const Key = marshall({ pk: row['pk'], sk: row['sk'] });
    if (!known.has(keyOf(row))) await root.dynamodb.send(new DeleteItemCommand({ TableName, Key }));
  }
  const options = { removeUndefinedValues: true };
  for (const row of older) await root.dynamodb.send(new PutItemCommand({ TableName, Item: marshall(row, options) }));
}

/** An allowed call with its permit, as its agent would redeem it. */
async function permitted() {
  const proposalId = newId();
  const input = { a: 1, b: 1 };
  await runner.client.propose({ proposalId, toolName: 'RunAdd', input });
  const [call] = (await runner.wait(proposalId)).calls;
  return { agent: 'runner', proposalId, callId: 'call', permitId: call?.permit?.permitId, toolName: 'RunAdd', input };
}
const redeem = async (request: unknown) => (await invoke('redeem', request as Record<string, unknown>)).answer;

describe('after the state table was restored to an earlier time', () => {
  it.each([
    ['sends again under its id', 'row_gone', (id: string) => builder.run(`git push origin ${id}`, { proposalId: id })],
    ['withdraws', 'cancelled', (id: string) => builder.client.cancel(id)],
  ])('a question without its row ends once its agent %s the proposal', async (_, reasonCode, end) => {
    const id = newId();
    await builder.run(`git push origin ${id}`, { proposalId: id });
    await cardOf(builder.pid(id));
    await restore([], ({ pk }) => String(pk).includes(builder.pid(id)));
    await end(id);
    expect(await builder.wait(id)).toMatchObject({ reasonCode });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['decided', 'evaluated']);
  });

  it('a used permit would be usable again; void-permits ends that, and a new approval works', async () => {
    const call = await permitted();
    const isIts = ({ pk }: Row) => String(pk).startsWith('permit#') && String(pk).includes(runner.pid(call.proposalId));
    const backup = await stateRows();
    expect(await redeem(call)).toMatchObject({ granted: true });
    expect(await redeem(call)).toMatchObject({ granted: false, error: { code: 'already_consumed' } });
    await restore(backup, isIts);
    // The reason for the command: what ran may run once more.
    expect(await redeem(call)).toMatchObject({ granted: true });
    await restore(backup, isIts);

    const reason = ['--reason', 'restored to 09:00'];
    const paused = await countersign(oncall, 'pause', '--all', '--deny', ...reason);
    expect(paused).toMatchObject({ code: 0, output: expect.stringContaining('done: deny everything (paused_deny)') });
    const voided = await countersign(oncall, 'void-permits', ...reason);
    expect(voided).toMatchObject({ code: 0, output: expect.stringContaining('(permits_voided)') });
    expect(await redeem(call)).toMatchObject({ granted: false, permit: 'none', error: { code: 'permit_revoked' } });

    const [status] = await json(oncall, 'status');
    expect(status).toMatchObject({
      control: {
        pauses: [{ scope: { all: true }, effect: 'deny', by: 'oncall' }],
        voidedAt: expect.stringMatching(/Z$/),
      },
      unread: [],
    });
    const [newest] = await json(oncall, 'audit', '--operations', '--limit', '1');
    expect(newest).toMatchObject({ accepted: true, operation: { kind: 'void-permits' } });
    expect((await countersign(oncall, 'pause', '--all', '--lift', ...reason)).code).toBe(0);
    expect(await redeem(call)).toMatchObject({ granted: false, error: { code: 'permit_revoked' } });

    const id = await builder.run('git push origin after-restore');
    await approve(ALICE, await cardOf(builder.pid(id)));
    const decision = await builder.wait(id);
    expect(decision).toMatchObject({ outcome: 'approved' });
    const [{ permit, effective } = {}] = decision.calls;
    const input = effective?.input ?? { command: 'git push origin after-restore' };
    const pushed = {
      agent: 'builder',
      proposalId: id,
      callId: 'call',
      permitId: permit?.permitId,
      toolName: 'Bash',
      input,
    };
    expect(await redeem(pushed)).toMatchObject({ granted: true });
  });
});
