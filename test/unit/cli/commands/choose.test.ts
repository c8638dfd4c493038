/** `countersign choose`: a policy in the terminal, its person at standard input. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { startAnthropicServer } from '../../../local/models/anthropic.ts';
import { startBedrockServer } from '../../../local/models/bedrock.ts';
import { cli, textOf } from '../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-choose-'));
const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

const flow = (flow_id: string) => ({ flow_id, persona_id: 'ops' });
write('space.json', { persona_id: 'ops', actions: [flow('update_status'), flow('cancel_order'), flow('wait')] });
write('snapshot.json', { facts: {}, entity_states: { Order: 'shipped' }, observed_at: '2026-11-21T09:30:00Z' });
write(
  'countersign.yaml',
  `people: { olga: { team: T1, user: U1OLGA, name: Olga }, al: { team: T1, user: U1AL, name: Al } }
agents: { demo: { owner: olga } }
channels: { c: { team: T1, id: C1 } }
approvers: { g: { members: [al], channel: c } }
approvals: { approvers: g }
models: { claude: { provider: anthropic, secret: key }, aws: { provider: bedrock, region: eu-west-1 } }
policies:
  first: { type: first-available }
  random: { type: random }
  person: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 1m }
  model: { type: llm, client: claude, model: m-1 }
  nova: { type: llm, client: aws, model: 'amazon.nova-lite-v1:0' }
`,
);
const run = (
  policy: string,
  more: readonly string[] = [],
  options: Parameters<typeof cli>[1] = {},
  { space = 'space.json', snapshot = 'snapshot.json' } = {},
) =>
  cli(['choose', '--policy', policy, '--space', space, '--snapshot', snapshot, ...more], { cwd: folder, ...options });

describe('a choice in the terminal', () => {
  test('says what was chosen, and by which stage', async () => {
    const { code, out } = await run('first');
    expect(code).toBe(0);
    expect(out).toBe('chosen  update_status as ops\n  first-available: chosen, update_status\n');
  });

  test.each<[string, number, string | null, string]>([
    ['approve\n', 0, 'update_status', 'approved'],
    ['1\n', 0, 'cancel_order', 'substituted'],
    ['r\n', 4, null, 'rejected'],
    ['', 4, null, 'rejected'],
    ['7\n', 4, null, 'rejected'],
  ])('the person at the terminal answers %j', async (line, code, chosen, outcome) => {
    const ran = await run('person', ['--json'], { stdin: () => textOf(line) });
    expect(ran.code).toBe(code);
    expect(ran.err).toContain('Proposed action: execute flow "update_status"');
    const [printed] = ran.lines as [{ action: { flow_id: string } | null; stages: { outcome: string }[] }];
    expect(printed.action?.flow_id ?? null).toBe(chosen);
    expect(printed.stages.at(-1)?.outcome).toBe(outcome);
  });

  test('without --json the question stands on standard output', async () => {
    const { out, err } = await run('person', [], { stdin: () => textOf('app', 'rove\n') });
    expect(out).toMatch(/^Proposed action[\s\S]*select alternative\? chosen {2}update_status as ops\n/);
    expect(err).toBe('');
  });

  test('the same seed draws the same', async () => {
    const drawn = async (seed: string) => (await run('random', ['--json', '--seed', seed])).out;
    expect(await drawn('a')).toBe(await drawn('a'));
  });

  test('a model is asked with the key of the environment', async () => {
    const server = await startAnthropicServer(['{"action": {"flow_id": "cancel_order"}}']);
    afterAll(() => server.close());
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
    const { code, out } = await run('model', [], { env });
    expect(code).toBe(0);
    expect(out).toMatch(/^chosen {2}cancel_order as ops\n {2}llm: chosen, cancel_order, 1 calls, \d+ \+ \d+ tokens\n$/);
    expect(server.requests[0]?.body.model).toBe('m-1');
  });

  test('a model of Bedrock is asked with the AWS keys of the environment', async () => {
    const server = await startBedrockServer(['{"action": {"flow_id": "wait"}}'], 'secret');
    // The SDK and its keys are the process's.
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', undefined);
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', server.url);
    const { code, out } = await run('nova').finally(() => server.close());
    vi.unstubAllEnvs();
    expect(code).toBe(0);
    expect(out).toMatch(/^chosen {2}wait as ops\n {2}llm: chosen, wait, 1 calls, \d+ \+ \d+ tokens\n$/);
    expect(server.requests).toMatchObject([{ model: 'amazon.nova-lite-v1:0', scope: { region: 'eu-west-1' } }]);
  });
});

describe('what is wrong is said with its place', () => {
  test.each<[string, readonly string[], number, RegExp]>([
    ['an undeclared policy', ['choose', '--policy', 'x'], 2, /declares no policy x; it declares first, random/],
    ['no key for a model', ['choose', '--policy', 'model'], 2, /export ANTHROPIC_API_KEY/],
  ])('%s', async (_name, [, , policy = ''], code, message) => {
    const ran = await run(policy);
    expect(ran.code).toBe(code);
    expect(ran.err).toMatch(message);
  });

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /bad\.json: the action space is not JSON at line 1, column 2/],
    ['an unknown key', { persona_id: 'ops', actions: [], more: 1 }, /bad\.json: .*more/],
    [
      'an empty flow',
      { persona_id: 'ops', actions: [flow('')] },
      /bad\.json: actions\[0\]\.flow_id: must not be empty/,
    ],
    ['the same action twice', { persona_id: 'ops', actions: [flow('a'), flow('a')] }, /actions\[1\]: is identical/],
  ])('a space with %s', async (_name, content, message) => {
    write('bad.json', content);
    const ran = await run('first', [], {}, { space: 'bad.json' });
    expect(ran.code).toBe(5);
    expect(ran.err).toMatch(message);
  });

  test('names a missing file', async () => {
    const ran = await run('first', [], {}, { snapshot: 'nowhere.json' });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('nowhere.json: there is no such snapshot');
  });
});
