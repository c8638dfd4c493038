/** Takes the place of the SDK's package for Systems Manager in bundles. */
import type { GetParametersByPathCommandInput, GetParametersByPathCommandOutput } from '@aws-sdk/client-ssm';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export const SSM: Service = {
  host: 'ssm',
  operations: { target: 'AmazonSSM', jsonVersion: '1.1' },
  endpointVariable: 'AWS_ENDPOINT_URL_SSM',
  bytes: new Set(),
  times: new Set(['LastModifiedDate']),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig() {
    const { SSMClient: Client } = await import('./sdk/ssm.ts');
    return new Client({}).config;
  },
};

export class SSMClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(SSM, options);
  }
}

export const GetParametersByPathCommand = commandOf<GetParametersByPathCommandInput, GetParametersByPathCommandOutput>(
  'GetParametersByPath',
);

export async function* paginateGetParametersByPath(
  { client }: { readonly client: SSMClient },
  input: GetParametersByPathCommandInput,
): AsyncGenerator<GetParametersByPathCommandOutput> {
  let { NextToken } = input;
  do {
    const page: GetParametersByPathCommandOutput = await client.send(
      new GetParametersByPathCommand({ ...input, NextToken }),
    );
    yield page;
    NextToken = page.NextToken;
  } while (NextToken);
}
