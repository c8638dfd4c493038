/**
 * Lists the incidents with the alarm that tells of each, a metric that it reads, and its minutes.
 *
 * Minutes are those from the fault to the alarm by its own definition, where the fault goes on; CloudWatch adds its own delay.
 * `test/cdk/monitoring/incidents.test.ts` finds each alarm in the template, `test/e2e/game-day/game-day.test.ts` plays each incident.
 */
export const INCIDENTS = {
  // Once these woke nobody.
  'nobody answers, every question expires': ['ticket/PeopleAlarms/UnansweredAlarm', 'ApprovalsEnded', 2],
  'clicks take over three seconds': ['ticket/Slack/SlowAlarm', 'UrlRequestLatency', 3],
  'many clicks take over three seconds, or fail': ['cause/Objectives/clicksFastBurnAlarm', 'Sli', 11],
  'a fifth of the decisions are errors': ['ticket/PeopleAlarms/RefusedAlarm', 'ProposalsRefused', 1],
  'every decision is an error': ['cause/PeopleAlarms/AllRefusedAlarm', 'ProposalsRefused', 1],
  'agents can no longer send': ['cause/Canary/UnansweredAlarm', 'CanaryPassed', 11],
  'an unregistered sender floods': ['ticket/PeopleAlarms/UnregisteredAlarm', 'ProposalsRefused', 2],
  'DynamoDB throttles': ['ticket/TableAlarms/ThrottledAlarm', 'WriteThrottleEvents', 1],
  'KMS or another right is denied to those who are waited for': ['cause/Waited/FaultsAlarm', 'Faults', 3],
  'a bundle does not start': ['cause/Entrances/ErrorsAlarm', 'Errors', 2],
  'KMS or another right is denied to any function': ['ticket/Any/FaultsAlarm', 'Faults', 31],
  'StartExecution or a transition is throttled': ['ticket/Workflow/ThrottledAlarm', 'ExecutionThrottled', 1],
  'the rule of reconcile fails': ['cause/Reconcile/StoppedAlarm', 'ApprovalsLookedAfter', 5],
  'the rule of seal fails': ['ticket/Seal/StoppedAlarm', 'SealsWritten', 11],
  'somebody else uses up the concurrency of the account': ['ticket/Functions/Throttles1Alarm', 'Throttles', 11],
  'evaluate comes near its time-out': ['ticket/Evaluate/NearTimeoutAlarm', 'Duration', 11],
  'reconcile comes near its time-out': ['ticket/Reconcile/NearTimeoutAlarm', 'Duration', 11],
  'the token of Slack has ended, before any card': ['ticket/SlackOut/UnreachableAlarm', 'SlackReachable', 11],
  'a model is away': ['ticket/ToolAlarms/ModelsAlarm', 'ModelErrors', 1],
  'a hook throws': ['ticket/ToolAlarms/HooksAlarm', 'HookErrors', 1],
  'requests are forged': ['ticket/Slack/ForgedAlarm', 'ForgedRequests', 2],
  'the gate allows what it must deny': ['page/Canary/WrongVerdictAlarm', 'CanaryWrong', 1],
  'somebody changes the record': ['page/RecordAlarms/ChangedAlarm', 'RecordChanged', 1],
  'dead letters of proposals that nobody answers': [
    'cause/Queues/ProposalsMoreDeadAlarm',
    'ApproximateNumberOfMessagesVisible',
    1,
  ],
  'a card is dead-lettered after another': ['cause/Queues/CardsMoreDeadAlarm', 'ApproximateNumberOfMessagesVisible', 1],
  'dead letters cannot be answered': ['cause/Deliberate/UnansweredLettersAlarm', 'DeadLettersUnanswered', 1],
  'a pause is forgotten': ['ticket/Reconcile/PauseAlarm', 'OldestPause', 1],
  // Faults of single parts.
  'a message is no JSON, or has an unknown field': ['ticket/PeopleAlarms/RefusedAlarm', 'ProposalsRefused', 1],
  'a model answers what nobody can use': ['ticket/ToolAlarms/ModelsAlarm', 'ModelErrors', 1],
  'a tool answers 503 until its breaker opens': ['ticket/ToolAlarms/CircuitAlarm', 'circuit_state', 1],
  'the function of a tool is missing': ['ticket/ToolAlarms/CircuitAlarm', 'circuit_state', 1],
  'Slack takes no posts in a channel': ['ticket/SlackOut/AsideAlarm', 'CardsAside', 1],
  'a card is too long for Slack': ['ticket/SlackOut/RefusedAlarm', 'CardsRefused', 1],
  'evaluate is without its table': ['ticket/Deliberate/DeadLettersAlarm', 'DeadLettersAnswered', 1],
  'slack is without a right': ['cause/Slack/UnansweredAlarm', 'Url5xxCount', 1],
  'slack-out is without a right': ['ticket/Any/FaultsAlarm', 'Faults', 31],
  'resume is without a right': ['cause/Waited/FaultsAlarm', 'Faults', 3],
  'request-approval is without a right': ['cause/Waited/FaultsAlarm', 'Faults', 3],
  'operate is without a right': ['ticket/Any/FaultsAlarm', 'Faults', 31],
  'reconcile is without a right': ['cause/Reconcile/StoppedAlarm', 'ApprovalsLookedAfter', 5],
} as const satisfies Readonly<Record<string, readonly [alarm: string, metric: string, withinMinutes: number]>>;

export type Incident = keyof typeof INCIDENTS;
