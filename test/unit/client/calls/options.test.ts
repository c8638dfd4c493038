/** Checks settings of a client: whatever is missing or wrong is named where the client is made. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CountersignClient, type CountersignClientOptions } from '../../../../shared/client/index.ts';

const whole = {
  agent: 'billing',
  deployment: 'Countersign',
  queueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/proposals',
  auditTable: 'audit',
} satisfies CountersignClientOptions;

describe('a setting that is missing or wrong is named, with the output that holds it', () => {
  test.each<[Partial<CountersignClientOptions>, string, string]>([
    [{ agent: undefined }, 'agent', 'COUNTERSIGN_AGENT'],
    [{ agent: '' }, 'agent', 'policy file'],
    [{ agent: 'two words' }, 'agent', 'two words'],
    [{ deployment: undefined }, 'deployment', 'output Deployment'],
    [{ deployment: ' ' }, 'deployment', 'is empty: it is the stack'],
    [{ deployment: 'half \ud800' }, 'deployment', 'half of a surrogate pair'],
    [{ queueUrl: undefined }, 'queueUrl', 'output ProposalsQueueUrl'],
    [{ queueUrl: 'proposals' }, 'queueUrl', 'is no URL'],
    [{ auditTable: '' }, 'auditTable', 'output AuditTable'],
    [{ sessionId: '' }, 'sessionId', 'leave it out'],
    [{ sessionId: 'two words' }, 'sessionId', 'two words'],
    [{ executionsQueueUrl: whole.queueUrl }, 'stateTable', 'StateTable'],
    [{ executionsQueueUrl: '' }, 'executionsQueueUrl', 'is empty'],
    [{ redeemFunction: 'redeem' }, 'outcomesQueueUrl', 'OutcomesQueueUrl'],
    [{ outcomesQueueUrl: whole.queueUrl }, 'redeemFunction', 'RedeemFunction'],
    [{ aws: { region: '' } }, 'aws.region', 'empty'],
    [{ aws: { endpoint: 'localhost' } }, 'aws.endpoint', 'is no URL'],
    [{ aws: { regoin: 'eu-central-1' } as never }, 'regoin', 'there are region'],
    [{ aws: { credentials: 'profile' as never } }, 'aws.credentials', 'not an object'],
    [{ aws: { credentials: { accessKeyId: 'AK', secretAccessKey: '' } } }, 'aws.credentials.secretAccessKey', 'a text'],
    [{ aws: { credentials: { secretAccessKey: 's' } as never } }, 'aws.credentials.accessKeyId', 'is missing'],
    [{ queueUrl: 7 as never }, 'queueUrl', 'is no text'],
  ])('%j', (change, setting, words) => {
    const make = () => new CountersignClient({ ...whole, ...change });
    expect(make).toThrow(expect.objectContaining({ name: 'InvalidSettingError', code: 'invalid_setting', setting }));
    expect(make).toThrow(words);
  });
});

describe('the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('gives the settings; what is given counts before it', async () => {
    vi.stubEnv('COUNTERSIGN_AGENT', 'billing');
    vi.stubEnv('COUNTERSIGN_DEPLOYMENT', 'Countersign');
    vi.stubEnv('COUNTERSIGN_QUEUE_URL', whole.queueUrl);
    vi.stubEnv('COUNTERSIGN_AUDIT_TABLE', '');
    expect(() => CountersignClient.fromEnvironment()).toThrow(/^auditTable: is missing.*COUNTERSIGN_AUDIT_TABLE/);
    vi.stubEnv('COUNTERSIGN_AUDIT_TABLE', 'audit');
    expect(() => CountersignClient.fromEnvironment({ agent: undefined })).not.toThrow();
    expect(() => CountersignClient.fromEnvironment({ queueUrl: 'x' })).toThrow(/^queueUrl: /);
    await using client = CountersignClient.fromEnvironment({ aws: { region: 'eu-central-1' } });
    expect(client).toBeInstanceOf(CountersignClient);
  });
});

describe('a time-out that is no length of time is refused before anything is sent', () => {
  const space = { entities: {}, actions: [] } as never;
  const snapshot = { entities: {} } as never;
  const call = { tool: 'Bash', input: { command: 'ls' } };
  const guarded = { ...call, callId: 'c1' };

  test.each<[string, (client: CountersignClient, timeout: never) => unknown]>([
    ['gate', (client, timeout) => client.gate('Bash', () => 1, { timeout })],
    ['a call of a wrapped tool', (client, timeout) => client.gate('Bash', () => 1)({}, { timeout })],
    ['decide', (client, timeout) => client.decide({ ...call, timeout })],
    ['execute', (client, timeout) => client.execute({ ...call, timeout })],
    ['ask', (client, timeout) => client.ask('Which?', { timeout })],
    ['choose', (client, timeout) => client.choose('first', space, snapshot, { timeout })],
    ['policy', (client, timeout) => client.policy('first', { timeout })],
    ['wait', (client, timeout) => client.wait('p-1', { timeout })],
    ['guard', (client, timeout) => client.guard({ run: 'r', timeout })],
    ['asks of a guard', (client, timeout) => client.guard({ run: 'r' }).asks(guarded, { timeout })],
    ['decide of a guard', (client, timeout) => client.guard({ run: 'r' }).decide(guarded, { timeout })],
    ['run of a guard', (client, timeout) => client.guard({ run: 'r' }).run(guarded, () => 1, { timeout })],
  ])('%s', async (_name, use) => {
    for (const timeout of [Number.NaN, -1, Number.POSITIVE_INFINITY, '1', 'soon', '']) {
      const sent: unknown[] = [];
      const queue = { publish: async (...message: unknown[]) => void sent.push(message) } as never;
      const reader = { read: async () => undefined };
      const client = new CountersignClient({ ...whole, queue, reader, executions: queue, results: reader as never });
      const error = await Promise.resolve()
        .then(() => use(client, timeout as never))
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'invalid_setting', setting: 'timeout' });
      expect(sent).toEqual([]);
    }
  });
});
