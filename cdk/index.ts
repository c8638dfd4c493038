/** `countersign/cdk`: the gate for stacks of your own. */
export { Countersign, type CountersignProps } from './constructs/countersign.ts';
export type { ConnectOptions, GateBase, GateMetric, ICountersign } from './constructs/gate-base.ts';
export type { GrantOptions } from './constructs/grants.ts';
export type { AlarmTopics } from './constructs/props.ts';
export type { ArchiveKey, ArchiveLock } from './constructs/record-archive.ts';
export { CountersignStack, type CountersignStackProps } from './countersign-stack.ts';
export type { Principals, TrustProps } from './trust.ts';
