/** Orders the values under which a gate publishes its settings in SSM, and reads them. */
import { STACK_SETTINGS, type StackSetting } from '../../shared/domain/aws/stack-settings.ts';
import { FUNCTIONS } from './functions/function-names.ts';

/** The settings by which programs find the gate. */
export type GateSettings = Readonly<Record<StackSetting, string>>;

/** Operators of earlier releases invoked this function: the value stays where their apps read it. */
export const REDRIVE = 'redriveFunction';

/** The order of the values in the parameter: append only, for other apps read it. The ARNs of all queues follow, then the bucket of texts and the digest key. */
export const VALUES = [
  'deployment',
  'queueUrl',
  'auditTable',
  'stateTable',
  'executionsQueueUrl',
  'redeemFunction',
  'outcomesQueueUrl',
  'operatorsQueueUrl',
  REDRIVE,
  'archiveBucket',
  'archiveKey',
] as const satisfies readonly (typeof REDRIVE | Exclude<StackSetting, 'textBucket' | 'digestKey' | 'canaryFunction'>)[];
/** The index of the first value after those above. */
export const RECORD_OUTCOME = VALUES.length;
export const QUEUES = RECORD_OUTCOME + 1;
/** Eight queues with one for dead letters each. */
export const QUEUE_COUNT = 16;
export const TEXTS = QUEUES + QUEUE_COUNT;
export const DIGEST_KEY = TEXTS + 1;

export const parameterOf = (deployment: string): string => `/${deployment}/gate`;
/** Apart, for one parameter holds 4 KB. */
export const functionsParameterOf = (deployment: string): string => `/${deployment}/functions`;
/** The workflow's name and those of the functions' logs, for who may read them. */
export const logsParameterOf = (deployment: string): string => `/${deployment}/logs`;

/** The settings in the texts of both parameters. */
export function settingsIn(gate: string, functions: string): GateSettings {
  const values = gate.split(',');
  const names: Readonly<Partial<Record<StackSetting, string>>> = {
    ...Object.fromEntries(VALUES.map((name, index) => [name, values[index]])),
    textBucket: values[TEXTS] ?? '',
    digestKey: values[DIGEST_KEY] ?? '',
    canaryFunction: functions.split(',')[FUNCTIONS.indexOf('canary')] ?? '',
  };
  const entries = Object.keys(STACK_SETTINGS).map((name) => [name, names[name as StackSetting] ?? '']);
  return Object.fromEntries(entries) as GateSettings;
}
