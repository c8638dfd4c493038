/** Says of points that a function can come by and no scene does what would have to happen there. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';

interface Reason {
  readonly why: string;
  readonly files: RegExp;
  /** The functions that the reason holds for; all by default. */
  readonly verbs?: RegExp;
}

const NO_SCENE = 'no scene yet';
/** The first whose files hold the point. */
const REASONS: readonly Reason[] = [
  { why: 'the archive is in S3: other services are not asked here', files: /aws\/signed\//, verbs: /^archive-audit$/ },
  {
    why: "the SDK's own clients, and pages of queries: only where an endpoint, a login or a table is of another kind",
    files: /aws\/signed\/(?!client|retries|wire)/,
  },
  {
    why: 'texts that people were shown: a record with aliases, as that of a campaign, holds none',
    files: /proposal-text|shown-store/,
    verbs: /^(?:slack|operate|reconcile)$/,
  },
  {
    why: 'user groups of Slack, and people whom the policy file does not name: those of a campaign are listed',
    files: /cached-directory|slack\/directory|names-shown/,
  },
  {
    why: 'entries of the record that somebody changed, and objects of the archive that are gone: the judge reads those of a campaign',
    files: /archive-entries|write-seal/,
  },
  {
    why: 'links where a call runs: whoever redeems states them, and no gate',
    files: /revalidate/,
    verbs: /^execute-tool$/,
  },
  { why: 'a fault in the gate itself: nobody outside of it has one happen', files: /evaluation\/intake\.ts/ },
  { why: 'traces: Lambda takes none on the local endpoint', files: /telemetry\/trace\.ts/ },
  { why: 'events: the function has none to tell', files: /telemetry\/events\.ts|event-bus\.ts/ },
  { why: 'services that the function is wired to and does not ask', files: /runtime\/clients\/|wiring\/lazy-/ },
  {
    why: 'lists of cards: a channel of a campaign is shown each card',
    files: /posting\/(?:list-|card-rate)|card-lists/,
  },
  {
    why: 'Slack refuses: a channel, a card or a person is gone, or a message goes to a person',
    files: /slack\/posting\/|slack-out\.ts|slack\/directory|names-shown|approval-store|sqs\/outbox/,
    verbs: /^slack-out$/,
  },
  { why: 'people who are forgotten, and named for the first time by two at once', files: /alias|forget\.ts/ },
  { why: 'tools on MCP servers or in Lambda: those of a campaign are on HTTPS', files: /targets\// },
  { why: 'hooks over HTTPS: that of a campaign is a function', files: /hooks\/http|wiring\/hooks/ },
  {
    why: 'models of other makers: policies ask Anthropic, the task agent Bedrock',
    files: /adapters\/llm\/|models\/llm/,
  },
  {
    why: 'models and hooks are asked by deliberate: others hand it what needs one',
    files: /use-cases\/resolvers\/|journal-store|policies\/(?:journal|durable|llm)/,
    verbs: /^(?:evaluate|resume|reconcile)$/,
  },
  { why: 'agent policies as the library has them: the gate answers from its journal', files: /shared\/policies\// },
  { why: 'classifiers of rules: that of a campaign is a model', files: /permissions\/classifiers\// },
  {
    why: 'agents that act for others, and whoever stands for somebody: those of a campaign have no parents',
    files:
      /sessions\/session-|session-store|authorize-call|may-approve|people\/seats|delegation-store|lineage|analysed-call/,
  },
  {
    why: 'another writer was faster, or DynamoDB gave a part',
    files:
      /transact\.ts|batch-get|call-model|ask-about-edits|execution\/record-outcome|waiting-slots|claim-store|limits\/circuit|guardrails\/circuits|retry-on-conflict|server-clock|evaluation\/(?:commit|evaluate-proposal|decide-in-session|open-approval|cancel-proposal|run-once)/,
  },
  {
    why: 'calls that limits refuse, or that are late, and tried again',
    files:
      /shared\/guardrails\/|dynamodb\/guardrails\/|question-limits|execution\/(?:redeem|execute|complete-call|consume-permit)\.ts/,
  },
  { why: 'secrets that the function finds or opens', files: /redactor|redaction|wiring\/base|kms\/vault|scrub/ },
  {
    why: 'inputs too large for a row, which the function reads',
    files: /input-store|wiring\/stores|s3\/archive|texts-stored/,
  },
  {
    why: 'messages that fail each time, and those that wait: a process that ends is no failure',
    files: /runtime\/queues\/|functions\/\w+(?:-\w+)?\.ts|dead-letter|resend|fairly|sender-rate|unread-request|refusal/,
  },
  {
    why: 'services that answer with an error, or too late',
    files: /aws\/signed\/|port-faults|with-timeout|telemetry\//,
  },
  {
    why: 'what people ask of the task agent in other words',
    files: /task-agent\/|conversation\/|task-store|task-guardrails/,
  },
  { why: 'approvals that end in ways of another function', files: /approvals\/|approval-store|workflow\.ts|audit-log/ },
  { why: 'shell commands that this function does not parse', files: /shell/ },
  { why: 'an agent that gives up, or stops while it waits', files: /shared\/client\// },
];

/** Each point of the function under the first reason that its file has. */
export function byReason(verb: GateFunctionName, points: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(
    points,
    (point) => REASONS.find(({ files, verbs }) => files.test(point) && verbs?.test(verb) !== false)?.why ?? NO_SCENE,
  );
}
