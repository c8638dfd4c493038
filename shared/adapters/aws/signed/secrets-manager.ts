/** Takes the place of the SDK's package for Secrets Manager in bundles. */
import type { GetSecretValueCommandInput, GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export const SECRETS_MANAGER: Service = {
  host: 'secretsmanager',
  operations: { target: 'secretsmanager', jsonVersion: '1.1' },
  endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  bytes: new Set(['SecretBinary']),
  times: new Set(['CreatedDate']),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig() {
    const { SecretsManagerClient: Client } = await import('./sdk/secrets-manager.ts');
    return new Client({}).config;
  },
};

export class SecretsManagerClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(SECRETS_MANAGER, options);
  }
}

export const GetSecretValueCommand = commandOf<GetSecretValueCommandInput, GetSecretValueCommandOutput>(
  'GetSecretValue',
);
