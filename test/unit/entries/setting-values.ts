/** Lists values that work, and values that are wrong by their kind, for the tables of settings. */
import * as client from '../../../shared/client/index.ts';
import * as policies from '../../../shared/policies/index.ts';

export type Options = Record<string, unknown>;
export type Make = (value: never) => unknown;

const URL = 'https://sqs.eu-central-1.amazonaws.com/1/proposals';
export const CLIENT = { agent: 'billing', deployment: 'Countersign', queueUrl: URL, auditTable: 'audit' };
export const gate = new client.CountersignClient(CLIENT);
export const guard = gate.guard({ run: 'r' });
export const ask = async () => ({ type: 'silent' }) as const;
export const model = { complete: async () => ({ text: '', usage: { inputTokens: 0, outputTokens: 0 } }) };
export const turn = { next: async () => ({}) };
export const first = policies.firstAvailable();
export const limits = { environment: 'production', environments: { production: {} } };
export const channel = policies.asChannel(ask);
export const noop = () => undefined;

export const NONE = [undefined, null];
const NUMBERS = [Number.NaN, -1, Number.POSITIVE_INFINITY, '1', {}];
/** By the kind of value: what is no such value. */
export const WRONG = {
  text: [null, '', ' ', 7, {}, Number.NaN],
  texts: [null, 'all', 7, {}, [7]],
  fn: [null, '', 7, {}, 'x'],
  port: [null, '', 7, {}, Number.NaN],
  record: [null, '', 7, [], Number.NaN],
  list: [null, '', 7, {}, Number.NaN],
  flag: [null, '', 0, 'true'],
  count: [null, 0, 1.5, ...NUMBERS],
  wait: [null, '', 'soon', '5', Number.NaN, -1, Number.POSITIVE_INFINITY, {}],
  mode: [null, '', 'Default ', 7, '__proto__'],
  natural: [null, 1.5, ...NUMBERS],
  file: [null, 7, {}, Number.NaN],
  time: [null, '', 'soon', {}, Number.NaN],
  seconds: [null, 0, '1', {}, ...[Number.NaN, -1, Number.POSITIVE_INFINITY]],
} as const;
export type Kind = keyof typeof WRONG;
