/** Holds every sentence that `/countersign` answers with, for review and translation. */
import type { AccountStatus } from '../../../ports/people.ts';

export const COMMAND = {
  usage: [
    'Use one of these:',
    '`/countersign pending`: what waits for you',
    '`/countersign grants`: what was given for later that you may take back',
    '`/countersign revoke ID`: take it back',
    '`/countersign delegate`: who votes in your place, and in whose you do',
    '`/countersign delegate @somebody 3d`: they vote in your place until then (also `2026-12-01` or a time in UTC)',
    '`/countersign delegate off`: nobody does any more',
  ].join('\n'),
  /** Only members of the workspace, and guests whom the policy file names, may do anything here. */
  barred: {
    guest: 'You are a guest of this workspace: only the policy file lets you do this, by naming you.',
    foreign: 'Only people of this workspace can do this.',
    bot: 'Apps cannot do this.',
    deactivated: 'This account is deactivated and cannot do this.',
    unknown: 'Who you are could not be found out just now; nothing was done. Try again in a minute.',
  } satisfies Record<Exclude<AccountStatus, 'member'>, string>,
  onItsWay: 'On its way: the app writes to you as soon as it is done, and Refresh shows it in App Home.',

  given: (n: number) => `Given for later: ${n}`,
  nothingGiven: 'Nothing was given for later that you may take back.',
  takeBack: 'Given for later, and yours to take back with /countersign revoke ID:',
  more: (n: number) => `And ${n} more.`,
  everySession: 'every session',
  session: (name: string) => `session ${name}`,
  /** Follows the id, and those who gave it follow. */
  grant: (scope: string, agent: string, session: string) => `  ${scope}, for ${agent}, ${session}, by `,
  and: ' and ',
  scope: {
    call: (tool: string) => `exactly one call of ${tool}`,
    tool: (tool: string) => `every call of ${tool}`,
    rule: (pattern: string) => `whatever ${pattern} covers`,
  },
  revokeWhich: 'Say which one: `/countersign revoke ID`. `/countersign grants` lists them.',
  noSuchGrant: 'There is no such grant that you may take back: /countersign grants lists them.',

  delegations: (n: number) => `Delegations: ${n}`,
  noDelegations: 'Nobody votes in your place, and you vote in nobody’s.',
  /** Stands between two people. */
  votesFor: ' votes in the place of ',
  from: ' from ',
  until: ' until ',
  delegateWhom: 'Name a person with @, as in `/countersign delegate @somebody 3d`.',
  delegateUntil: 'Say until when: `3d`, `12h`, `2026-12-01` or a time like `2026-12-01T09:30:00Z`, in the future.',
} as const;
