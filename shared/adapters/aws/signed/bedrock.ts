/** Asks models of Amazon Bedrock over its Converse operation. */
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { SdkConfig, Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

/** The fields of a request that are sent. */
interface ConverseInput {
  /** Id or ARN of a model, or of an inference profile. */
  readonly modelId: string;
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: readonly { readonly text: string }[];
  }[];
  readonly inferenceConfig: { readonly maxTokens: number };
}

export const BEDROCK: Service = {
  host: 'bedrock-runtime',
  signedAs: 'bedrock',
  operations: { routeOf },
  endpointVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  bytes: new Set(),
  times: new Set(),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig(stated) {
    const { DynamoDBClient: Client } = await import('./sdk/dynamodb.ts');
    const { config } = new Client(stated === undefined ? {} : { region: stated });
    return { ...pickedOf(config), endpointProvider: (where) => ({ url: besideDynamoDb(config, where) }) };
  },
};

/** The id is one segment of the path, with the slashes of an ARN. */
function routeOf(_operation: string, input: object): { readonly path: string; readonly body: object } {
  const { modelId, ...body } = input as ConverseInput;
  return { path: `/model/${encodeURIComponent(modelId)}/converse`, body };
}

/** The SDK's settings of region and keys are the same for every service. */
const pickedOf = (config: SdkConfig): Omit<SdkConfig, 'endpointProvider'> => ({
  region: () => config.region(),
  useFipsEndpoint: () => config.useFipsEndpoint(),
  useDualstackEndpoint: () => config.useDualstackEndpoint(),
  credentials: () => config.credentials(),
});

/** Every partition ends its services' hosts alike, so that the SDK's client of Bedrock is not needed to know the ends. */
function besideDynamoDb(config: SdkConfig, where: Parameters<SdkConfig['endpointProvider']>[0]): URL {
  const { hostname } = config.endpointProvider({ ...where, UseFIPS: false }).url;
  return new URL(`https://bedrock-runtime${where.UseFIPS ? '-fips' : ''}${hostname.slice(hostname.indexOf('.'))}`);
}

export class BedrockRuntimeClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(BEDROCK, options);
  }
}

export const ConverseCommand = commandOf<ConverseInput, object>('Converse');
