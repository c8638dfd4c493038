/** The archived record of the deployed stack: what is written arrives there and is sealed, and a changed row is found (A25, G36). */
import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { s3Archive } from '../../shared/adapters/s3/archive.ts';
import { linesOf } from '../../shared/domain/archive/lines.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed } from './harness/agents.ts';
import { countersign, type Environment } from './harness/command.ts';
import { invoke } from './harness/functions.ts';
import { until } from './harness/until.ts';

let builder: Agent;
let auditor: Environment;
beforeAll(async () => {
  builder = await agentNamed('builder');
  auditor = await (await e2eGate()).environmentOf('Auditor');
});

/** Other tests of the suite forge entries: only what is found of these proposals counts. */
async function foundOf(id: string) {
  const { code, lines } = await countersign(auditor, 'audit', 'verify', '--json');
  expect([0, 3]).toContain(code);
  return lines
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly subject: string })
    .filter(({ subject }) => subject.includes(builder.pid(id)))
    .map(({ kind }) => kind);
}

async function archived(id: string) {
  const { root, outputs } = await e2eGate();
  const archive = s3Archive(root.s3, outputs.ArchiveBucket);
  const lines: string[] = [];
  for (const prefix of ['entry/', 'tamper/'])
    for await (const key of archive.names(prefix))
      lines.push(...linesOf((await archive.read(key)) ?? '').filter((line) => line.includes(builder.pid(id))));
  return lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
}

describe('the archived record', () => {
  it('holds what was decided, sealed by the one key, and finds a row that somebody changed or removed', async () => {
    const { root, outputs } = await e2eGate();
    const ids = [await builder.run('npm test'), await builder.run('npm test')] as const;
    for (const id of ids) await builder.wait(id);
    await until('both entries are archived', async () =>
      (await Promise.all(ids.map(archived))).every((events) => events.includes('insert')),
    );
    expect((await invoke('seal', {})).error).toBeUndefined();
    expect(await Promise.all(ids.map(foundOf))).toEqual([[], []]);

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
    await until('both changes are archived', async () =>
      (await Promise.all(ids.map(archived))).every((events) => events.length > 1),
    );
    expect(await archived(ids[0])).toEqual(['insert', 'modify']);
    expect(await archived(ids[1])).toEqual(['insert', 'remove']);
    expect(await foundOf(ids[0])).toEqual(['entry-changed', 'row-changed']);
    expect(await foundOf(ids[1])).toEqual(['entry-changed', 'row-missing']);
  });
});
