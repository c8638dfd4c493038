/**
 * Makes the keys of both tables, and turns items to and from their stored form.
 * Every row type has a prefix of its own, which IAM limits writers to.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { RecordFamily } from '../../domain/record/record-families.ts';
import { knownFamilyOf } from '../../ports/stores/audit-log.ts';
import type { SealKey } from '../../ports/vault.ts';

export interface Tables {
  readonly state: string;
  readonly audit: string;
}

export type Item = Record<string, AttributeValue>;

export const toItem = (value: Record<string, unknown>): Item => marshall(value, { removeUndefinedValues: true });
export const fromItem = (item: Item): Record<string, unknown> => unmarshall(item);

/** Row types of the state table; `cdk/` grants by the same prefixes. */
export const PREFIX = {
  approval: 'approval#',
  token: 'token#',
  journal: 'journal#',
  waiting: 'waiting#',
  same: 'same#',
  session: 'session#',
  denied: 'denied#',
  voted: 'voted#',
  earlier: 'earlier#',
  list: 'list#',
  permit: 'permit#',
  result: 'result#',
  task: 'task#',
  conversation: 'conversation#',
  reply: 'reply#',
  sealed: 'sealed#',
  modelAnswer: 'answer#',
  control: 'control',
  delegations: 'delegations',
  alias: 'alias#',
} as const;

/** The index of sessions, and of rows of before there was `byLook`. */
export const DUE_INDEX = 'byDue';
/** The audit table's index: the entries of one agent by time. */
export const AGENT_INDEX = 'byAgent';
/** The entries of one agent by what they are about, then by time. */
export const FACET_INDEX = 'byFacet';

export const approvalKey = (pid: string, sk: string): Item => toItem({ pk: `${PREFIX.approval}${pid}`, sk });
export const tokenKey = (pid: string): Item => toItem({ pk: `${PREFIX.token}${pid}`, sk: 'token' });
export const permitKey = (pid: string, callId: string): Item => toItem({ pk: `${PREFIX.permit}${pid}`, sk: callId });
export const resultKey = (agent: string, pid: string, requestId: string): Item =>
  toItem({ pk: `${PREFIX.result}${agent}#${pid}`, sk: requestId });
export const sealedKey = ({ pid, digest }: SealKey): Item => toItem({ pk: `${PREFIX.sealed}${pid}`, sk: digest });
export const waitingKey = (kind: 'agent' | 'group', name: string): Item =>
  toItem({ pk: `${PREFIX.waiting}${kind}#${name}`, sk: 'count' });
export const sessionItemKey = (agent: string, sessionId: string): Item =>
  toItem({ pk: `${PREFIX.session}${agent}#${sessionId}`, sk: 'session' });
/** Recent calls of a session, beside its row. */
export const recentItemKey = (agent: string, sessionId: string): Item =>
  toItem({ pk: `${PREFIX.session}${agent}#${sessionId}`, sk: 'recent' });
export const deniedKey = (agent: string, day: string): Item => toItem({ pk: `${PREFIX.denied}${agent}`, sk: day });
/** Sessions of one agent in the same index, by the time of their last change. */
export const sessionsPartition = (agent: string): string => `sessions#${agent}`;
export const sameKey = (key: string): Item => toItem({ pk: `${PREFIX.same}${key}`, sk: 'lead' });
export const modelAnswerKey = (key: string): Item => toItem({ pk: `${PREFIX.modelAnswer}${key}`, sk: 'answer' });
export const CONTROL_KEY: Item = toItem({ pk: PREFIX.control, sk: 'control' });
/** By a Slack id or by an alias. */
export const aliasRowKey = (name: string): Item => toItem({ pk: `${PREFIX.alias}${name}`, sk: 'key' });
export const DELEGATIONS_KEY: Item = toItem({ pk: PREFIX.delegations, sk: 'delegations' });
/**
 * Decisions have the agent's own name as partition, which its role may read. Every other family has a prefix with a slash. No agent's name
 * holds a slash, so one pattern tells decisions from all other entries. Rows that are older than the families stand beside the decisions.
 */
export const auditPartition = (agent: string, pid: string, family: RecordFamily = 'decision'): string =>
  `${family === 'decision' ? '' : `${family}/`}${agent}#${pid}`;

/** Whether an entry stands in a partition of its family; `strict`: also if it could be one of before there were families. */
export function standsInItsFamily(pk: string, sk: string, strict = false): boolean {
  const slash = pk.indexOf('/');
  const family = slash < 0 ? 'decision' : pk.slice(0, slash);
  return (family === 'decision' && !strict) || knownFamilyOf(sk) === family;
}

/** Rows of an approval go this long after it can last have mattered; the record stays. Nothing decides by it. */
const KEEP_S = 120 * 24 * 60 * 60;

/** Time-to-live of a row that was of use at `time`, an instant or milliseconds since 1970. */
export const ttlAfter = (time: string | number): { readonly ttl: number } => ({
  ttl: Math.floor((typeof time === 'string' ? Date.parse(time) : time) / 1000) + KEEP_S,
});

/** Reads back the instant that `ttlAfter` was given: never an earlier one, and less than a second later. */
export const lastUseOf = (ttl: number): number => (ttl - KEEP_S + 1) * 1000;
