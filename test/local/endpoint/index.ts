// Plays AWS on one machine: start it, talk to it, deploy to it.
export {
  type DeployOptions,
  deployStack,
  type StackOutputs,
  type SynthesiseOptions,
  synthesise,
} from '../../../shared/dev/aws/deploy-stack.ts';
export {
  ACCOUNT,
  childEnvironment,
  clientConfig,
  type Endpoint,
  type EndpointKind,
  REGION,
  trust,
} from '../../../shared/dev/aws/endpoint.ts';
export { EndpointError, EndpointNotLocal, EndpointUnavailable } from '../../../shared/dev/aws/errors.ts';
export { localFunctionUrl } from '../../../shared/dev/aws/function-url.ts';
export { isLoopback } from '../../../shared/dev/aws/loopback.ts';
export type { StartOptions } from '../../../shared/dev/aws/start-options.ts';
export { startEndpoint } from './start-endpoint.ts';
export { useInThisProcess } from './use-in-this-process.ts';
