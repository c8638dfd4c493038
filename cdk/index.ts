/** `countersign/cdk`: the gate for stacks of your own. */
export { Countersign, type CountersignProps } from './constructs/countersign.ts';
export type { ConnectOptions, GateMetric, ICountersign } from './constructs/gate-base.ts';
export type { GrantOptions } from './constructs/grants.ts';
export { CountersignStack, type CountersignStackProps } from './countersign-stack.ts';
export type { TrustProps } from './trust.ts';
