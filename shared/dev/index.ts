/** What `countersign dev` loads, as a bundle of its own: Slack's SDK and the local Slack are in no other part of the package. */
export { type DevGate, type DevGateOptions, startDevGate } from './dev-gate.ts';
export { leftOut } from './outsiders.ts';
export { watchOneFile } from './watch-file.ts';
