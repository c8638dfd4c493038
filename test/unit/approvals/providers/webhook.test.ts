/** Checks the webhook provider (R4-151): what is posted, and what an answer counts as. */
import { expect, test } from 'vitest';
import { WebhookHumanLoopProvider } from '../../../../shared/approvals/providers/webhook.ts';
import { InvalidSettingError } from '../../../../shared/domain/errors.ts';
import type { HumanLoopRequest } from '../../../../shared/ports/human-loop.ts';

const URL = 'https://approvals.example/approve';
const REQUEST = {
  kind: 'approval',
  requestId: 'r1',
  prompt: 'May it?',
  toolName: 'Bash',
  args: { command: 'ls' },
} as const;

const answering = (body: string, status = 200) => {
  const posted: { url: string; init: RequestInit }[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    posted.push({ url, init });
    return new Response(status === 204 ? null : body, { status });
  }) as typeof globalThis.fetch;
  const ask = (request: HumanLoopRequest = REQUEST) =>
    new WebhookHumanLoopProvider(URL, 30, { fetch }).request(request);
  return { posted, ask };
};

test('posts kind, prompt, tool_name and args, and nothing else', async () => {
  const { posted, ask } = answering('{"decision":"approved"}');
  await ask();
  expect(posted).toHaveLength(1);
  const [{ url, init }] = posted as [(typeof posted)[number]];
  expect([url, init.method, init.redirect]).toEqual([URL, 'POST', 'error']);
  expect(JSON.parse(init.body as string)).toEqual({
    kind: 'approval',
    prompt: 'May it?',
    tool_name: 'Bash',
    args: { command: 'ls' },
  });
});

test.each<[string, object]>([
  ['{"decision":"approved"}', { kind: 'Approved' }],
  ['{"decision":"approved","text":"fine","reason":"x"}', { kind: 'Approved' }],
  ['{"decision":"rejected"}', { kind: 'Rejected', reason: undefined }],
  ['{"decision":"rejected","reason":null}', { kind: 'Rejected', reason: undefined }],
  ['{"decision":"rejected","reason":"Not now."}', { kind: 'Rejected', reason: 'Not now.' }],
  ['{"decision":"timeout"}', { kind: 'Timeout' }],
  ['{}', { kind: 'Timeout' }],
  ['{"decision":null}', { kind: 'Timeout' }],
  ['{"text":"yes"}', { kind: 'Timeout' }],
  ['{"reason":"approved"}', { kind: 'Timeout' }],
])('an approval answered with %s', async (body, response) => expect(await answering(body).ask()).toEqual(response));

test.each<[string, object]>([
  ['{"text":"db-1"}', { kind: 'Text', text: 'db-1' }],
  ['{"decision":null,"text":"db-1"}', { kind: 'Text', text: 'db-1' }],
  ['{"decision":"approved","text":"db-1"}', { kind: 'Text', text: 'db-1' }],
  ['{"decision":"rejected","text":"db-1"}', { kind: 'Rejected', reason: undefined }],
  ['{}', { kind: 'Timeout' }],
])('an input answered with %s', async (body, response) =>
  expect(await answering(body).ask({ kind: 'input', requestId: 'r1', prompt: 'Which host?' })).toEqual(response),
);

test.each([
  ['an unknown decision', '{"decision":"maybe"}', 200, 'webhook_decision'],
  ['another spelling', '{"decision":"Approved"}', 200, 'webhook_decision'],
  ['an empty decision', '{"decision":""}', 200, 'webhook_decision'],
  ['a decision that is no text', '{"decision":true}', 200, 'webhook_answer'],
  ['no JSON', 'approved', 200, 'webhook_answer'],
  ['nothing', '', 200, 'webhook_answer'],
  ['two decisions', '{"decision":"rejected","decision":"approved"}', 200, 'webhook_answer'],
  ['a list', '[{"decision":"approved"}]', 200, 'webhook_answer'],
  ['no content', '', 204, 'webhook_answer'],
  ['a failure that says approved', '{"decision":"approved"}', 500, 'webhook_status'],
  ['a refusal that says approved', '{"decision":"approved"}', 403, 'webhook_status'],
  ['not found', '{"decision":"approved"}', 404, 'webhook_status'],
])('%s is an error', async (_, body, status, code) =>
  expect(answering(body, status).ask()).rejects.toMatchObject({ name: 'WebhookError', code }),
);

test('too late is a time-out, not reached an error', async () => {
  const failing = (error: Error) =>
    new WebhookHumanLoopProvider(URL, 1, { fetch: () => Promise.reject(error) }).request(REQUEST);
  expect(await failing(new DOMException('late', 'TimeoutError'))).toEqual({ kind: 'Timeout' });
  await expect(failing(new TypeError('down'))).rejects.toMatchObject({ code: 'webhook_failed' });
});

test.each([
  [URL, 0],
  [URL, -1],
  [URL, Number.NaN],
  [URL, Number.POSITIVE_INFINITY],
  ['file:///etc/passwd', 5],
])('%s with %s seconds is refused', (url, seconds) =>
  expect(() => new WebhookHumanLoopProvider(url, seconds)).toThrow(InvalidSettingError),
);
