/** Settings of a client: whatever is missing or wrong is named where the client is made. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CountersignClient, type CountersignClientOptions } from '../../../shared/client/index.ts';

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
    [{ deployment: ' ' }, 'deployment', 'output Deployment'],
    [{ queueUrl: undefined }, 'queueUrl', 'output ProposalsQueueUrl'],
    [{ queueUrl: 'proposals' }, 'queueUrl', 'is no URL'],
    [{ auditTable: '' }, 'auditTable', 'output AuditTable'],
    [{ executionsQueueUrl: whole.queueUrl }, 'stateTable', 'StateTable'],
    [{ executionsQueueUrl: '' }, 'executionsQueueUrl', 'is empty'],
    [{ redeemFunction: 'redeem' }, 'outcomesQueueUrl', 'OutcomesQueueUrl'],
    [{ outcomesQueueUrl: whole.queueUrl }, 'redeemFunction', 'RedeemFunction'],
    [{ aws: { region: '' } }, 'aws.region', 'empty'],
    [{ aws: { endpoint: 'localhost' } }, 'aws.endpoint', 'is no URL'],
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
