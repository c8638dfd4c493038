/** Checks which roles are agents and operators, and when their registry is read again (A2). */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { accountsAllowed } from '../../../functions/runtime/wiring/accounts-allowed.ts';
import { registeredSenders } from '../../../functions/runtime/wiring/senders.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { readSenderParameter, senderParameter } from '../../../shared/config/sender-path.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';
import { resolveSender } from '../../../shared/use-cases/identity.ts';

const PATH = '/gate/senders';
const MINUTE = 60_000;
const USER = 'AIDAEXAMPLE000000001';
const ROLE = 'AROAEXAMPLE000000002';
const OPERATOR = 'AROAEXAMPLE000000003';
const ACCOUNT = '123456789012';
const { policy } = loadPolicy(
  `people: { olga: { team: T0T, user: U0O, name: Olga } }
agents:
  listed: { owner: olga, senders: [${USER}, "${ACCOUNT}", "${ROLE}:night"] }
  granted: { owner: olga }
operators: { oncall: { person: olga } }
`,
  'test.yaml',
);

let clock: FakeClock;
let parameters: { name: string; value: string }[];
let reads: number;
let fault: Error | undefined;
const registry = () =>
  registeredSenders(PATH, policy, clock, async () => {
    reads += 1;
    if (fault) throw fault;
    return parameters;
  });
const register = (kind: 'agents' | 'operators', name: string, value: unknown) =>
  parameters.push({
    name: senderParameter(PATH, kind, name, `c8${parameters.length}`),
    value: typeof value === 'string' ? value : JSON.stringify(value),
  });

beforeEach(() => {
  clock = new FakeClock();
  parameters = [];
  reads = 0;
  fault = undefined;
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});

describe('registered senders (A2)', () => {
  test('an agent is no operator by a session of one role either', async () => {
    // `listed` is a session of ROLE.
    register('operators', 'oncall', { senderId: ROLE });
    register('agents', 'granted', { senderId: OPERATOR });
    register('operators', 'oncall', { senderId: `${OPERATOR}:day` });
    register('operators', 'oncall', { senderId: `${ROLE}:day` });
    const { operators } = registry();
    const asked = (senderId: string) => resolveSender(senderId, operators, { accountsAllowed: false });
    for (const sender of [`${ROLE}:night`, `${ROLE}:other`, `${OPERATOR}:day`])
      expect(await asked(sender)).toBeUndefined();
    // Two sessions of one role are two senders, where each is registered.
    expect(await asked(`${ROLE}:day`)).toBe('oncall');
  });

  test.each([ROLE, USER])('an agent is no operator, whoever registered it as both: %s', async (senderId) => {
    register('operators', 'oncall', { senderId });
    register('agents', senderId === USER ? 'listed' : 'granted', { senderId });
    register('operators', 'oncall', { senderId: OPERATOR });
    const { agents, operators } = registry();
    expect(await agents.nameOf(senderId)).toBe(senderId === USER ? 'listed' : 'granted');
    expect(await operators.nameOf(senderId)).toBeUndefined();
    expect(await operators.nameOf(OPERATOR)).toBe('oncall');
  });

  test('a role that is both, or has two names, is told of in the log, as its messages are refused', async () => {
    const warned = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    register('operators', 'oncall', { senderId: ROLE });
    register('agents', 'granted', { senderId: USER });
    await registry().operators.nameOf(OPERATOR);
    const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)));
    warned.mockRestore();
    expect(lines).toMatchObject([
      { level: 'WARN', message: expect.stringContaining('two names of agents'), sender: USER },
      {
        level: 'WARN',
        message: expect.stringContaining('an agent and an operator'),
        operator: 'oncall',
        agent: 'listed',
      },
    ]);
    expect(lines[1].sender).toBe(ROLE);
  });

  test('a role with two names of both kinds is told of for each kind', async () => {
    const warned = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    for (const kind of ['agents', 'operators'] as const)
      for (const name of ['one', 'other']) register(kind, name, { senderId: OPERATOR });
    await registry().operators.nameOf(OPERATOR);
    const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)));
    warned.mockRestore();
    expect(lines).toMatchObject([
      { message: expect.stringContaining('two names of agents'), sender: OPERATOR },
      { message: expect.stringContaining('two names of operators'), sender: OPERATOR },
      { message: expect.stringContaining('an agent and an operator'), agent: 'several', operator: 'several' },
    ]);
  });

  test('are those of the policy file and those under the path', async () => {
    register('agents', 'granted', { senderId: ROLE, replyQueueUrl: 'https://sqs.example/replies' });
    register('operators', 'oncall', { senderId: OPERATOR });
    const { agents, operators, replyQueueOf } = registry();
    expect(await agents.nameOf(USER)).toBe('listed');
    expect(await agents.nameOf(ROLE)).toBe('granted');
    expect(await operators.nameOf(OPERATOR)).toBe('oncall');
    expect(await replyQueueOf('granted')).toBe('https://sqs.example/replies');
    expect(await replyQueueOf('listed')).toBeUndefined();
    expect(reads).toBe(1);
  });

  test('an operator is no agent, and an agent no operator', async () => {
    register('operators', 'oncall', { senderId: OPERATOR });
    const { agents, operators } = registry();
    expect(await agents.nameOf(OPERATOR)).toBeUndefined();
    expect(await operators.nameOf(USER)).toBeUndefined();
  });

  test('an unknown sender has the path read again at most once a minute, however many ask at once', async () => {
    const { agents } = registry();
    const ask = (count: number) => Promise.all(Array.from({ length: count }, () => agents.nameOf(ROLE)));
    expect(new Set(await ask(10))).toEqual(new Set([undefined]));
    expect(reads).toBe(1);
    register('agents', 'granted', { senderId: ROLE });
    expect(await agents.nameOf(ROLE)).toBeUndefined();
    clock.jump(MINUTE);
    expect(new Set(await ask(10))).toEqual(new Set(['granted']));
    expect(reads).toBe(2);
  });

  test('a role that moves to another agent is that agent five minutes later, however many ask at once', async () => {
    register('agents', 'listed', { senderId: ROLE });
    const { agents } = registry();
    expect(await agents.nameOf(ROLE)).toBe('listed');
    parameters = [];
    register('agents', 'granted', { senderId: ROLE });
    clock.jump(5 * MINUTE - 1);
    expect(await agents.nameOf(ROLE)).toBe('listed');
    expect(reads).toBe(1);
    clock.jump(1);
    const names = await Promise.all(Array.from({ length: 10 }, () => agents.nameOf(ROLE)));
    expect(new Set(names)).toEqual(new Set(['granted']));
    expect(reads).toBe(2);
  });

  test('a look that fails leaves the known ones known, and is not tried again for five minutes', async () => {
    const { agents } = registry();
    await agents.nameOf(USER);
    fault = new Error('throttled');
    clock.jump(5 * MINUTE);
    expect(await agents.nameOf(USER)).toBe('listed');
    expect(await agents.nameOf(USER)).toBe('listed');
    expect(reads).toBe(2);
  });

  test('a failed start is tried again; a failed second look leaves the known ones known', async () => {
    const { agents } = registry();
    fault = new Error('throttled');
    await expect(agents.nameOf(USER)).rejects.toThrow('throttled');
    fault = undefined;
    expect(await agents.nameOf(USER)).toBe('listed');
    clock.jump(MINUTE);
    fault = new Error('throttled');
    await expect(agents.nameOf(ROLE)).rejects.toThrow('throttled');
    await expect(agents.nameOf(ROLE)).rejects.toThrow('throttled');
    expect(await agents.nameOf(USER)).toBe('listed');
    expect(reads).toBe(3);
  });

  test('a sender registered under two names is nobody', async () => {
    register('agents', 'granted', { senderId: USER });
    expect(await registry().agents.nameOf(USER)).toBeUndefined();
  });

  test('what cannot be read is passed over, and shuts out nobody else', async () => {
    for (const value of ['', 'null', '[]', '{"senderId":7}', '{"senderId":""}', '{'])
      register('agents', 'granted', value);
    parameters.push({ name: `${PATH}/agents`, value: `{"senderId":"${ROLE}"}` });
    parameters.push({ name: `${PATH}/others/granted/x`, value: `{"senderId":"${ROLE}"}` });
    register('agents', 'granted', { senderId: OPERATOR });
    const { agents } = registry();
    expect(await agents.nameOf(OPERATOR)).toBe('granted');
    expect(await agents.nameOf(ROLE)).toBeUndefined();
  });
});

describe('the names of parameters', () => {
  test.each(['plain', 'with:colon', 'with_under', 'a_cb', 'a:_:b', '_', '__', 'x.y-z'])('%s comes back', (name) => {
    const parameter = senderParameter(PATH, 'agents', name, 'id');
    expect(parameter).toMatch(/^[A-Za-z0-9_.\-/]+$/);
    expect(readSenderParameter(PATH, parameter)).toEqual({ kind: 'agents', name });
  });

  test('another deployment’s are not ours', () => {
    expect(readSenderParameter(PATH, '/gate/senders-2/agents/a/b')).toBeUndefined();
    expect(readSenderParameter(PATH, '/gate/senders/agents/a/b/c')).toBeUndefined();
  });
});

describe('a bare account id', () => {
  const asked = (allowed: boolean, sender = ACCOUNT) =>
    resolveSender(sender, registry().agents, { accountsAllowed: allowed });

  test('is nobody, even where the policy file names it', async () => {
    expect(await asked(false)).toBeUndefined();
    expect(await asked(true)).toBe('listed');
  });

  test.each([
    ['loopback', 'https://127.0.0.1:4566', true],
    ['loopback', 'http://localhost:4566', true],
    ['loopback', 'https://sqs.us-east-1.amazonaws.com', false],
    ['loopback', 'https://127.0.0.1.example', false],
    ['loopback', undefined, false],
    ['loopback', 'no url', false],
    [undefined, 'https://127.0.0.1:4566', false],
  ] as const)('setting %s at %s: %s', (setting, endpoint, allowed) => {
    const before = process.env['AWS_ENDPOINT_URL'];
    delete process.env['AWS_ENDPOINT_URL'];
    expect(accountsAllowed(setting, endpoint)).toBe(allowed);
    if (before !== undefined) process.env['AWS_ENDPOINT_URL'] = before;
  });

  test('a session of a shared role counts before the role', async () => {
    register('agents', 'granted', { senderId: ROLE });
    expect(await asked(false, `${ROLE}:night`)).toBe('listed');
    expect(await asked(false, `${ROLE}:day`)).toBe('granted');
  });
});
