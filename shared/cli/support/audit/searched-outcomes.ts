/** Lists the outcomes by which entries of the record are found, as `facetsOf` gives them. */
import { auditEntry } from '../../../contract/audit-entry.ts';
import { outcomeOfDecision } from '../../../contract/decision.ts';
import { outcomeStatus } from '../../../contract/outcome.ts';

/** An entry that neither ended nor counts has its type as its outcome. */
export const OUTCOME_WORDS: readonly string[] = [
  ...new Set([
    ...outcomeOfDecision.options,
    ...['ask', 'done', 'refused'],
    ...outcomeStatus.options,
    ...auditEntry.shape.type.options,
  ]),
];
