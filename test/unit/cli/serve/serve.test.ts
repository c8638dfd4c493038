/** Tests the door on loopback: calls, hooks, who is let in, and how it closes. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test } from 'vitest';
import { type LoopbackServer, openServer } from '../../../../shared/cli/serve/loopback-server.ts';
import { openApiDocument } from '../../../../shared/cli/serve/openapi.ts';
import { routesOf } from '../../../../shared/cli/serve/routes.ts';
import { CountersignClient } from '../../../../shared/client/index.ts';
import { type Approver, createTestGate, ScriptedApprover, type TestGate } from '../../../../shared/testing/index.ts';
import { GUARDED_POLICY } from '../../client/guarded-policy.ts';
import { fateInClaude } from '../../client/hooks/fate.ts';
import { cli } from '../run-cli.ts';

const TOKEN = 'a-token-of-the-tests-0123456789-abcdef';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

let gate: TestGate | undefined;
let door: LoopbackServer | undefined;
const reported: unknown[] = [];
afterEach(async () => {
  await door?.close();
  gate?.stop();
  [door, gate] = [undefined, undefined];
  reported.length = 0;
});

async function opened(approver?: Approver, options: object = {}): Promise<LoopbackServer> {
  gate ??= createTestGate({ policy: GUARDED_POLICY, ...(approver ? { approver } : {}) });
  const client = new CountersignClient({ ...gate.clientOptions('coder'), ...options });
  door = await openServer({ respond: routesOf(client, TOKEN), port: 0, report: (error) => reported.push(error) });
  return door;
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // Tests look into answers of every kind.
  readonly body: Record<string, unknown>;
}
type Sent = {
  readonly body?: unknown;
  readonly headers?: object;
  readonly raw?: string | Buffer;
  readonly signal?: AbortSignal;
};

/** By node:http, which sends any Host and Origin. */
function ask(method: string, path: string, { body, headers = AUTHORIZED, raw, signal }: Sent = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${door?.url}${path}`,
      { method, headers: { ...headers }, agent: false, signal },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          resolve({ status, headers: response.headers, text, body: (text ? JSON.parse(text) : {}) as Got['body'] });
        });
      },
    );
    asked.on('error', reject);
    asked.end(raw ?? (body === undefined ? undefined : JSON.stringify(body)));
  });
}

const call = (tool: string, input: object, callId = 'c1') => ({ run: 'r1', callId, tool, input });
const propose = (tool: string, input: object, callId?: string) =>
  ask('POST', '/v1/calls', { body: call(tool, input, callId) });

/** Answers are as the document describes them. */
const { components } = openApiDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isDescribed = ajv.compile({ components, $ref: '#/components/schemas/CallState' });
const isProblem = ajv.compile({ components, $ref: '#/components/schemas/Problem' });

describe('POST /v1/calls', () => {
  test('answers a call that a rule allows with the permit and the arguments to run', async () => {
    await opened();
    const { status, body, headers } = await propose('Lookup', { id: 7 });
    expect(body).toMatchObject({ id: 'r1:c1', state: 'decided', outcome: 'approved', input: { id: 7 }, edited: false });
    expect(body).toHaveProperty('permit.expiresAt');
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/json', 'no-store']);
    expect(isDescribed(body), JSON.stringify(isDescribed.errors)).toBe(true);
  });

  test('answers a call that a rule denies with the message for the model', async () => {
    await opened();
    const { body } = await propose('Wipe', {});
    expect(body).toMatchObject({ state: 'decided', outcome: 'denied', message: expect.stringContaining('is wiped') });
    expect(isDescribed(body)).toBe(true);
  });

  test('answers at once where people are asked, and a look waits for their decision', async () => {
    let decide: (answer: { choice: 'approve' }) => void = () => undefined;
    await opened(() => new Promise((resolve) => (decide = resolve)));
    const { body } = await propose('Refund', { amount: 5 });
    expect(body).toEqual({ id: 'r1:c1', state: 'asked' });
    expect(isDescribed(body)).toBe(true);
    expect((await ask('GET', '/v1/calls/r1:c1')).body).toEqual(body);
    const waited = ask('GET', '/v1/calls/r1%3Ac1?wait=25');
    decide({ choice: 'approve' });
    expect((await waited).body).toMatchObject({ state: 'decided', outcome: 'approved', input: { amount: 5 } });
  });

  test('tells of other arguments, which are those to run', async () => {
    await opened(new ScriptedApprover([{ choice: 'edit', input: { amount: 5 } }, 'approve']).answer);
    await propose('Refund', { amount: 500 });
    const { body } = await ask('GET', '/v1/calls/r1:c1?wait=25');
    expect(body).toMatchObject({ outcome: 'approved', input: { amount: 5 }, edited: true });
    expect(body['change']).toContain('{"amount":5}');
    expect(isDescribed(body)).toBe(true);
  });

  test('sent again after a restart is the same call', async () => {
    const approver = new ScriptedApprover(['approve']);
    await opened(approver.answer);
    await propose('Refund', { amount: 5 });
    await ask('GET', '/v1/calls/r1:c1?wait=25');
    await door?.close();
    await opened();
    expect(await ask('GET', '/v1/calls/r1:c1')).toMatchObject({ status: 404, body: { code: 'unknown_call' } });
    expect((await propose('Refund', { amount: 5 })).body).toMatchObject({ outcome: 'approved' });
    approver.assertDone();
  });

  test('with other content under the same ids runs nothing', async () => {
    await opened(() => ({ choice: 'approve' }));
    await propose('Lookup', { id: 1 });
    const { status, body } = await propose('Lookup', { id: 2 });
    const message = expect.stringContaining('If another call had this id, propose this one under its own');
    expect([status, body]).toEqual([409, { code: 'action_digest_mismatch', message }]);
    // The program that sent the first one still finds it.
    expect((await ask('GET', '/v1/calls/r1:c1')).body).toMatchObject({ outcome: 'approved', input: { id: 1 } });
  });

  test('with other content while people are asked about the first is refused', async () => {
    await opened();
    await propose('Refund', { amount: 5 });
    expect((await propose('Refund', { amount: 6 })).status).toBe(409);
    expect((await ask('GET', '/v1/calls/r1:c1')).body).toMatchObject({ state: 'asked' });
  });

  test('DELETE withdraws also one whose decision could not be read', async () => {
    const started = createTestGate({ policy: GUARDED_POLICY });
    gate = started;
    const refused = Object.assign(new Error('no right'), { name: 'AccessDeniedException', $fault: 'client' });
    await opened(undefined, { reader: { read: () => Promise.reject(refused) } });
    expect((await propose('Refund', { amount: 5 })).body).toMatchObject({ code: 'no_decision' });
    expect((await ask('DELETE', '/v1/calls/r1:c1')).status).toBe(204);
    const cancelled = expect.objectContaining({ type: 'decided', outcome: 'cancelled' });
    await expect.poll(() => started.record('coder', 'r1:c1')).toContainEqual(cancelled);
  });

  test('DELETE withdraws it', async () => {
    await opened();
    await propose('Refund', { amount: 5 });
    expect(await ask('DELETE', '/v1/calls/r1:c1')).toMatchObject({ status: 204, text: '' });
    expect((await ask('GET', '/v1/calls/r1:c1?wait=25')).body).toMatchObject({ outcome: 'cancelled' });
  });

  test('a hundred calls at once are each answered with their own decision', async () => {
    await opened();
    const all = Array.from({ length: 100 }, (_, index) =>
      propose(index % 2 ? 'Lookup' : 'Wipe', { index }, `c${index}`),
    );
    for (const [index, { body }] of (await Promise.all(all)).entries())
      expect(body).toMatchObject({ id: `r1:c${index}`, outcome: index % 2 ? 'approved' : 'denied' });
  });

  test.each<[string, Sent, number, RegExp]>([
    ['no JSON', { raw: '{' }, 400, /invalid_json/],
    ['a key twice', { raw: '{"run":"a","run":"b"}' }, 400, /run/],
    ['bytes that are no text', { raw: Buffer.from([0x22, 0xff, 0x22]) }, 400, /not_utf8/],
    ['no ids', { body: { tool: 'Lookup', input: {} } }, 422, /run: /],
    ['an empty id', { body: call('Lookup', {}, '') }, 422, /callId: must not be empty/],
    ['an unknown field', { body: { ...call('Lookup', {}), approved: true } }, 422, /approved/],
    ['arguments that are a list', { body: { ...call('Lookup', {}), input: [] } }, 422, /input: must be an object/],
    ['a session that is no name', { body: { ...call('Lookup', {}), sessionId: 'my session' } }, 422, /sessionId/],
    ['another content type', { body: {}, headers: { ...AUTHORIZED, 'content-type': 'text/plain' } }, 415, /not_json/],
    ['more than a message may hold', { body: call('Lookup', { text: 'x'.repeat(300_000) }) }, 413, /too_large/],
  ])('%s is refused, with the field', async (_, sent, status, why) => {
    await opened();
    const answer = await ask('POST', '/v1/calls', sent);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(why)]);
    expect(isProblem(answer.body)).toBe(true);
    expect(reported).toEqual([]);
  });

  test.each(['61', '-1', '1.5', 'long', '1e1', '1&wait=2', ''])('a look does not wait for %s', async (wait) => {
    await opened();
    expect(await ask('GET', `/v1/calls/r1:c1?wait=${wait}`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_wait' },
    });
  });

  test('a misspelt wait is refused: its program would ask without end', async () => {
    await opened();
    expect(await ask('GET', '/v1/calls/r1:c1?wiat=25')).toMatchObject({
      status: 422,
      body: { code: 'unknown_parameter', message: 'wiat: there is no such parameter; there is wait' },
    });
  });

  test('a gate that is away is told without its words, which go to the terminal', async () => {
    const refusal = new Error('User: arn:aws:sts::123456789012:assumed-role/Ops/ann may not send');
    await opened(undefined, { queue: { publish: () => Promise.reject(refusal) } });
    const message = 'the tool was not run, for the gate could not be reached (Error); try again';
    expect(await propose('Lookup', {})).toMatchObject({ status: 502, body: { code: 'gate_unreachable', message } });
    expect(reported).toEqual([refusal]);
  });
});

describe('who is let in', () => {
  const { authorization: _, ...NO_TOKEN } = AUTHORIZED;
  test.each<[string, object, number, string]>([
    ['no token', NO_TOKEN, 401, 'wrong_token'],
    ['another token', { ...AUTHORIZED, authorization: `Bearer ${TOKEN}x` }, 401, 'wrong_token'],
    ['the token in another scheme', { ...AUTHORIZED, authorization: `Basic ${TOKEN}` }, 401, 'wrong_token'],
    ['a name that leads here', { ...AUTHORIZED, host: 'evil.example:7411' }, 421, 'foreign_host'],
    ['a name that begins like one of ours', { ...AUTHORIZED, host: 'localhost.evil.example' }, 421, 'foreign_host'],
    ['an address with a user before it', { ...AUTHORIZED, host: 'evil.example@127.0.0.1' }, 421, 'foreign_host'],
    ['our name with another port', { ...AUTHORIZED, host: '127.0.0.1:1' }, 421, 'foreign_host'],
    ['a web page', { ...AUTHORIZED, origin: 'https://evil.example' }, 403, 'foreign_origin'],
    ['a page of loopback', { ...AUTHORIZED, origin: 'http://127.0.0.1:3000' }, 403, 'foreign_origin'],
    ['a page without an origin', { ...AUTHORIZED, origin: 'null' }, 403, 'foreign_origin'],
    ['a form of a page', { ...AUTHORIZED, 'sec-fetch-site': 'cross-site' }, 403, 'foreign_origin'],
  ])('%s is refused, and nothing is proposed', async (_, headers, status, code) => {
    let published = 0;
    await opened(undefined, { queue: { publish: async () => void published++ } });
    const answer = await ask('POST', '/v1/calls', { body: call('Lookup', {}), headers });
    expect([answer.status, answer.body['code'], published]).toEqual([status, code, 0]);
  });

  test('any name of loopback with the port is ours', async () => {
    await opened();
    const port = new URL(door?.url ?? '').port;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
      expect((await ask('GET', '/openapi.json', { headers: { ...AUTHORIZED, host } })).status).toBe(200);
  });

  test('other paths and methods are named as such, and only with the token', async () => {
    await opened();
    expect(await ask('GET', '/nothing')).toMatchObject({ status: 404, body: { code: 'no_such_path' } });
    expect(await ask('GET', '/nothing', { headers: NO_TOKEN })).toMatchObject({ status: 401 });
    expect(await ask('GET', '/v1/calls')).toMatchObject({ status: 405 });
    expect(await ask('PUT', '/v1/calls/r1:c1')).toMatchObject({ status: 405 });
    expect(await ask('GET', '/hooks/claude')).toMatchObject({ status: 405 });
    expect(await ask('GET', '/v1/calls/../../etc/passwd')).toMatchObject({ status: 404 });
  });
});

describe('POST /hooks/{program}', () => {
  const hook = (tool: string, input: object = {}) => ({
    hook_event_name: 'PreToolUse',
    session_id: 's-1',
    cwd: '/tmp',
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_1',
  });
  const deny = (reason: RegExp) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(reason),
    },
  });

  test('answers as the command does', async () => {
    await opened();
    const allowed = await ask('POST', '/hooks/claude', { body: hook('Lookup') });
    expect(allowed.body).toEqual({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } });
    const codex = await ask('POST', '/hooks/codex', { body: hook('Lookup') });
    expect(codex.body).toEqual({ hookSpecificOutput: { hookEventName: 'PreToolUse' } });
    const { tool_use_id: _, ...denied } = hook('Wipe');
    expect((await ask('POST', '/hooks/claude', { body: { ...denied, tool_use_id: 'x' } })).body).toEqual(deny(/wiped/));
  });

  test.each<[string, Sent, RegExp]>([
    ['no token', { body: hook('Lookup'), headers: { 'content-type': 'application/json' } }, /token/],
    ['no JSON', { raw: '{' }, /not JSON/],
    ['nothing', { raw: '' }, /not JSON/],
    [
      'another content type',
      { body: hook('Lookup'), headers: { ...AUTHORIZED, 'content-type': 'a/b' } },
      /Content-Type/,
    ],
    ['another event', { body: { ...hook('Lookup'), hook_event_name: 'Stop' } }, /"Stop"/],
    ['more than a hook may hold', { body: hook('Lookup', { text: 'x'.repeat(600_000) }) }, /bytes/],
  ])('%s is a refusal of the call with the status 200', async (_, sent, why) => {
    await opened();
    const { status, body, text } = await ask('POST', '/hooks/claude', sent);
    expect([status, body]).toEqual([200, deny(why)]);
    // Also in a Claude Code that knows no onFailure.
    expect(fateInClaude({ status, body: text })).toBe('blocked');
  });

  const headersOf = (fields: object) => ({ ...AUTHORIZED, ...fields });
  test.each<[string, string, Sent, RegExp]>([
    ['no token', 'claude', { headers: { 'content-type': 'application/json' } }, /token/],
    ['another content type', 'codex', { headers: headersOf({ 'content-type': 'a/b' }) }, /Content-Type/],
    ['a name that leads here', 'claude', { headers: headersOf({ host: 'door.example' }) }, /Host/],
    ['a web page', 'claude', { headers: headersOf({ origin: 'null' }) }, /web pages/],
    ['more than a hook may hold', 'claude', { body: { text: 'x'.repeat(600_000) } }, /bytes/],
    ['the path of no program', 'claud', {}, /openapi/],
  ])('of a permission request as well, for its own event: %s', async (_, program, { body, headers }, why) => {
    await opened();
    const sent = { ...hook('Lookup', body as object), hook_event_name: 'PermissionRequest' };
    const answer = await ask('POST', `/hooks/${program}`, { body: sent, headers: headers ?? AUTHORIZED });
    const decision = { behavior: 'deny', message: expect.stringMatching(why) };
    expect([answer.status, answer.body]).toEqual([
      200,
      { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } },
    ]);
  });

  test('a gate that is away is one as well', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await opened(undefined, { queue: { publish: () => Promise.reject(refused) } });
    expect(await ask('POST', '/hooks/claude', { body: hook('Lookup') })).toMatchObject({
      status: 200,
      body: deny(/ECONNREFUSED/),
    });
  });

  test('a program that goes withdraws its call', async () => {
    const gone = new AbortController();
    await opened(() => {
      gone.abort();
      return undefined;
    });
    await expect(ask('POST', '/hooks/claude', { body: hook('Refund'), signal: gone.signal })).rejects.toThrow();
    await expect
      .poll(async () => (await gate?.record('coder', 's-1:toolu_1'))?.at(-1))
      .toMatchObject({ outcome: 'cancelled' });
  });

  test('a door that closes refuses the call, withdraws it, and ends the waits of the others', async () => {
    let asked = 0;
    await opened(() => {
      asked++;
      return undefined;
    });
    await propose('Refund', { amount: 5 });
    const waits = [
      ask('POST', '/hooks/claude', { body: hook('Refund') }),
      ask('GET', '/v1/calls/r1:c1?wait=60'),
    ] as const;
    await expect.poll(() => asked).toBe(2);
    await door?.close();
    const [hooked, looked] = await Promise.all(waits);
    expect(hooked).toMatchObject({ status: 200, body: deny(/countersign serve stops/) });
    expect(looked).toMatchObject({ status: 200, body: { state: 'asked' } });
    await expect(ask('GET', '/openapi.json')).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('the document', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, object>>;
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };

  test('every reference leads to something, and every schema is one', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(6);
    for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty([name]);
    for (const name of Object.keys(document.components.schemas))
      expect(() =>
        new Ajv2020({ strict: false, validateFormats: false }).compile(document.components.schemas[name] ?? false),
      ).not.toThrow();
    expect(JSON.stringify(document)).not.toMatch(/\((?:R\d-\d{3}|[DAG]\d{1,3})\)/);
  });

  test('describes every path that the door has', async () => {
    await opened();
    for (const [path, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods).filter((name) => name !== 'parameters')) {
        const { body, status } = await ask(method.toUpperCase(), path.replace('{id}', 'r9:c9'), { raw: '' });
        expect(String(body['code'] ?? status), `${method} ${path}`).not.toMatch(/no_such_path|wrong_method/);
      }
  });

  test('takes a call as the door does', () => {
    const takes = ajv.compile({ components, $ref: '#/components/schemas/CallRequest' });
    expect(takes(call('Lookup', {}))).toBe(true);
    expect(takes({ ...call('Lookup', {}), approved: true })).toBe(false);
  });

  test('is printed by --openapi, without settings', async () => {
    const { code, lines } = await cli(['serve', '--openapi']);
    expect([code, lines]).toEqual([0, [document]]);
  });
});
