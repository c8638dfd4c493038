/** Deploys the gate of a campaign: the simulator's policy files for ten agents. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type E2eGate, e2eGateWith, MODEL_KEY } from '../e2e/gate.ts';
import {
  choicesWith,
  type Deployment,
  PILOT,
  POLICY_NAMES,
  type PolicyName,
  policyText,
  type ToolName,
} from '../simulation/model/policies.ts';

/** Runs its tools under the gate's own permits. */
export const REDEEMS = 'coder';
/** Gets its decisions on a queue of its own. */
export const HAS_QUEUE = 'replier';
/** A hook is asked about its calls: they are decided by `deliberate`. */
export const HOOKED = 'hooked';
/** Sends more than its rate. */
export const FLOODS = 'flooder';
/** Takes tasks of people in Slack; no program proposes as this agent. */
const TASKS = 'tasks';
export const AGENTS = [REDEEMS, HAS_QUEUE, HOOKED, 'writer', 'reader', 'tester', 'mailer', 'seller', 'keeper', FLOODS];
/** A hundred at once, from ten agents. */
export const WAITING = 40;

/** Tools that the gate itself runs. */
const TARGETS: ReadonlySet<ToolName> = new Set(['Ship', 'Sync', 'Look', 'Drop']);
const ADDRESS = 'https://tools.e2e.invalid/';

const DEPLOYED: Deployment = {
  agents: [...AGENTS, PILOT, TASKS],
  waiting: WAITING,
  of: { [FLOODS]: ', rate: { perSecond: 5, burst: 20 }', [PILOT]: ', mode: auto' },
  target: (tool) => (TARGETS.has(tool) ? `${ADDRESS}${tool}` : undefined),
  tools: '\n  Bash: { permissions: [Execute], shell: { canonical: true } }',
  allow: ['Bash(make *)'],
  // Cards of a campaign come faster than people would answer.
  approvals: ', newCards: { burst: 1000, perMinute: 600, listFrom: 1000 }',
  // A killed process holds its slot until its call had to be over: dozens of them at once are no fault of the gate.
  limits: ', maxConcurrent: 100',
  // Reached only where a test says that so much time has gone.
  firstStage: ', remind: 4m, timeout: 9m, escalateTo: platform',
  more: `
record: { people: aliases }
hooks:
  review: { function: countersign-e2e-hook, agents: [${HOOKED}], tools: [Look, Push], timeout: 5s }
webhooks:
  cancelled: { url: "${ADDRESS}webhook", secret: ${MODEL_KEY}, events: [ProposalCancelled] }
taskAgent:
  enabled: true
  agent: ${TASKS}
  channels: [review]
  model: { provider: bedrock, region: eu-west-1, model: "eu.amazon.nova-lite-v1:0", timeout: 5s }
${choicesWith(MODEL_KEY, MODEL_KEY)}
`,
};

export interface CampaignGate extends E2eGate {
  /** Every policy file of the simulator, as it is deployed here. */
  readonly policies: ReadonlyMap<PolicyName, string>;
}

export async function campaignGate(): Promise<CampaignGate> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-campaign-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const written = new Map<PolicyName, string>();
  for (const name of POLICY_NAMES) {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, policyText(name, DEPLOYED));
    written.set(name, file);
  }
  const gate = await e2eGateWith(written.get('usual') ?? '');
  const policies = new Map(
    [...written].map(([name, file]) => [name, name === 'usual' ? gate.policyFile : gate.tools.withAddress(file)]),
  );
  return { ...gate, policies };
}
