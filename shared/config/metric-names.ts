/**
 * Lists every metric of the gate.
 *
 * The namespace is `Countersign`, the dimension `service` is the deployment's name. Each is written as a total and
 * once for each further set of dimensions that is named here. `cdk/` builds dashboard and alarms from these names, so
 * that none is of nothing.
 */
export const NAMESPACE = 'Countersign';

interface MetricFacts {
  readonly unit: 'Count' | 'Milliseconds' | 'None';
  /** Further sets, each beside `service`. */
  readonly by: readonly (readonly string[])[];
  /** The one among them that alarms and objectives read: `metrics: lean` writes it, and no other. */
  readonly alarmed?: string;
}

const count = { unit: 'Count', by: [] } as const;
const perTool = [['tool', 'origin']] as const;

export const METRICS = {
  /** Errors of a function, also those that a later try mended. Answers such as `StillWaiting` are none. */
  Faults: { unit: 'Count', by: [['function'], ['fault']], alarmed: 'function' },
  /** Messages of agents; those of the canary are in none of the figures about proposals. */
  ProposalsWorked: count,
  ProposalsReturned: count,
  /** Sent anew while a store is down, or where a slow message was before them to the end. */
  ProposalsRenewed: count,
  /** Messages that were set aside and answered. */
  DeadLettersAnswered: { unit: 'Count', by: [['queue']] },
  /** Tries of such an answer that failed; the message waits, hidden, for the next one. */
  DeadLettersUnanswered: { unit: 'Count', by: [['queue']] },
  Decisions: { unit: 'Count', by: [['outcome']], alarmed: 'outcome' },
  /** Proposals that ended in an error or a refusal before anything judged them. */
  ProposalsRefused: { unit: 'Count', by: [['reason']], alarmed: 'reason' },
  /** The time of the function alone, from this receipt of the message. */
  DecisionTime: { unit: 'Milliseconds', by: [] },
  /** The wait of an agent: from the first send to the claim. An `ask` ends as people are asked. */
  DecisionLatency: { unit: 'Milliseconds', by: [['path'], ['way']] },
  ApprovalsOpened: count,
  ApprovalsEnded: { unit: 'Count', by: [['status']], alarmed: 'status' },
  ApprovalWait: { unit: 'Milliseconds', by: [['status']] },
  /** Until people answered, and not until time or the agent ended it. */
  TimeToAnswer: { unit: 'Milliseconds', by: [['group']] },
  /** From people's answer to the decision. */
  AnswerDelay: { unit: 'Milliseconds', by: [] },
  /** From the end of an approval's time to its decision. */
  ExpiryLag: { unit: 'Milliseconds', by: [] },
  /** From a decision to its place in the agent's own queue. */
  ReplyDelay: { unit: 'Milliseconds', by: [] },
  /** From a question to its first card in Slack. */
  CardDelay: { unit: 'Milliseconds', by: [] },
  /** From a verified request of Slack to its answer, cold starts included. */
  ClickAck: { unit: 'Milliseconds', by: [] },
  /** The oldest question that waits, by the group that it counts under. */
  OldestWaiting: { unit: 'Milliseconds', by: [['group']] },
  /** Questions that nobody can see two minutes after they were asked; at most a hundred of them are looked at. */
  WaitingWithoutCard: count,
  OldestPause: { unit: 'Milliseconds', by: [] },
  /** The time of `redeem`, until it answers. */
  RedeemTime: { unit: 'Milliseconds', by: [] },
  /** 1 a measure that met its objective (`OBJECTIVES`), 0 one that did not. */
  Sli: { unit: 'None', by: [['objective']], alarmed: 'objective' },
  ApprovalsWaiting: count,
  ApprovalsLookedAfter: count,
  RepairsFailed: count,
  RowsOrphaned: count,
  /** Counters of what waits that were set right. */
  PlacesRecounted: count,
  /** How long the oldest row had waited for the reconciler. */
  OldestDue: { unit: 'Milliseconds', by: [] },
  RepliesLost: { unit: 'Count', by: [['agent']], alarmed: 'agent' },
  VotesCounted: count,
  /** Why a click did not count, which Slack did not take for the person who clicked. */
  AnswersLost: count,
  ClicksRefused: { unit: 'Count', by: [['reason']] },
  OperationsDone: count,
  ExecutionsWorked: count,
  OutcomesRecorded: count,
  CardsDrawn: count,
  CardsRefused: count,
  CardsAside: count,
  CardsDelayed: count,
  CardsBlocked: { unit: 'Count', by: [['problem']], alarmed: 'problem' },
  ForgedRequests: count,
  TalkHeard: count,
  TalkIgnored: count,
  TalkAnswered: count,
  TalkDelayed: count,
  TalkRefused: { unit: 'Count', by: [['reason']] },
  /** Calls of a model, its name and use as the policy file gives them; `ModelErrors` by `code`: `timeout`, `network`, `http_5xx` and the like. */
  ModelCalls: { unit: 'Count', by: [['model', 'use']] },
  ModelErrors: { unit: 'Count', by: [['model', 'use'], ['code']] },
  ModelLatency: { unit: 'Milliseconds', by: [['model', 'use']] },
  ModelInputTokens: { unit: 'Count', by: [['model']] },
  ModelOutputTokens: { unit: 'Count', by: [['model']] },
  /** Where the policy file says what tokens cost. */
  ModelCostMicroUsd: { unit: 'Count', by: [['model']] },
  HookCalls: { unit: 'Count', by: [['hook']] },
  HookErrors: { unit: 'Count', by: [['hook'], ['code']] },
  HookLatency: { unit: 'Milliseconds', by: [['hook']] },
  /** 1 a run of the canary in which every check was answered and none wrongly, else 0. */
  CanaryPassed: count,
  /** The gate allowed what it must ask about or deny. */
  CanaryWrong: { unit: 'Count', by: [['check']] },
  CanaryTime: { unit: 'Milliseconds', by: [['check']] },
  /** 1 a question of the canary at which Slack took the token and its scopes, else 0. */
  SlackReachable: { unit: 'None', by: [] },
  EventsLost: count,
  WebhooksSent: { unit: 'Count', by: [['webhook']], alarmed: 'webhook' },
  /** Tries that failed; the message is sent again, or set aside. */
  WebhooksFailed: { unit: 'Count', by: [['webhook']], alarmed: 'webhook' },
  EntriesArchived: count,
  EntriesSealed: count,
  SealsWritten: count,
  /** Entries of the record that were changed, removed or put where they do not belong, and permits whose approval disagrees with it. */
  RecordChanged: { unit: 'Count', by: [['change']] },
  // The names under which the contract's own project counts tool calls.
  tool_invocations_total: { unit: 'Count', by: perTool },
  /** 0 or 1 a call: its average is the error rate, its sum the number of errors. */
  tool_errors_total: { unit: 'Count', by: [['tool', 'origin'], ['code']] },
  tool_retries_total: { unit: 'Count', by: perTool },
  tool_latency_ms: { unit: 'Milliseconds', by: perTool },
  /** 0 closed, 1 half-open, 2 open. */
  circuit_state: { unit: 'None', by: perTool },
  /** 0: full bucket, 1: empty. */
  rate_limiter_saturation: { unit: 'None', by: perTool },
  concurrency_in_use: { unit: 'None', by: perTool },
  /** Spent and reserved, as a part of the limit. */
  budget_used: { unit: 'None', by: [['budget']] },
} as const satisfies Readonly<Record<string, MetricFacts>>;

export type MetricName = keyof typeof METRICS;

export const METRIC_MODES = ['lean', 'full'] as const;
/** `lean`: totals, and what alarms and objectives read. `full`: each tool, model, hook, budget, group and fault as well. */
export type MetricMode = (typeof METRIC_MODES)[number];

/** Whether a series of these dimensions, beside `service`, is written. */
export function isWritten(mode: MetricMode, name: MetricName, dimensions: readonly string[]): boolean {
  const { alarmed }: MetricFacts = METRICS[name];
  return mode === 'full' || !dimensions.length || (dimensions.length === 1 && dimensions[0] === alarmed);
}
