/**
 * Takes a choice through the gate's own kernel, one question at a time.
 *
 * Everything that the next step needs is text in between, as a journal in a table is. Also a program: it takes one
 * step of each choice of its standard input, so that no step can know what another one left in memory.
 */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compilePolicy, type Policy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { type HumanAnswer, journalEntry, type ModelEntry } from '../../../../shared/contract/index.ts';
import { type ActionChoiceProposal, proposal as proposalSchema } from '../../../../shared/contract/proposal.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import {
  type Action,
  type ActionSpace,
  type AgentSnapshot,
  type ApprovalResult,
  type Completion,
  type LlmClient,
  NetworkError,
} from '../../../../shared/policies/index.ts';
import { askModel } from '../../../../shared/policies/journal.ts';
import { type PolicyTree, parsePolicyTree } from '../../../../shared/policies/tree.ts';
import { NO_CONTROL } from '../../../../shared/ports/stores/control.ts';
import type { ChoiceTrace } from '../../../../shared/use-cases/kernel/calls/run.ts';
import { decide } from '../../../../shared/use-cases/kernel/decide.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';
import type { ScriptedAnswer } from '../../policies/generators.ts';

export const PID = 'c'.repeat(64);
const ALICE = 'T0DEMO/U0ALICE';

export interface Scripted {
  readonly tree: PolicyTree;
  readonly space: ActionSpace;
  readonly snapshot: AgentSnapshot;
  readonly script: readonly ScriptedAnswer[];
}

/** A choice that goes on: what was asked of it so far, as text. */
export interface Waiting {
  readonly scripted: Scripted;
  readonly journal: readonly string[];
}

export interface Ended {
  readonly outcome: string;
  readonly reasonCode: string;
  readonly digest: string | null;
  readonly answer: unknown;
  readonly stages: ChoiceTrace['stages'];
}

/** Few parts, since each process loads it again. */
export const choicePolicyText = (deny: string) => `
people: { alice: { team: T0DEMO, user: U0ALICE, name: Alice }, olga: { team: T0DEMO, user: U0OLGA, name: Olga } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T0DEMO, id: C0APPROVALS } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { deny: [${deny}] }
`;

const plain = compilePolicy(loadPolicy(choicePolicyText(''), 'countersign.yaml'));
const withTree = (base: Policy, tree: PolicyTree): Policy => ({
  ...base,
  settings: { ...base.settings, policies: { generated: tree } },
});

/** Runs from the start with what the journal holds, and answers the one question that the run comes to. */
export async function step({ scripted, journal }: Waiting, base: Policy = plain): Promise<Waiting | Ended> {
  const { tree, space, snapshot, script } = scripted;
  const policy = withTree(base, parsePolicyTree(tree));
  const settings = policy.settings.agents['coder'];
  if (!settings) throw new Error('the policy has no agent');
  const session = {
    ...{ pid: PID, agent: 'coder', settings, sessionId: 'main' },
    ...{ mode: settings.mode, control: NO_CONTROL },
  };
  const message = { kind: 'action-choice', proposalId: 'c1', policy: 'generated', actionSpace: space, snapshot };
  const proposal = proposalSchema.parse(JSON.parse(JSON.stringify(message))) as ActionChoiceProposal;
  const entries = journal.map((line) => journalEntry.parse(JSON.parse(line)));
  const start = { type: 'now', place: 'start', round: 0, at: at(0) } as const;
  const ports = { policy, digestKey: new Uint8Array(32), shell: () => Promise.reject(new Error('no shell here')) };
  const run = await decide(proposal, session, new Journal([start, ...entries]), ports, Date.parse(at(journal.length)));
  const ordinal = journal.length;
  const answer = script[ordinal % script.length];
  if (!answer) throw new Error('a script has an answer');
  const next = (entry: HumanAnswer | ModelEntry): Waiting => ({
    scripted,
    journal: [...journal, JSON.stringify(entry)],
  });
  switch (run.kind) {
    case 'decided':
      return {
        outcome: run.answer.outcome,
        reasonCode: run.answer.reasonCode,
        digest: run.answer.actionDigest,
        answer: run.answer.answer ?? null,
        stages: run.choice?.stages ?? [],
      };
    case 'needs': {
      const [need] = run.needs;
      if (need?.type !== 'model') throw new Error('another need than a model');
      const { place, digest } = need;
      const { result } = await askModel(saying(answer), need);
      return next({ type: 'model', place, round: need.ordinal, at: at(ordinal), digest, by: 'claude/m', result });
    }
    case 'suspended': {
      const { place, digest, stagesDigest } = run.question;
      const round = entries.filter(({ type }) => type === 'human').length + 1;
      const asked = { type: 'human', place, round, at: at(ordinal + 1), digest, stagesDigest } as const;
      return next({ ...asked, calls: [], ...answeredBy(answer.person, space) });
    }
    default:
      return run satisfies never;
  }
}

/** Each answer takes eight days: longer than any wait of a tree, so that silence lasted as long as it has to. */
const at = (answers: number): string => new Date(Date.UTC(2026, 0, 1) + answers * 8 * 86_400_000).toISOString();

export const saying = ({ model }: ScriptedAnswer): LlmClient => ({
  complete: async (): Promise<Completion> => {
    if (model === 'network' || model === 'api' || model === 'parse') throw new NetworkError(model);
    return { text: model, usage: { inputTokens: 1, outputTokens: 1 } };
  },
});

/** In Slack people name an action by its place in the space; `#99` stands nowhere. */
export function placed(result: ApprovalResult, { actions }: ActionSpace): ApprovalResult {
  switch (result.type) {
    case 'approved':
      return { type: 'approved', by: ALICE };
    case 'rejected':
      return { ...result, by: ALICE };
    case 'substitute':
      return { type: 'substitute', by: ALICE, action: actions[indexOf(result.action, actions)] ?? NOWHERE };
    case 'timeout':
      return result;
    default:
      return result satisfies never;
  }
}

const NOWHERE: Action = { flow_id: '#99', persona_id: '' };
const indexOf = ({ flow_id }: Action, actions: readonly Action[]): number => {
  const index = actions.findIndex((action) => action.flow_id === flow_id);
  return index < 0 ? 99 : index;
};

type PersonAnswer = Pick<HumanAnswer, 'result' | 'by' | 'substitute' | 'reason' | 'timeoutApproves'>;

function answeredBy(result: ApprovalResult, { actions }: ActionSpace): PersonAnswer {
  const by = [{ person: { team: 'T0DEMO', user: 'U0ALICE' }, name: 'Alice' }];
  switch (result.type) {
    case 'approved':
      return { result: 'approved', by };
    case 'rejected':
      return { result: 'rejected', by, ...(result.reason ? { reason: result.reason } : {}) };
    case 'substitute': {
      const index = indexOf(result.action, actions);
      const action = actions[index];
      return {
        result: 'substituted',
        by,
        substitute: { index, actionDigest: action ? choiceDigest(action) : '0'.repeat(64) },
      };
    }
    case 'timeout':
      return { result: 'expired', by: [], timeoutApproves: true };
    default:
      return result satisfies never;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const waiting: Waiting[] = JSON.parse(await text(process.stdin));
  console.log(JSON.stringify(await Promise.all(waiting.map((one) => step(one)))));
}
