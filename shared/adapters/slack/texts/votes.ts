/** Holds every sentence of the list of votes. */
import type { Vote } from '../../../contract/index.ts';

export const VOTES = {
  did: {
    approve: 'Approved',
    reject: 'Rejected',
    edit: 'Changed',
    substitute: 'Replaced by another action',
    respond: 'Answered',
  } satisfies Record<Vote['choice'], string>,
  /** Approved some calls and rejected others. */
  didEach: 'Answered call by call',
  before: (votes: number) => `${votes} votes before these`,
  oneCall: 'one call',
  someCalls: (approved: number, of: number) => `${approved} of ${of} calls`,
  calls: (n: number) => `${n} calls`,
  by: (did: string, name: string) => `${did} by ${name}`,
  forSession: ' for the session',
  forWhom: (name: string) => ` for ${name}`,
  operator: ' (operator)',
} as const;
