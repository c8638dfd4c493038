/**
 * Measures choices: each policy alone, and the kernel's run with journals of 1 to 100 entries.
 *
 * At most 64 entries are asked (A16): more are read and end the choice. Figures are printed, not asserted.
 */
import { CallbackApprovalChannel } from '../../shared/approvals/channels/callback.ts';
import { compilePolicy } from '../../shared/config/compile.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import type { ModelEntry } from '../../shared/contract/index.ts';
import { LIMITS } from '../../shared/contract/primitives.ts';
import {
  type AgentPolicy,
  ApprovalResult,
  CompositePolicy,
  FirstAvailablePolicy,
  FlowIdPredicate,
  HumanInTheLoopPolicy,
  type LlmClient,
  LlmPolicy,
  PriorityPolicy,
  RandomPolicy,
} from '../../shared/policies/index.ts';
import { askModel } from '../../shared/policies/journal.ts';
import { NO_CONTROL } from '../../shared/ports/stores/control.ts';
import { decide } from '../../shared/use-cases/kernel/decide.ts';
import { Journal } from '../../shared/use-cases/kernel/state/journal.ts';
import { EscrowContract } from '../examples/escrow.ts';
import { printTable } from './support/print.ts';
import { median, p95 } from './support/stats.ts';

const contract = new EscrowContract({ Order: 'delivered', Escrow: 'held' }, { carrier_scan: 'delivered' });
const space = contract.actionSpace('ops');
const snapshot = contract.snapshot();
const usage = { inputTokens: 900, outputTokens: 60 };
const picks = JSON.stringify({
  action: { flow_id: 'release_escrow', persona_id: 'ops', reasoning: 'r' },
  reasoning: 'r',
});
const model: LlmClient = { complete: async () => ({ text: picks, usage }) };

const llm = new LlmPolicy(model, 'm-1');
const human = new HumanInTheLoopPolicy(
  new FirstAvailablePolicy(),
  new CallbackApprovalChannel(() => ApprovalResult.Approved),
  60_000,
);
const POLICIES: readonly (readonly [string, AgentPolicy])[] = [
  ['random', new RandomPolicy()],
  ['first-available', new FirstAvailablePolicy()],
  ['priority', new PriorityPolicy(['issue_refund', 'release_escrow'])],
  ['human-in-the-loop, answered at once', human],
  ['llm, answered at once', llm],
  ['composite of the two, asking', new CompositePolicy(llm, human, new FlowIdPredicate(['release_escrow']))],
];

/** Microseconds of `work`, each of `times` alone. */
async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < times + 50; index++) {
    const began = performance.now();
    await work();
    if (index >= 50) samples.push((performance.now() - began) * 1000);
  }
  return samples;
}
const row = (name: string, samples: readonly number[]) => [name, median(samples).toFixed(1), p95(samples).toFixed(1)];

const alone: string[][] = [];
for (const [name, policy] of POLICIES) alone.push(row(name, await timed(2_000, () => policy.choose(space, snapshot))));
printTable('Choosing, without the gate', ['policy', 'median µs', 'p95 µs'], alone);

/** A model that answers no JSON until its last retry: `questions` entries in all. */
function kernelWith(questions: number) {
  const [first, rest] = [Math.min(questions, 11), Math.max(0, questions - 11)];
  const trees = [first, ...Array.from({ length: Math.ceil(rest / 11) }, (_, index) => Math.min(11, rest - index * 11))];
  const [proposer = '', ...approvers] = trees.map((asked) => `{ type: llm, model: m-1, maxRetries: ${asked - 1} }`);
  const tree = approvers.reduce(
    (inner, approver) =>
      `{ type: composite, proposer: ${inner}, approver: ${approver}, requiresApproval: { type: always } }`,
    proposer,
  );
  const text = `people: { o: { team: T1, user: U1O, name: O } }
agents: { seller: { owner: o } }
models: { claude: { provider: anthropic, secret: key } }
policies:
  long: ${tree}
`;
  const last = new Set(trees.map((_, index) => trees.slice(0, index + 1).reduce((sum, asked) => sum + asked, 0) - 1));
  return { policy: compilePolicy(loadPolicy(text, 'bench.yaml')), last };
}

const reruns: string[][] = [];
const bytes: number[] = [];
for (const questions of [1, 10, 64, 100]) {
  const { policy, last } = kernelWith(questions);
  const settings = policy.settings.agents['seller'];
  if (!settings) throw new Error('the policy has no agent');
  const session = {
    pid: 'a'.repeat(64),
    agent: 'seller',
    settings,
    sessionId: 'main',
    mode: settings.mode,
    control: NO_CONTROL,
  };
  const proposal = { kind: 'action-choice', proposalId: 'c', policy: 'long', actionSpace: space, snapshot } as const;
  const ports = { policy, digestKey: new Uint8Array(32), shell: () => Promise.reject(new Error('no shell here')) };
  const run = (journal: Journal) => decide(proposal, session, journal, ports, 0);
  const at = new Date(0).toISOString();
  let journal = new Journal([{ type: 'now', place: 'start', round: 0, at }]);
  for (;;) {
    const step = await run(journal);
    if (step.kind !== 'needs') break;
    const [need] = step.needs;
    if (need?.type !== 'model') throw new Error('another need than a model');
    const text = last.has(need.ordinal)
      ? picks
      : 'I would rather tell you about the weather before I choose anything at all.';
    const { result } = await askModel({ complete: async () => ({ text, usage }) }, need);
    const { place, digest, ordinal: round } = need;
    const asked = need.question.messages.at(-1)?.content.slice(0, LIMITS.modelPrompt);
    const entry: ModelEntry = { type: 'model', place, round, at, digest, by: 'claude/m-1', asked, result };
    bytes.push(Buffer.byteLength(JSON.stringify(entry)));
    journal = journal.with([entry]);
  }
  const held = journal.entries.length - 1;
  const name = held === questions ? String(held) : `${held}, then refused: a policy that asks ${questions} times`;
  reruns.push([name, ...row('', await timed(held > 20 ? 200 : 500, () => run(journal))).slice(1)]);
}
printTable(
  'The kernel again, from the start, with the answers of the journal',
  ['entries', 'median µs', 'p95 µs'],
  reruns,
);
printTable(
  'A journal entry of a model',
  ['', 'bytes'],
  [
    ['median', String(median(bytes))],
    ['largest that is kept', String(LIMITS.modelAnswer + LIMITS.modelPrompt + Math.min(...bytes))],
  ],
);
