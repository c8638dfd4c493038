/** What a card and its forms are drawn from. */
import type { Approval, DecidableProposal, Decision } from '../../contract/index.ts';
import type { Earlier } from './earlier.ts';

export interface CardSource {
  readonly approval: Approval;
  readonly proposal: DecidableProposal;
  readonly decision?: Decision | undefined;
  /** Whether secrets were taken out of the proposal: then it cannot be edited, because what is shown is not what would run. */
  readonly sealed?: boolean;
  /** How people decided about the like before. */
  readonly earlier?: Earlier | undefined;
}

/** How much of what would run the card itself shows. */
export type Extent = 'whole' | 'rest behind View all' | 'unreadable' | 'redacted';
