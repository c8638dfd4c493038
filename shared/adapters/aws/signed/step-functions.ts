/** Takes the place of the SDK's package for Step Functions in bundles. */
import type {
  SendTaskFailureCommandInput,
  SendTaskFailureCommandOutput,
  SendTaskSuccessCommandInput,
  SendTaskSuccessCommandOutput,
  StartExecutionCommandInput,
  StartExecutionCommandOutput,
} from '@aws-sdk/client-sfn';
import { SignedClient } from './client.ts';
import { commandOf } from './command.ts';
import { ServiceException } from './exception.ts';
import type { Service } from './service.ts';
import type { SignedClientOptions } from './settings.ts';

export class ExecutionAlreadyExists extends ServiceException {}
export class InvalidToken extends ServiceException {}
export class TaskDoesNotExist extends ServiceException {}
export class TaskTimedOut extends ServiceException {}

export const STEP_FUNCTIONS: Service = {
  host: 'states',
  operations: { target: 'AWSStepFunctions', jsonVersion: '1.0' },
  endpointVariable: 'AWS_ENDPOINT_URL_SFN',
  bytes: new Set(),
  times: new Set(['startDate']),
  errors: { ExecutionAlreadyExists, InvalidToken, TaskDoesNotExist, TaskTimedOut },
  baseDelayMs: 50,
  async sdkConfig() {
    const { SFNClient: Client } = await import('./sdk/step-functions.ts');
    return new Client({}).config;
  },
};

export class SFNClient extends SignedClient {
  constructor(options: SignedClientOptions) {
    super(STEP_FUNCTIONS, options);
  }
}

export const SendTaskFailureCommand = commandOf<SendTaskFailureCommandInput, SendTaskFailureCommandOutput>(
  'SendTaskFailure',
);
export const SendTaskSuccessCommand = commandOf<SendTaskSuccessCommandInput, SendTaskSuccessCommandOutput>(
  'SendTaskSuccess',
);
export const StartExecutionCommand = commandOf<StartExecutionCommandInput, StartExecutionCommandOutput>(
  'StartExecution',
);
