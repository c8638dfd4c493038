/** Holds every sentence of a card, so that they can be reviewed and translated in one place. */
import type { Effect, Severity } from '../../../contract/index.ts';

const count = (n: number, one: string, more = `${one}s`): string => `${n} ${n === 1 ? one : more}`;

/** How long a run took. */
export const took = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** Number of people whom a line mentions before it says who decides. */
type Addressed = 'nobody' | 'one' | 'several';

export const CARD = {
  /** First words of header and notification, where the risk has to be seen first. */
  severity: { low: '', medium: '', high: 'High: ', critical: 'Critical: ' } satisfies Record<Severity, string>,
  wantsToRun: (agent: string, name: string) => `${agent} wants to run ${name}`,
  wants: (agent: string, title: string) => `${agent} wants to: ${title}`,
  callsOf: (calls: number, tools: string) => `${calls} calls of ${tools}`,
  wantsToRunCalls: (agent: string, calls: number) => `${agent} wants to run ${calls} calls`,
  asks: (agent: string, question: string) => `${agent} asks: ${question}`,
  waitsFor: (group: string, rest: string) => `Waits for ${group}: ${rest}`,

  oneDecides: (to: Addressed, group: string) =>
    ({ nobody: `one of ${group} decides`, one: 'you decide', several: 'one of you decides' })[to],
  mustApprove: (quorum: number, of: string) => `${quorum} of ${of} must approve`,
  nobodyCan: (group: string) => `nobody of ${group} is left who can answer: somebody has to join the group`,
  allPassedOn: (group: string) => `all of ${group} who can answer passed it on; their votes still count`,
  confirmYourself: 'you asked for this: confirm it yourself',
  oneAnswers: (to: Addressed, group: string) =>
    ({ nobody: `one of ${group} answers`, one: 'you answer', several: 'one of you answers' })[to],
  askedTimes: (times: number) => `asked ${times} times so far: one answer is for all of these`,
  answeredTimes: (times: number) => `asked ${times} times: the answer is for all that still waited`,
  andMore: (people: number) => `and ${people} more`,
  soFar: (votes: number, names: string) => (names ? `${votes} so far (${names})` : `${votes} so far`),
  /** Before an instant. */
  asked: 'asked',
  until: 'until',
  thenAlso: (group: string) => `, then ${group} are asked too`,
  thenExpires: ', then it expires and is not run',
  /** A question of the agent. */
  thenEnds: ', then it expires',
  thenApproves: ', then it runs without an answer',
  /** For an action that a policy chose: further questions may follow this one. */
  thenYes: ', then no answer counts as a yes, and a rule may ask once more',
  /** Approved in one stage, it is asked again in those behind it. */
  stage: (number: number, of: number, before: string, after: string) =>
    `stage ${number} of ${of}, ${[...(before ? [`after ${before}`] : []), ...(after ? [`before ${after}`] : [])].join(' and ')}`,
  alsoAsked: (group: string) => `${group} are asked too`,
  bothGroups: (group: string, other: string) => `${group} and ${other}`,
  didNotAnswer: (group: string) => `${group} did not answer in time`,
  decided: (done: number, of: number) => `${done} of ${of} calls decided`,
  groupApproved: (group: string, names: string) => `${group} approved${names ? ` (${names})` : ''}.`,
  nowWith: (group: string) => `Now with ${group}`,
  passedOn: (by: string, to: string | undefined) => (to ? `${by} passed it on to ${to}` : `${by} is asked no more`),

  in: ' in ',
  /** The folders of a batch. */
  folders: (n: number) => count(n, 'folder'),
  lines: (n: number) => count(n, 'line'),
  gap: (blanks: number) => `The text goes on behind ${blanks} blanks.`,
  size: (lines: number, bytes: number, sha256: string) =>
    `${count(lines, 'line')} · ${count(bytes, 'byte')} · SHA-256 ${sha256}`,
  notShown: (characters: number) => `${count(characters, 'character')} between these two parts are not shown here.`,
  differs: (line: number) => `The two texts differ only here, from line ${line} on:`,
  inAll: (size: string) => `In all ${size}.`,
  moreCalls: (n: number) => `And ${count(n, 'more call', 'more calls')}.`,
  approved: 'approved',
  rejected: 'rejected',
  moreAgainst: (n: number) => `rejected by ${n} more`,
  by: (names: string) => ` by ${names}`,
  /** Behind a call of a batch whose calls are not all of one severity. */
  isSevere: (severity: Severity) => ` · ${severity}`,
  andMoreCalls: (n: number) => `and ${count(n, 'more call')}`,
  goesOn: ' (and further on)',
  starts: (agent: string, session: string) =>
    `This also starts the session ${session} of ${agent}, which asks this session from then on.`,

  why: 'Why you are asked: ',
  rule: 'rule ',
  ruleAsks: 'A rule asks.',
  severe: (severity: Severity, tool: string) => `${tool} is of ${severity} severity.`,
  takeNote: 'Take note: ',
  leaves: 'leaves the project folder',
  lookAlikes: 'a letter of another script looks like a Latin one in ',
  more: (n: number) => `and ${n} more`,
  /** On a card with no room for them; the whole text of the calls has them at its end. */
  moreNotes: (n: number) => `And ${count(n, 'more reason or note', 'more reasons and notes')}: read all to see them.`,
  connectsTo: (host: string) => `connects to ${host}`,
  /** For a tool that declares its effect, and for no other. */
  effects: {
    Pure: 'changes nothing',
    IdempotentWrite: 'changes something; twice is like once',
    NonIdempotentWrite: 'changes something each time it runs',
    ExternalSideEffects: 'acts outside and cannot be undone',
  } satisfies Record<Effect, string>,
  secrets: (n: number) =>
    n === 1
      ? '1 secret was taken out before this was shown; the call runs with it.'
      : `${n} secrets were taken out before this was shown; the call runs with them.`,
  changedBy: (name: string) => `Changed by ${name}: `,
  changed: 'Changed: ',
  added: (name: string, value: string) => `${name}: ${value} was added`,
  removed: (name: string, value: string) => `${name}: ${value} was taken out`,
  change: (name: string, from: string, to: string) => `${name}: ${from} → ${to}`,
  says: (agent: string) => `${agent} says:`,
  saysIn: (argument: string) => `The agent says (${argument}):`,
  arguments: 'arguments',
  chosenBy: (policy: string, persona: string) => `, chosen by the policy ${policy} for ${persona}`,

  readRest: 'This is not all that would run: the rest is behind the first button.',
  readElsewhere: 'This is not all that would run: the rest is in the menu, under Show everything.',
  readQuestion: 'This is not the whole question: the rest is in the menu, under Show everything.',
  unreadable: 'This is not all that would run. It is too long for people to read, so it cannot be approved.',
  hidden:
    'A secret stands where a command, a path, a host or another place may be: this cannot be judged, so not approved. Reject it, or answer that the agent should name the secret by a variable or a file.',

  /** The beginning of the id under which the record and the terminal have it. */
  id: (pid: string) => `Approval ${pid.slice(0, 12)}`,
  cardsWait: (agent: string, perMinute: number) =>
    `Agent ${agent} asks more than ${perMinute} times a minute: its other questions wait in line and come here as their turn comes.`,
  moreUnknown: (agent: string) =>
    `Of more calls of agent ${agent} nobody knows whether they took effect. They are not told one by one: countersign audit --agent ${agent} --outcome unknown lists all. An agent that reports no run ends every call so.`,
  /** Instants are shown in each reader's own time. */
  unseen: (agent: string, name: string, at: string) =>
    `No card could be posted here in time: ${name} of agent ${agent} waited for an answer until ${at}, and expired. Others of this agent may have expired unseen as well: the record lists them. The agent knows, and can ask again.`,
  /** The text of a link. */
  open: 'Open the card',
  owner: (name: string) => `Owner: ${name} (may not approve)`,
  /** Where the owner is asked to confirm. */
  ownerAsked: (name: string) => `Owner: ${name}`,
  forRequester: (name: string) => `in the name of ${name}`,
  before: (approved: number, rejected: number) =>
    approved + rejected === 0
      ? 'exactly this before: never'
      : `exactly this before: ${approved} approved, ${rejected} rejected`,
  otherCalls: (approved: number, rejected: number) =>
    `other calls under this rule: ${[...(approved ? [`${approved} approved`] : []), ...(rejected ? [`${rejected} rejected`] : [])].join(', ')}`,
  reminded: (times: number) => `reminded ${count(times, 'time')}`,

  buttons: {
    approve: 'Approve',
    approveAll: (n: number) => `Approve all ${n}`,
    approveRest: (n: number) => `Approve the remaining ${n}`,
    decideEach: 'Decide each…',
    readAll: 'Read all, then decide…',
    reject: 'Reject…',
    rejectAll: (n: number) => `Reject all ${n}…`,
    rejectRest: (n: number) => `Reject the remaining ${n}…`,
    answer: 'Answer…',
    edit: 'Change the arguments…',
    respond: 'Answer instead of running it…',
    session: 'Approve for this session…',
    substitute: 'Run another action instead…',
    pass: 'Ask somebody else…',
    show: 'Show everything',
  },
  /** For screen readers: a button tells what it is about. */
  label: (does: string, name: string, agent: string) => `${does} ${name} of ${agent}`,
  confirm: {
    title: (severity: Severity) => (severity === 'critical' ? 'Critical: run this?' : 'Run this?'),
    text: (name: string, agree: string) => `${name}\n${agree}`,
    nobodyElse: 'Nobody else has to agree.',
    others: (n: number) => `${count(n, 'more person has', 'more people have')} to agree.`,
    afterwards: (groups: string) => `Then ${groups} decide.`,
    yes: 'Approve',
    no: 'Back',
  },

  push: {
    one: (quorum: number, group: string, isInput: boolean) =>
      isInput ? `One of ${group} answers` : quorum === 1 ? `One of ${group} decides` : `${quorum} of ${group} decide`,
    requester: 'You confirm it',
    nobodyCan: (group: string) => `Nobody of ${group} is left who can answer`,
    allPassedOn: (group: string) => `All of ${group} who can answer passed it on; their votes still count`,
    until: (time: string) => ` until ${time}.`,
    thenRuns: ' Then it runs without an answer.',
    thenYes: ' Then no answer counts as a yes, and a rule may ask once more.',
    asked: (time: string) => ` Asked ${time}.`,
  },

  outcome: {
    waitsToRun: 'Approved, waits to run',
    ran: 'Approved, ran',
    failed: 'Approved, but failed',
    unknown: 'Approved, may have run',
    changed: 'Approved with changes',
    changedRan: 'Approved with changes, ran',
    changedFailed: 'Approved with changes, but failed',
    some: (approved: number, of: number) => `${approved} of ${of} approved`,
    rejected: 'Rejected',
    expired: 'Expired, not run',
    cancelled: 'Cancelled by the agent',
    overruled: 'Approved, then denied by policy',
    changedOverruled: 'Changed, then denied by policy',
    paused: 'Not run: an operator paused this',
    superseded: 'Not run: the policy changed while this waited',
    undecidable: 'Not run: it could not be decided',
    answered: 'Answered',
    answerHeld: 'Answered, but the agent did not get the answer',
    answeredInstead: 'Answered instead of running it',
    otherAction: 'Another action runs instead',
    choice: 'Approved',
    deciding: 'Decided, the outcome is on its way',
  },
  /** Before an instant, of calls that have not run. */
  mayRun: 'may run until',
  operator: ' (operator)',
  forWhom: (name: string) => ` for ${name}`,
  forSession: 'for the session',
  ranIn: (took: string) => `succeeded in ${took}`,
  failedAfter: (took: string, code: string | undefined) => `failed after ${took}${code ? `: ${code}` : ''}`,
  mayHaveRun: 'its end is not known: look before it runs again',
  approvedCalls: (numbers: string) => `approved ${numbers}`,
  rejectedCalls: (numbers: string, reason: string | undefined) => `rejected ${numbers}${reason ? `: “${reason}”` : ''}`,
  notRunCalls: (numbers: string) => `not run ${numbers}`,
  /** The action that a person chose in place of the one that was asked about. */
  instead: (name: string) => `instead: ${name}`,
  nobodyAnswered: (groups: string) => `${groups} did not answer`,
  /** The policy file lets it run then. */
  silenceApproved: (groups: string) => `${groups} did not answer, and the policy file takes that for a yes`,
  /** Somebody did, and it was not enough. */
  tooFewAnswered: (groups: string) => `${groups} did not give all the answers that were needed`,
  /** For an approval that ended and can no longer be shown. */
  lost: {
    title: (outcome: string | undefined, agent: string | undefined) =>
      `Ended${outcome === undefined ? '' : `, ${outcome}`}: a question${agent === undefined ? '' : ` of ${agent}`}`,
    why: 'The gate cannot read any more what was asked here. The record has how it ended, and the agent was told.',
  },
  /** Where Slack refuses the card itself. */
  plain: {
    asks: 'Slack did not take this card, so it has no buttons. An operator can answer it in a terminal: countersign pending shows all of it, and countersign decide answers.',
    ended: 'Slack did not take this card. The record has all of it.',
  },
  askAnew: 'the agent has to propose it anew',
  askSomeAnew: 'the policy changed while these waited, and the agent has to propose them anew',
  quote: (words: string) => `“${words}”`,
  /** Why the agent withdrew its question. */
  agentWrote: (words: string) => `the agent wrote: “${words}”`,
  /** A sentence of the gate, with the reason of a rule, an operator or a hook. */
  told: (words: string) => `the agent was told: “${words}”`,
} as const;

/** `1, 2 and 4`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}
