// Plays AWS on one machine: start it, talk to it, deploy to it.
export {
  type DeployOptions,
  deployStack,
  type StackOutputs,
  type SynthesiseOptions,
  synthesise,
} from './deploy-stack.ts';
export {
  ACCOUNT,
  childEnvironment,
  clientConfig,
  type Endpoint,
  type EndpointKind,
  REGION,
  trust,
  useInThisProcess,
} from './endpoint.ts';
export { EndpointError, EndpointNotLocal, EndpointUnavailable } from './errors.ts';
export { localFunctionUrl } from './function-url.ts';
export { isLoopback } from './loopback.ts';
export { startEndpoint } from './start-endpoint.ts';
export type { StartOptions } from './start-options.ts';
