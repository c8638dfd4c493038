/**
 * Exports the names of the policies that the repository itself uses.
 *
 * `public.ts` is the part that is published.
 */
export type {
  BlockedAction,
  BlockedReason,
  EntitySummary,
  VerdictSummary,
} from '../contract/action-space.ts';
export { buildPolicy, type PolicyPorts } from './build.ts';
export { type Chosen, type PolicyRun, runPolicy, type Superseded, type Suspended } from './durable.ts';
export type {
  HumanQuestion,
  JournalAnswer,
  ModelAnswer,
  ModelQuestion,
  PolicyJournal,
  PolicyQuestion,
  PolicyQuestionAsked,
} from './journal.ts';
export * from './public.ts';
export {
  type CompositeNode,
  type HumanNode,
  type LlmNode,
  type PolicyTree,
  PolicyTreeError,
  type PredicateNode,
} from './tree.ts';
