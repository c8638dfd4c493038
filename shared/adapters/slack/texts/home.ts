/** Holds every sentence of App Home and of `/countersign pending`, for review and translation. */
import type { HumanChoice, Severity } from '../../../contract/index.ts';

export const HOME = {
  waiting: (n: number) => (n === 0 ? 'Nothing waits for you' : `${n} ${n === 1 ? 'waits' : 'wait'} for you`),
  /** Where Slack does not tell who somebody is, or who is in a user group. */
  notKnown: 'What waits for you is not known just now',
  unsure:
    'Slack did not tell just now who you are, or who is in a group: more may wait for you. Look again in a minute.',
  /** Where Slack refuses the view. */
  notTaken: 'Slack did not take this page. /countersign pending lists what waits for you.',
  /** The look is bounded: these are the ones whose time comes first. */
  more: 'More wait than are counted here. These are the ones whose time comes first.',
  othersInHome: 'App Home has the other pages.',
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  severity: { low: '', medium: '', high: 'High', critical: 'Critical' } satisfies Record<Severity, string>,
  open: 'Open card',
  openLabel: (name: string) => `Open the card of ${name}`,
  noCard: 'no card yet',
  questionOf: (agent: string) => `question of ${agent}`,
  oneOf: (group: string) => `one of ${group}`,
  ofGroup: (quorum: number, group: string) => `${quorum} of ${group}`,
  bothGroups: (group: string, other: string) => `${group} and ${other}`,
  confirm: 'you asked for this: confirm it yourself',
  noneYet: 'none yet',
  soFar: (names: string) => `so far ${names}`,
  against: (names: string) => `rejected by ${names}`,
  stage: (stage: number, of: number) => `stage ${stage} of ${of}`,
  from: 'from',
  until: 'until',
  thenAlso: (group: string) => `then ${group} are asked too`,
  thenRuns: 'then it runs without an answer',
  thenYes: 'then no answer counts as a yes, and a rule may ask once more',

  forOthers: 'Waits for others, after your vote',
  you: {
    approve: 'you approved',
    reject: 'you rejected',
    edit: 'you changed it',
    substitute: 'you chose another action',
    respond: 'you answered',
  } satisfies Record<HumanChoice, string>,
  nowWith: (group: string, names: string) => (names ? `now with ${group}, so far ${names}` : `now with ${group}`),

  decided: 'Your last decisions',
  nothingDecided: 'Nothing yet.',
  did: {
    approve: 'Approved',
    reject: 'Rejected',
    edit: 'Changed',
    substitute: 'Replaced',
    respond: 'Answered',
  } satisfies Record<HumanChoice, string>,
  ended: {
    approved: 'approved',
    denied: 'not run',
    expired: 'expired, not run',
    cancelled: 'cancelled by the agent',
    superseded: 'not run: the policy changed while it waited',
    answered: 'answered',
    error: 'not run: it could not be decided',
  },
  overruled: 'then denied by the policy',
  paused: 'then paused by an operator',
  some: (approved: number, of: number) => `${approved} of ${of} calls approved`,
  mayRun: 'may run until',
  ran: (took: string) => `ran, ${took}`,
  ranBadly: {
    failed: (code: string) => (code ? `failed: ${code}` : 'failed'),
    unknown: () => 'may have run: look before it is tried again',
  },

  forLater: 'Approvals for later',
  nothingForLater: 'Nothing that you may take back.',
  scope: {
    call: (tool: string) => `Exactly one call of ${tool}`,
    tool: (tool: string) => `Every call of ${tool}`,
    rule: (pattern: string) => `Everything that ${pattern} covers`,
  },
  given: (agent: string, session: string | undefined) =>
    session === undefined ? `for ${agent}, in every session` : `for ${agent}, in session ${session}`,
  by: (names: string) => `given by ${names}`,
  and: ' and ',
  takeBack: 'Take back',
  takeBackConfirm: {
    title: 'Take this approval back?',
    text: (scope: string) => `${scope}: people are asked again from now on.`,
    yes: 'Take back',
    no: 'Leave it',
  },
  moreForLater: (n: number) => `And ${n} more: /countersign grants lists them.`,

  away: 'I am away…',
  back: 'I am back',
  votesForYou: (name: string) => `${name} votes in your place`,
  youVoteFor: (name: string) => `You vote in the place of ${name}`,
  moreDelegations: (n: number) => `And ${n} more: /countersign delegate lists them.`,
  refresh: 'Refresh',
  next: 'Next page',
  previous: 'Previous page',
  asOf: 'as of',

  form: {
    title: 'I am away',
    text: 'Somebody else votes in your place until you are back. You may still vote yourself.',
    person: 'Who votes for you?',
    until: 'Until when?',
    submit: 'Let them vote',
    close: 'Cancel',
    choose: 'Choose somebody.',
    notYou: 'Choose somebody else than yourself.',
    future: 'Choose a time in the future.',
  },
};
