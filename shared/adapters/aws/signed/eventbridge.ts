/** Takes the place of the SDK's package for EventBridge in bundles. */
import type { PutEventsCommandInput, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export const EVENTBRIDGE: Service = {
  host: 'events',
  operations: { target: 'AWSEvents', jsonVersion: '1.1' },
  endpointVariable: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
  bytes: new Set(),
  times: new Set(),
  errors: {},
  baseDelayMs: 50,
  async sdkConfig() {
    const { EventBridgeClient: Client } = await import('./sdk/eventbridge.ts');
    return new Client({}).config;
  },
};

export class EventBridgeClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(EVENTBRIDGE, options);
  }
}

export const PutEventsCommand = commandOf<PutEventsCommandInput, PutEventsCommandOutput>('PutEvents');
