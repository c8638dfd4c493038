/** Holds the policy files of the simulated deployments, and what each asks for, in the judge's words. */
import { getOrAdd } from '../../../shared/adapters/memory/stores/state.ts';
import { withCanary } from '../../../shared/config/canary.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { loadPolicy } from '../../../shared/config/load.ts';

/** How many people a call needs: 0 is allowed by a rule, `deny` never runs. */
export type Need = number | 'deny';

/** A hook is asked about calls of these. */
export const HOOKED = ['Scan', 'Fix', 'Zap', 'Seal'] as const;
export const TOOLS = [
  'Look',
  'Push',
  'Drop',
  'Wipe',
  'Pay',
  'Ping',
  'Ship',
  'Sync',
  'Move',
  'Rise',
  ...HOOKED,
] as const;
export type ToolName = (typeof TOOLS)[number];

/** Without their hook, which may only allow where no rule speaks of a call. */
const OF_HOOKED = { Scan: 0, Fix: 1, Zap: 'deny', Seal: 0 } as const;
/** The same in every policy file. */
const OF_EVERY = { ...OF_HOOKED, Rise: 1 } as const;

/** By the rules alone. */
export const NEEDS = {
  usual: { Look: 0, Push: 1, Drop: 2, Wipe: 'deny', Pay: 0, Ping: 0, Ship: 1, Sync: 1, Move: 2, ...OF_EVERY },
  /** Tighter: what was allowed asks, what asked one person asks two, or is denied. */
  strict: {
    ...{ Look: 1, Push: 'deny', Drop: 2, Wipe: 'deny', Pay: 'deny', Ping: 0, Ship: 2, Sync: 1, Move: 2 },
    ...{ ...OF_EVERY, Scan: 1 },
  },
  /** Looser. */
  loose: { Look: 0, Push: 0, Drop: 2, Wipe: 'deny', Pay: 0, Ping: 0, Ship: 1, Sync: 1, Move: 2, ...OF_EVERY, Fix: 0 },
} as const satisfies Record<string, Record<ToolName, Need>>;
export type PolicyName = keyof typeof NEEDS;
export const POLICY_NAMES = Object.keys(NEEDS) as PolicyName[];

/** A hook does with a call as the call's number says. */
export const HOOK_DOES = [
  ...['allows', 'denies', 'falls through', 'asks', 'fails', 'is not there', 'says yes', 'raves', 'is late', 'blocks'],
] as const satisfies readonly string[];
const DENIES: ReadonlySet<string> = new Set(['denies', 'blocks']);
const ANSWERS: ReadonlySet<string> = new Set(['allows', 'falls through', 'asks', ...DENIES]);

const isHooked = (tool: ToolName): boolean => HOOKED.some((one) => one === tool);
const doesOf = (number: number): string => HOOK_DOES[number] ?? 'fails';

/** The answer of a call's hook as it leaves the hook: where it is lost on the way, that only tightens. */
export function hookOf(tool: ToolName, number: number): 'denies' | 'asks' | 'no answer' | 'allows' | undefined {
  if (!isHooked(tool)) return undefined;
  const does = doesOf(number);
  if (!ANSWERS.has(does)) return tool === 'Seal' ? 'denies' : 'no answer';
  if (DENIES.has(does)) return 'denies';
  return does === 'allows' || does === 'asks' ? does : undefined;
}

/** With the hook of the call. */
export function needOf(policy: PolicyName, tool: ToolName, number: number): Need {
  const need = NEEDS[policy][tool];
  const hook = hookOf(tool, number);
  if (need === 'deny' || hook === 'denies') return 'deny';
  if (hook === 'allows') return 0;
  return hook === undefined ? need : Math.max(1, need);
}

export const FLOWS = ['update', 'release', 'cancel'] as const;
export type FlowName = (typeof FLOWS)[number];

/** Flows that a person has to approve, by the agent policy that chooses; the same in every policy file. */
export const CHOOSERS = {
  first: [],
  model: [],
  person: ['update', 'release', 'cancel'],
  risky: ['release'],
} as const satisfies Record<string, readonly FlowName[]>;
export type ChooserName = keyof typeof CHOOSERS;
export const CHOOSER_NAMES = Object.keys(CHOOSERS) as ChooserName[];

/** Limits that every policy has. */
export const LIMITS = {
  /** Waiting approvals of one agent. */
  waiting: 4,
  /** Calls of Pay in a day: each costs 10, and an agent has 30. */
  payments: 3,
  /** The rate of Ping. */
  rate: { perSecond: 0.1, burst: 2 },
  /** Calls of Sync that run at once. */
  slots: 1,
} as const;

export const AGENTS = ['coder', 'writer'] as const;
export type AgentName = (typeof AGENTS)[number];
/** In auto mode: a model decides what no rule does. */
export const PILOT = 'pilot';

export const PEOPLE = {
  alice: { team: 'T0DEMO', user: 'U0ALICE' },
  bob: { team: 'T0DEMO', user: 'U0BOB' },
  carol: { team: 'T0DEMO', user: 'U0CAROL' },
  /** Owns every agent, and may approve none of their calls. */
  olga: { team: 'T0DEMO', user: 'U0OLGA' },
  /** In no group. */
  sam: { team: 'T0DEMO', user: 'U0SAM' },
} as const;
export type PersonName = keyof typeof PEOPLE;
export const APPROVERS: readonly PersonName[] = ['alice', 'bob', 'carol'];
export const OPERATOR = 'oncall';
/** The person of the one operator. */
export const OPERATOR_IS: PersonName = 'bob';

/** Whether somebody may approve calls at all. */
export const isEligible = (who: string): boolean => APPROVERS.some((one) => one === who);

/** Two stages, asked in two channels: the first alone has this one. */
export const STAGED: ToolName = 'Move';
export const FIRST_CHANNEL = 'C0REVIEW';

/** One group is asked, and after some time another one as well, for as long again. */
export const ESCALATED: ToolName = 'Rise';
export const ESCALATES_MS = 3 * 60_000;
/** Whether the person is of the group that is asked first. */
export const isAskedFirst = (who: string): boolean => who === 'alice' || who === 'carol';

/** Tools whose calls have high severity. */
export const HAS_SEVERITY: ReadonlySet<ToolName> = new Set(['Drop']);

/** One attempt for each permit. */
export const NON_IDEMPOTENT: ReadonlySet<ToolName> = new Set(['Push', 'Drop', 'Pay', 'Move']);

/** People have so long. */
export const TIMEOUT_MS = 10 * 60_000;
/** A grant for the session holds so long. */
export const REMEMBER_MS = 5 * 60_000;

/** A hook has so long. */
export const HOOK_MS = 5_000;

/** How a deployment differs from the simulated ones. */
export interface Deployment {
  readonly agents: readonly string[];
  readonly waiting: number;
  /** More of the policy of one agent. */
  readonly of?: Readonly<Record<string, string>>;
  /** The target of a tool that the gate runs. */
  readonly target?: (tool: ToolName) => string | undefined;
  /** More tools, one a line, and more rules that allow. */
  readonly tools?: string;
  readonly allow?: readonly string[];
  /** More of the section `approvals`. */
  readonly approvals?: string;
  /** More of the first of two stages. */
  readonly firstStage?: string;
  /** More limits of every tool that states none of its own. */
  readonly limits?: string;
  /** More sections of the file. */
  readonly more?: string;
}
/** Agent policies that choose, their model, and that of auto mode, whose keys are these secrets. */
export const choicesWith = (llmKey: string, modelKey: string) => `models:
  claude: { provider: anthropic, secret: ${llmKey}, timeout: 10s }
policies:
  first: { type: first-available }
  model: { type: llm, model: m-1 }
  person: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 10m }
  risky:
    type: composite
    proposer: { type: llm, model: m-1 }
    approver: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 10m }
    requiresApproval: { type: flow-id, flows: [release] }
classifier: { model: { provider: anthropic, model: judge-1, secret: ${modelKey}, timeout: 10s } }`;
/** One tells people of its failure, and one denies what it cannot judge. */
const HOOKS = `hooks:
  review: { function: review, tools: [Scan, Fix, Zap], timeout: ${HOOK_MS / 1_000}s }
  seal: { function: seal, tools: [Seal], timeout: ${HOOK_MS / 1_000}s, onFailure: deny }`;
export const WEBHOOK = 'siem';
/** This one is told of nothing else. */
export const TICKETS = { name: 'tickets', events: ['ApprovalOpened', 'ClickRefused'] } as const;
const WEBHOOKS = `webhooks:
  ${WEBHOOK}: { url: "https://${WEBHOOK}.example.com/events", secret: siem-key }
  ${TICKETS.name}: { url: "https://${TICKETS.name}.example.com/events", secret: siem-key, events: [${TICKETS.events.join(', ')}] }`;
const SIMULATED: Deployment = {
  agents: [...AGENTS, PILOT],
  waiting: LIMITS.waiting,
  of: { [PILOT]: ', mode: auto' },
  more: `${choicesWith('llm-key', 'model-key')}\n${HOOKS}\n${WEBHOOKS}`,
};

/** The policy file of that name, as YAML. */
export function policyText(name: PolicyName, deployment: Deployment): string {
  const {
    agents,
    waiting,
    of = {},
    target,
    tools = '',
    allow = [],
    approvals = '',
    firstStage = '',
    limits = '',
    more = '',
  } = deployment;
  const needs = Object.entries(NEEDS[name]);
  const toolsOf = (wanted: (need: Need) => boolean) => needs.flatMap(([tool, need]) => (wanted(need) ? [tool] : []));
  const list = (tools: readonly string[]) => `[${tools.join(', ')}]`;
  const tool = (called: ToolName, facts: string) => {
    const url = target?.(called);
    return `  ${called}: { ${facts}${url === undefined ? '' : `, target: { url: "${url}" }`} }`;
  };
  return `
people:
  alice: { team: T0DEMO, user: U0ALICE, name: Alice }
  bob: { team: T0DEMO, user: U0BOB, name: Bob }
  carol: { team: T0DEMO, user: U0CAROL, name: Carol }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
  sam: { team: T0DEMO, user: U0SAM, name: Sam }
agents:
${agents.map((agent) => `  ${agent}: { owner: olga, maxWaiting: ${waiting}${of[agent] ?? ''} }`).join('\n')}
operators:
  ${OPERATOR}: { person: bob }
channels:
  approvals: { team: T0DEMO, id: C0APPROVALS }
  review: { team: T0DEMO, id: ${FIRST_CHANNEL} }
approvers:
  platform: { members: [alice, bob, carol, olga], channel: approvals }
  review: { members: [alice, carol], channel: review }
approvals: { approvers: platform, timeout: 10m, remember: 5m${approvals} }
tools:
${tool('Look', 'permissions: [Network], effect: Pure')}
${tool('Push', 'permissions: [Execute], effect: NonIdempotentWrite')}
${tool('Drop', 'permissions: [Sensitive], effect: NonIdempotentWrite, severity: high')}
${tool('Wipe', 'permissions: [Execute]')}
${tool('Pay', 'permissions: [Network], effect: NonIdempotentWrite')}
${tool('Ping', 'permissions: [Network], effect: IdempotentWrite')}
${tool('Ship', `permissions: [Write], effect: IdempotentWrite, stages: [{ group: platform, quorum: ${NEEDS[name].Ship} }]`)}
${tool('Sync', 'permissions: [Write], effect: IdempotentWrite')}
${tool(ESCALATED, `permissions: [Execute], effect: IdempotentWrite, stages: [{ group: review, remind: 1m, timeout: ${ESCALATES_MS / 60_000}m, escalateTo: platform }]`)}
${tool('Move', `permissions: [Execute], effect: NonIdempotentWrite, stages: [{ group: review${firstStage} }, { group: platform }]`)}
${HOOKED.map((name) => tool(name, 'permissions: [Write], effect: IdempotentWrite')).join('\n')}${tools}
rules:
  deny: ${list(toolsOf((need) => need === 'deny'))}
  ask: ${list(['Drop'])}
  allow: ${list([...toolsOf((need) => need === 0), ...allow])}
guardrails:
  environments: { production: { timeoutMs: 20000${limits} } }
  agents:
${agents
  .filter((agent) => agent !== HELPER)
  .map((agent) => `    ${agent}: { budget: { costPerDay: 30 } }`)
  .join('\n')}
  tools:
    Pay: { costPerCall: 10 }
    Ping: { ratePerSecond: ${LIMITS.rate.perSecond}, burst: ${LIMITS.rate.burst}, maxConcurrent: 20 }
    Sync: { maxConcurrent: ${LIMITS.slots} }
${more}`;
}

const documentOf = (name: PolicyName, deployment = SIMULATED): PolicyDocument =>
  loadPolicy(policyText(name, deployment), 'countersign.yaml');

/** The agent of the task lists, which has no budget. */
export const HELPER = 'helper';
const TALKING: Deployment = {
  ...SIMULATED,
  agents: [...SIMULATED.agents, HELPER],
  more: `${SIMULATED.more}\ntaskAgent: { enabled: true, agent: ${HELPER}, history: 6 }`,
};

type Documents = Readonly<Record<PolicyName, PolicyDocument>>;
const documentsWith = (documentOf: (name: PolicyName) => PolicyDocument): Documents =>
  Object.fromEntries(POLICY_NAMES.map((name) => [name, documentOf(name)])) as Documents;
const special = new Map<string, Documents>();

/** The policy files of a run: with the task agent, and with the canary that synthesis adds, in runs that they are in. Each is loaded once. */
export function documentsFor(has: { readonly talk: boolean; readonly canary: boolean }): Documents {
  if (!has.talk && !has.canary) return DOCUMENTS;
  return getOrAdd(special, JSON.stringify(has), () =>
    documentsWith((name) => {
      const document = has.talk ? documentOf(name, TALKING) : DOCUMENTS[name];
      return has.canary ? withCanary(document) : document;
    }),
  );
}

const DOCUMENTS: Documents = documentsWith(documentOf);
