/** Checks `countersign webhooks replay`: the operation that it sends, and options that it refuses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type FakeAws, fakeAws, recorded, sent } from '../fake-aws.ts';
import { cli } from '../run-cli.ts';

let aws: FakeAws | undefined;
afterEach(() => aws?.close());
const empty = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

const BASE = ['webhooks', 'replay', 'siem', '--reason', 'it was down'];

async function ran(more: readonly string[], result: Parameters<typeof recorded>[0] = {}) {
  aws = await fakeAws({ SendMessage: sent, Query: recorded({ accepted: true, reasonCode: 'replayed', ...result }) });
  const env = { COUNTERSIGN_OPERATORS_QUEUE_URL: `${aws.url}/operators`, COUNTERSIGN_AUDIT_TABLE: 'audit' };
  const { code, out, err } = await cli([...BASE, ...more], {
    cwd: empty,
    env,
    now: () => Date.parse('2026-11-23T12:00:00Z'),
  });
  const messages = aws.asked.filter(({ operation }) => operation === 'SendMessage');
  return { code, out, err, sent: messages.map(({ body }) => JSON.parse(String(body['MessageBody'])) as object) };
}

test('sends the operation with its times, up to now', async () => {
  const { code, out, sent: messages } = await ran(['--since', '2h']);
  expect({ code, out }).toEqual({
    code: 0,
    out: 'done: send the events since 2026-11-23T10:00:00.000Z to the webhook siem again (replayed)\n',
  });
  expect(messages).toEqual([
    {
      kind: 'replay',
      operationId: expect.any(String),
      reason: 'it was down',
      webhook: 'siem',
      from: '2026-11-23T10:00:00.000Z',
      until: '2026-11-23T12:00:00.000Z',
    },
  ]);
});

test.each([[], ['--json']])('events that were left out are no success: %j', async (...more) => {
  const problem = 'from: 1 entry of this time was left out, which this release cannot read; deploy the newer one';
  const { code, out, err } = await ran(['--since', '2h', ...more], { operation: { problem } });
  expect({ code, err }).toEqual({ code: 1, err: `countersign: ${problem}\n` });
  if (more.length) expect(JSON.parse(out)).toMatchObject({ result: { accepted: true, code: 'replayed', problem } });
  else expect(out).toMatch(/^done: .* \(replayed\)\n$/);
});

test('names one event, and the end of the time', async () => {
  const event = '3f0c9d6be1f5a2f3c1b7f7d0a44a1e55';
  const { sent: messages } = await ran(['--since', '2026-11-22', '--until', '2026-11-23', '--event', event]);
  expect(messages).toMatchObject([{ event, from: '2026-11-22T00:00:00.000Z', until: '2026-11-23T00:00:00.000Z' }]);
});

test.each([
  [[], '--since'],
  [['--since', 'soon'], '--since'],
  [['--since', '2026-11-23', '--until', '2026-11-22'], '--since is later than --until'],
  [['--since', '1h', '--event', 'abc'], '--event takes the id of an event'],
])('is not sent with %j', async (more, words) => {
  expect(await ran(more)).toMatchObject({ code: 2, sent: [], err: expect.stringContaining(words) });
});
