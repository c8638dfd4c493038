/**
 * Holds all that `countersign dev` loads, as a bundle of its own.
 *
 * No other part of the package holds Slack's SDK and the local Slack.
 */
export { EndpointError, EndpointUnavailable } from './aws/errors.ts';
export { type DeployedGate, type DeployedGateOptions, startDeployedGate } from './deployed/deployed-gate.ts';
export { type DevGate, type DevGateOptions, startDevGate } from './dev-gate.ts';
export { isOpen, leftOut, reachedOutside } from './failing-resolvers.ts';
export { watchOneFile } from './watch-file.ts';
