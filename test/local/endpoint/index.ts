// Plays AWS on one machine: start it, talk to it, deploy to it.
export { deployStack } from '../../../shared/dev/aws/deploy-stack.ts';
export {
  ACCOUNT,
  childEnvironment,
  clientConfig,
  type Endpoint,
  REGION,
  trust,
} from '../../../shared/dev/aws/endpoint.ts';
export { localFunctionUrl } from '../../../shared/dev/aws/function-url.ts';
export { startEndpoint } from './start-endpoint.ts';
export { useInThisProcess } from './use-in-this-process.ts';
