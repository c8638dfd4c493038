/** Checks that the keeper of Slack's token is told by each client when Slack refuses it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSlack } from '../../../../shared/adapters/slack/check-token.ts';
import { slackDirectory } from '../../../../shared/adapters/slack/directory.ts';
import { clientOptions } from '../../../../shared/adapters/slack/posting/client-options.ts';
import { slackPoster } from '../../../../shared/adapters/slack/posting/poster.ts';
import { slackSpeaker } from '../../../../shared/adapters/slack/task-speaker.ts';

let answer = '';
let told = 0;
const onTokenRefused = async () => {
  told += 1;
};
const server = createServer((_, response) => void response.end(answer));
let url = '';
beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());

const clock = { now: Date.now };
const person = { team: 'T0T', user: 'U0A' };
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'a post': () => slackPoster('t', url, onTokenRefused).announce('C0C', 'text'),
  'a look for a person': () => slackDirectory('t', url, clock, onTokenRefused).accountStatus(person),
  'an answer of the task agent': () => slackSpeaker('t', url, onTokenRefused).whisper('C0C', 'U0A', 'x'),
  'the check of the canary': () => checkSlack('t', url, { scopes: [], isOurs: () => true }, onTokenRefused),
  'a form': () =>
    new WebClient('t', clientOptions(url, onTokenRefused)).views.open({ view: {} as never, trigger_id: 't' }),
};

test.each(Object.entries(calls))('%s', async (_, call) => {
  for (const [error, times] of [
    ['token_revoked', 1],
    ['invalid_auth', 1],
    ['channel_not_found', 0],
  ] as const) {
    told = 0;
    answer = JSON.stringify({ ok: false, error });
    await call().catch(() => undefined);
    expect(told, error).toBe(times);
  }
});

test('an answer that is no JSON, and one that is good, tell nothing', async () => {
  told = 0;
  for (const text of ['<html>', '{"ok":true,"ts":"1","channel":"C0C"}', 'null']) {
    answer = text;
    await slackPoster('t', url, onTokenRefused)
      .announce('C0C', 'text')
      .catch(() => undefined);
  }
  expect(told).toBe(0);
});
