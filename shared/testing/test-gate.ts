/** Runs a whole gate in the process of a test: its rules, its record, and people whom the test plays. */
import { createMemoryGate } from '../adapters/memory/gate.ts';
import type { MemoryGate } from '../adapters/memory/gate-parts.ts';
import { memoryPendingApprovals } from '../adapters/memory/stores/pending-approvals.ts';
import type { SlackPoster } from '../adapters/slack/posting/poster.ts';
import type { CountersignClientOptions } from '../client/index.ts';
import type { PolicyDocument } from '../config/document.ts';
import { noSuchAgent } from '../config/readers/no-such-agent.ts';
import type { AuditEntry } from '../contract/audit-entry.ts';
import { pidOf } from '../domain/digest.ts';
import { type Checks, checkedElsewhere, checkSettings, fn, having, listOf, record, text } from '../domain/settings.ts';
import type { GuardedTool } from '../guardrails/settings/call.ts';
import { systemClock } from '../ports/clock.ts';
import { systemTimers } from '../ports/timers.ts';
import type { Approver } from './approver.ts';
import { castAnswer } from './cast-answer.ts';
import { countingIds } from './counting-ids.ts';
import type { FakeClock } from './fake-clock.ts';
import { documentOf } from './policy-tester.ts';

/** Options of `createTestGate`. */
export interface TestGateOptions {
  /** The text of a policy file, or what `loadPolicy` made of one. */
  readonly policy: string | PolicyDocument;
  /** Answers in people's place. Default: nobody answers. */
  readonly approver?: Approver;
  /** Default: real time, in which questions beyond `approvals.newCards` wait their turn. With a FakeClock nothing moves until the test advances it. */
  readonly clock?: FakeClock;
  /** Tools that the gate runs itself, for a client's `execute`. */
  readonly tools?: readonly GuardedTool[];
}

/** A gate in memory. */
export interface TestGate {
  /** Options of a client for one agent of the policy file: its queue and its decisions, in memory. @throws Error for another agent */
  clientOptions(agent: string): CountersignClientOptions;
  /** Reads the record's entries about one proposal, oldest first. */
  record(agent: string, proposalId: string): Promise<readonly AuditEntry[]>;
  /** Ends all that waits. */
  stop(): void;
}

const DEPLOYMENT = 'test';
const CHECKS: Checks<TestGateOptions> = {
  policy: checkedElsewhere,
  approver: fn,
  clock: having('now', 'after', 'advance'),
  tools: listOf(record),
};

/**
 * Starts a gate in memory. This gate decides as a deployed one does, with the same rules, stages and record. A fault in it, or an answer
 * that a person may not give, is thrown outside of every call, so that the test runner reports it.
 *
 * @throws PolicyFileError for a policy file with a mistake
 * @example
 * const gate = createTestGate({ policy, approver: () => ({ choice: 'approve' }) });
 * const client = new CountersignClient(gate.clientOptions('coder'));
 */
export function createTestGate(options: TestGateOptions): TestGate {
  checkSettings(options, CHECKS, { required: ['policy'] });
  const { policy, approver, clock, tools } = options;
  const document = documentOf(policy);
  const timers = clock ?? systemTimers;
  const report = (error: unknown) =>
    queueMicrotask(() => {
      throw error;
    });
  const heard = new Set<string>();
  const answerAll = () => {
    for (const approval of memoryPendingApprovals(gate.parts.state).approvals) {
      const name = [approval.pid, approval.round, approval.stage ?? 0, approval.votes.length].join('#');
      if (!approver || heard.has(name)) continue;
      heard.add(name);
      castAnswer(approval, approver, gate.parts).catch(report);
    }
  };
  const gate: MemoryGate = createMemoryGate({
    document,
    clock: clock ?? systemClock,
    timers,
    ids: countingIds(),
    shell: async () => (await import('../permissions/shell/parser.ts')).loadShellParser(),
    detector: async () => (await import('../adapters/secretlint/detector.ts')).secretlintDetector(),
    poster: posterThatTells(() => timers.after(0, answerAll)),
    deployment: DEPLOYMENT,
    onFault: (_, error) => report(error),
    ...(tools ? { tools } : {}),
  });
  const declared = Object.keys(document.policy.agents);
  return {
    clientOptions(agent) {
      text(agent, 'agent');
      // A gate records nothing of a stranger: the client would wait for it.
      if (!declared.includes(agent)) throw new Error(noSuchAgent(agent, declared));
      return { ...gate.agentSide(agent), queueUrl: 'memory', auditTable: 'memory' };
    },
    async record(agent, proposalId) {
      const rows = await gate.parts.audit.ofProposal(agent, pidOf(DEPLOYMENT, agent, proposalId));
      return rows.map(({ entry }) => entry);
    },
    stop: () => gate.stop(),
  };
}

/** A channel whose cards nobody looks at: it only tells that one was drawn. */
function posterThatTells(drawn: () => void): SlackPoster {
  let posted = 0;
  return {
    async post(channel) {
      drawn();
      return { channel, ts: `1700000000.${String(++posted).padStart(6, '0')}` };
    },
    async update() {
      drawn();
      return true;
    },
    reply: async () => undefined,
    announce: async () => undefined,
    message: async () => undefined,
  };
}
