/** Names the rows that functions may touch, and turns them into conditions of IAM. */
import type { GateTables } from '../data/tables.ts';
import type { GateFunction } from '../functions/gate-function.ts';

/** Prefixes of partition keys in the state table, as `shared/adapters/dynamodb` writes them. */
type RowType =
  | 'approval#'
  | 'token#'
  | 'journal#'
  | 'waiting#'
  | 'same#'
  | 'rate#'
  | 'session#'
  | 'denied#'
  | 'voted#'
  | 'earlier#'
  | 'list#'
  | 'task#'
  | 'conversation#'
  | 'reply#'
  | 'permit#'
  | 'result#'
  | 'slots#'
  | 'budget#'
  | 'circuit#'
  | 'sealed#'
  | 'answer#'
  | 'alias#'
  | 'control'
  | 'delegations';
/** Prefixes of the record's partitions, one for each family of entries but the decisions, which stand under the agents' own names. */
export type RecordRows = 'vote/' | 'click/' | 'run/' | 'refusal/' | 'operation/';
type Verb = 'GetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
type RowRights = Partial<Record<RowType, readonly Verb[]>>;

/** A function that decides reads sessions, and writes their memory with the decision. */
const REMEMBERS: RowRights = {
  'session#': ['GetItem', 'PutItem'],
  'denied#': ['GetItem', 'UpdateItem'],
  delegations: ['GetItem'],
};
/** A task is a user's own: what its owner deletes is gone. Nothing else in the tables can be deleted by anybody. */
export const TASKS: RowRights = {
  'task#': ['Query', 'PutItem', 'DeleteItem'],
  'conversation#': ['GetItem', 'PutItem'],
};
/** Limiters: of senders, and of the task agent's tools, which those who decide run themselves. */
export const GUARDS: RowRights = {
  'rate#': ['GetItem', 'UpdateItem'],
  'slots#': ['Query', 'UpdateItem'],
  'budget#': ['UpdateItem'],
  'circuit#': ['GetItem', 'UpdateItem'],
};
export const DECIDES: RowRights = {
  ...REMEMBERS,
  ...TASKS,
  ...GUARDS,
  'journal#': ['PutItem'],
  // Read before a model is asked: an identical call may wait, or no more may.
  'waiting#': ['GetItem', 'UpdateItem'],
  'same#': ['GetItem', 'PutItem'],
  'approval#': ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
  'token#': ['GetItem'],
  'sealed#': ['PutItem'],
};
/** One batched read asks for all of these: a statement has to cover every key of a request. */
export const READ_TOGETHER: readonly RowType[] = ['control', 'session#', 'denied#'];
export const FINISHES: RowRights = {
  ...REMEMBERS,
  'approval#': ['Query', 'UpdateItem'],
  'journal#': ['Query', 'PutItem'],
  'waiting#': ['UpdateItem'],
};
/** Permits in use, and what is given back to the limiters when a call has ended. */
export const ENDS: RowRights = {
  'permit#': ['GetItem', 'PutItem'],
  'slots#': ['UpdateItem'],
  'budget#': ['UpdateItem'],
  'circuit#': ['GetItem', 'UpdateItem'],
};
/** An approved call passes these before it runs. A permit is written on a condition, and not read. */
export const REDEEMS: RowRights = {
  ...ENDS,
  'permit#': ['PutItem'],
  'rate#': ['GetItem', 'UpdateItem'],
  'slots#': ['Query', 'UpdateItem'],
  control: ['GetItem'],
  'session#': ['GetItem'],
  delegations: ['GetItem'],
  'approval#': ['Query'],
  'sealed#': ['GetItem'],
};
export const VOTES: RowRights = {
  'approval#': ['Query'],
  delegations: ['GetItem'],
};
/** Attributes of an approval's row that a vote changes: never the decision. */
export const VOTED = ['approval', 'additions', 'version', 'counted', 'quietUntil', 'look', 'lookAt', 'due', 'dueAt'];
/** The time of the reconciler's next look, and the conditions that it is set under. */
export const NEXT_LOOK = ['look', 'lookAt', 'due', 'dueAt', 'failures', 'version'];
/** Attributes of a card, which is a row of its own beside the approval's. */
export const CARD = ['card', 'ttl'];

export function grantRows(to: GateFunction, { state }: GateTables, rights: RowRights): void {
  for (const [rows, verbs] of Object.entries(rights) as [RowType, readonly Verb[]][]) {
    to.allow(
      verbs.map((verb) => `dynamodb:${verb}`),
      [state.tableArn],
      onlyRows([patternOf(rows)]),
    );
  }
}

export const patternOf = (rows: RowType): string => (rows.endsWith('#') ? `${rows}*` : rows);

/** Only partitions whose key begins so; a request that names no key is refused too. */
export const onlyRows = (patterns: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/** Only the partitions of decisions: every other family has a slash in its key, and no name of an agent does. */
export const DECISIONS = {
  'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': ['*/*'] },
  Null: { 'dynamodb:LeadingKeys': 'false' },
};

/** Only these attributes of such rows, besides their keys; and none of the others comes back with the answer. */
export const onlyAttributes = (rows: RowType, attributes: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [patternOf(rows)] },
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] },
  Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
  StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
});
