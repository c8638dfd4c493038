/** Checks that the deployed stack archives and seals its record, and finds changed rows (A25, G36). */
import { DeleteItemCommand, DescribeTableCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { s3Archive } from '../../../shared/adapters/s3/archive.ts';
import { linesOf } from '../../../shared/domain/archive/lines.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { countersign, type Environment } from '../harness/command.ts';
import { invoke } from '../harness/functions.ts';
import { withSourceOff } from '../harness/queues.ts';
import { APPROVALS } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let auditor: Environment;
beforeAll(async () => {
  builder = await agentNamed('builder');
  auditor = await (await e2eGate()).environmentOf('Auditor');
});

/** By proposal; other tests of the suite forge entries, and what is found of them does not count. */
async function foundOf(ids: readonly string[]) {
  const { code, lines } = await countersign(auditor, 'audit', 'verify', '--json');
  expect([0, 3]).toContain(code);
  const found = lines.map((line) => JSON.parse(line) as { readonly kind: string; readonly subject: string });
  return ids.map((id) => found.filter(({ subject }) => subject.includes(builder.pid(id))).map(({ kind }) => kind));
}

/** By name: an object is put once and never changes, and the suite makes hundreds. */
const read = new Map<string, readonly string[]>();

/** The events of each proposal's row. */
async function archived(ids: readonly string[]): Promise<string[][]> {
  const { root, outputs } = await e2eGate();
  const archive = s3Archive(root.s3, outputs.ArchiveBucket);
  for (const prefix of ['entry/', 'tamper/'])
    for await (const key of archive.names(prefix))
      if (!read.has(key)) read.set(key, linesOf((await archive.read(key)) ?? ''));
  const lines = [...read].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, all]) => all);
  return ids.map((id) =>
    lines
      .filter((line) => line.includes(builder.pid(id)))
      .map((line) => (JSON.parse(line) as { readonly event: string }).event),
  );
}

describe('the archived record', () => {
  it('holds what was decided, sealed by the one key, and finds a row that somebody changed or removed', async () => {
    const { root, outputs } = await e2eGate();
    const ids = [await builder.run('npm test'), await builder.run('npm test')] as const;
    for (const id of ids) await builder.wait(id);
    await until('both entries are archived', async () =>
      (await archived(ids)).every((events) => events.includes('insert')),
    );
    expect((await invoke('seal', {})).error).toBeUndefined();
    expect(await foundOf(ids)).toEqual([[], []]);

    // The hash of the day that approvers read is an anchor of this record; around midnight there are two.
    const { slack } = await e2eGate();
    const announced = await until('the anchor of the day', async () => {
      const hashOf = (text: string) => /sealed \(number \d+\): `([0-9a-f]{64})`/.exec(text)?.[1];
      const anchors = slack.messages(APPROVALS, ({ text }) => hashOf(text) !== undefined);
      return anchors.length ? anchors.map(({ text }) => hashOf(text) ?? '') : undefined;
    });
    const anchored = await countersign(auditor, 'audit', 'verify', '--json', '--anchor', announced.at(-1) ?? '');
    expect(anchored.output).not.toMatch(/seals-cut-off|anchor-wrong/);

    const rowOf = (id: string) => ({
      TableName: outputs.AuditTable,
      Key: marshall({ pk: `builder#${builder.pid(id)}`, sk: 'evaluated' }),
    });
    await root.dynamodb.send(
      new UpdateItemCommand({
        ...rowOf(ids[0]),
        UpdateExpression: 'SET verdict = :deny',
        ExpressionAttributeValues: marshall({ ':deny': 'deny' }),
      }),
    );
    await root.dynamodb.send(new DeleteItemCommand(rowOf(ids[1])));
    await until('both changes are archived', async () => (await archived(ids)).every((events) => events.length > 1));
    expect(await archived(ids)).toEqual([
      ['insert', 'modify'],
      ['insert', 'remove'],
    ]);
    expect(await foundOf(ids)).toEqual([
      ['entry-changed', 'row-changed'],
      ['entry-changed', 'row-missing'],
    ]);
  });

  it('has the entries of the canary, and those from while its event source was off once that is on', async () => {
    const { root, outputs } = await e2eGate();
    const describe = new DescribeTableCommand({ TableName: outputs.AuditTable });
    const { LatestStreamArn = '' } = (await root.dynamodb.send(describe)).Table ?? {};
    const id = await withSourceOff(LatestStreamArn, async () => {
      expect((await invoke('canary', {})).error).toBeUndefined();
      const sent = await builder.run('npm test');
      await builder.wait(sent);
      return sent;
    });
    await until('the entry is archived', async () => (await archived([id])).flat().includes('insert'));
    // The alarm on an archive that is silent counts on them.
    await until('the canary is archived', async () => {
      await archived([id]);
      return [...read.values()].flat().some((line) => line.includes(`${CANARY}#`));
    });
  });
});
