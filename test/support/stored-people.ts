/**
 * Lists the fields of stored words in which a person stands, or a field that looks so.
 *
 * Each belongs to a row of the table in `docs/audit.md`: whoever adds such a field says there what it holds, and until when.
 */

/** By the first cell of a row of the page. */
export const STORED_PEOPLE = {
  'entries `vote`, `pass` and `click`': ['auditEntry.person.user', 'auditEntry.standsFor.user'],
  'entries `operation`': ['auditEntry.operation.person', 'auditEntry.operation.to', 'auditEntry.operation.about'],
  'decisions, in `evaluated` and `decided`': [
    'auditEntry.decidedBy.id',
    'decision.decidedBy.id',
    'decision.message',
    'decision.calls[].decidedBy.id',
    'decision.calls[].message',
    'decision.calls[].permit.allowedBy.people[].user',
    'decision.calls[].permit.allowedBy.people[].standsFor.user',
    'decision.calls[].permit.allowedBy.requester.user',
    // A stage of a choice that people answered names them as its decision does.
    'auditEntry.choice.stages[].by',
  ],
  'messages to the task agent, in `evaluated`': ['auditEntry.task.user_id'],
  'approvals and their journals': [
    'approval.owner.user',
    'approval.requester.user',
    'approval.above.owners[].user',
    'approval.above.requesters[].user',
    'approval.passed[].by.user',
    'approval.passed[].name',
    'approval.passed[].standsFor.user',
    'approval.passed[].to.user',
    'approval.votes[].by.user',
    'approval.votes[].name',
    'approval.votes[].standsFor.user',
    'approval.editors[].user',
    'journalEntry.by[].person.user',
    'journalEntry.by[].person.standsFor.user',
    'journalEntry.by[].name',
    'journalEntry.levels[].calls[].grant.approvedBy',
    'journalEntry.levels[].calls[].refusal.by',
    'journalEntry.possible[].levels[].calls[].grant.approvedBy',
    'journalEntry.possible[].levels[].calls[].refusal.by',
  ],
  'earlier votes, for App Home': ['voted.pk'],
  'secrets of aliases': ['alias.pk'],
  sessions: [
    'session.grants[].approvedBy',
    'session.grants[].givenBy[].user',
    'session.grants[].givenBy[].standsFor.user',
    'session.refusals[].by',
    'session.startedFor[].user',
  ],
  delegations: [
    'delegations.delegations[].person.user',
    'delegations.delegations[].to.user',
    'delegations.delegations[].by',
    'delegations.orders.scopes[].scope',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Fields with such a name that hold a model, a hook or the name of an operator. */
export const NO_PERSON: readonly string[] = [
  'auditEntry.classifiers[].by',
  'auditEntry.hooks[].by',
  'auditEntry.choice.exchanges[].by',
  'journalEntry.by',
  'journalEntry.result.message',
  'journalEntry.levels[].rules[].by',
  'journalEntry.possible[].levels[].rules[].by',
  'session.rules[].by',
];
