/** `countersign/cdk`: the gate for stacks of your own. */
export type { MetricMode } from '../shared/config/metric-names.ts';
export type { ArchiveKey } from '../shared/domain/archive/seal-key.ts';
export { Countersign, type CountersignProps } from './constructs/countersign.ts';
export type { ArchiveLock } from './constructs/data/record-archive.ts';
export type { ConnectOptions, GateBase, GateMetric, ICountersign } from './constructs/gate-base.ts';
export type { AlarmTopics, GateTracing, Shift } from './constructs/props/props.ts';
export type { GrantOptions } from './constructs/rights/grants.ts';
export { CountersignStack, type CountersignStackProps } from './countersign-stack.ts';
export type { Principals, TrustProps } from './trust.ts';
