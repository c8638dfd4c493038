/** Takes the place of the SDK's package for KMS in bundles. */
import type {
  DecryptCommandInput,
  DecryptCommandOutput,
  GenerateDataKeyCommandInput,
  GenerateDataKeyCommandOutput,
  GetPublicKeyCommandInput,
  GetPublicKeyCommandOutput,
  SignCommandInput,
  SignCommandOutput,
} from '@aws-sdk/client-kms';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export const KMS: Service = {
  host: 'kms',
  operations: { target: 'TrentService', jsonVersion: '1.1' },
  endpointVariable: 'AWS_ENDPOINT_URL_KMS',
  bytes: new Set(['CiphertextBlob', 'CiphertextForRecipient', 'Plaintext', 'PublicKey', 'Signature']),
  times: new Set(),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig() {
    const { KMSClient: Client } = await import('./sdk/kms.ts');
    return new Client({}).config;
  },
};

export class KMSClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(KMS, options);
  }
}

export const DecryptCommand = commandOf<DecryptCommandInput, DecryptCommandOutput>('Decrypt');
export const GenerateDataKeyCommand = commandOf<GenerateDataKeyCommandInput, GenerateDataKeyCommandOutput>(
  'GenerateDataKey',
);
export const GetPublicKeyCommand = commandOf<GetPublicKeyCommandInput, GetPublicKeyCommandOutput>('GetPublicKey');
export const SignCommand = commandOf<SignCommandInput, SignCommandOutput>('Sign');
