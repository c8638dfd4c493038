/**
 * Runs hooks over HTTP, called by `deliberate` as it is deployed (A11, G9).
 *
 * Requests are signed and have a deadline, and a hook that fails never allows.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPolicy } from '../../shared/config/load.ts';
import { webhookSignature } from '../../shared/domain/record/webhook-signature.ts';
import type { Aws } from './support/aws.ts';
import { type Deployed, deploy } from './support/deployed.ts';
import { intakeEnv, startIntakeAws, verdictOf } from './support/intake-aws.ts';

let aws: Aws;
let deliberate: Deployed;
let reply: (response: ServerResponse) => void = () => undefined;
const heard: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
const receiver = createServer(async (request, response) => {
  heard.push({ headers: request.headers, body: (await request.toArray()).join('') });
  reply(response);
});

const policyOf = (port: number) =>
  loadPolicy(
    `people:
  ann: { team: T0LOCAL, user: U0ANN, name: Ann }
  olga: { team: T0LOCAL, user: U0OLGA, name: Olga }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T0LOCAL, id: C0APPROVALS } }
approvers: { platform: { members: [ann], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Write] }
hooks:
  review: { url: 'http://127.0.0.1:${port}/permission', secret: review-key, timeout: 1s, tools: [Write] }
  gone: { url: 'http://127.0.0.1:9/permission', secret: review-key, tools: [WebFetch] }
  unsigned: { url: 'http://127.0.0.1:${port}/permission', secret: missing, tools: [Read] }
`,
    'test.yaml',
  );

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  aws = await startIntakeAws({
    GetSecretValue: ({ SecretId }) => (SecretId === 'missing' ? {} : { SecretString: `text of ${SecretId}` }),
  });
  const env = intakeEnv(aws);
  const { port } = receiver.address() as AddressInfo;
  deliberate = await deploy('deliberate', { policy: policyOf(port), env, aws: aws.url });
}, 60_000);
afterAll(async () => {
  await deliberate?.stop();
  await aws?.stop();
  receiver.closeAllConnections();
  receiver.close();
});

const verdictOn = (toolName: string, input: Record<string, unknown>) =>
  verdictOf({ toolName, input }, { deliberate, aws });
const write = () => verdictOn('Write', { file_path: 'a.ts', content: 'x' });
const says =
  (text: string, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end(text);
  };

test('what allows is asked with a signature that the receiver can check', async () => {
  reply = says('{"decision":"allow"}');
  expect(await write()).toBe('allow');
  const [{ headers, body } = { headers: {}, body: '' }] = heard.splice(0);
  const seconds = Number(headers['x-countersign-timestamp']);
  expect(Math.abs(Date.now() / 1000 - seconds)).toBeLessThan(60);
  expect(headers['x-countersign-signature']).toBe(webhookSignature('text of review-key', seconds, body));
  expect(JSON.parse(body)).toMatchObject({ tool_name: 'Write', tool_input: { file_path: 'a.ts' }, agent_id: 'coder' });
});

test.each<[string, typeof reply]>([
  ['refuses with 500', says('{"decision":"allow"}', 500)],
  ['redirects', says('', 307, { location: '/elsewhere' })],
  ['answers with a page', says('<html>ok</html>')],
  ['answers more than it may', says(`{"decision":"allow","reason":"${'x'.repeat(70_000)}"}`)],
  ['hangs up', (response) => response.destroy()],
  ['says nothing', () => undefined],
  ['stops in the middle', (response) => response.writeHead(200).write('{"decision":"al')],
])('a hook that %s: a person is asked', async (_, how) => {
  reply = how;
  expect(await write()).toBe('ask');
});

test('a hook that is not there, or whose secret is missing, has a person asked', async () => {
  expect(await verdictOn('WebFetch', { url: 'https://example.test/' })).toBe('ask');
  heard.length = 0;
  expect(await verdictOn('Read', { file_path: 'a.ts' })).toBe('ask');
  expect(heard).toEqual([]);
});
