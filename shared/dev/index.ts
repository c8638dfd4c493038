/**
 * Holds all that `countersign dev` loads, as a bundle of its own.
 *
 * No other part of the package holds Slack's SDK and the local Slack.
 */
export { type DevGate, type DevGateOptions, startDevGate } from './dev-gate.ts';
export { leftOut } from './outsiders.ts';
export { watchOneFile } from './watch-file.ts';
