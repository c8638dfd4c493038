/** Makes the gate that `evaluate` decides with, in memory: one sender, who is the agent `coder`. */
import { MemoryRateLimits } from '../../../shared/adapters/memory/guardrails/rate-limits.ts';
import { memoryStores } from '../../../shared/adapters/memory/stores.ts';
import { memoryVault } from '../../../shared/adapters/memory/vault.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { redactorOf } from '../../../shared/use-cases/redactor.ts';

export function memoryGate(document: PolicyDocument) {
  const sent: string[] = [];
  const gate: IntakeDependencies = {
    ...memoryStores(),
    deployment: 'test',
    policy: compilePolicy(document),
    clock: systemClock,
    digestKey: new Uint8Array(32),
    redactor: redactorOf(
      () => gate.policy,
      async () => secretlintDetector(),
    ),
    sealer: memoryVault(systemClock),
    shell: () => loadShellParser(),
    agents: { nameOf: async (senderId) => (senderId === 'sender' ? 'coder' : undefined) },
    accountsAllowed: false,
    taskGuardrails: { run: (_agent, _call, _key, work) => work() },
    rates: new MemoryRateLimits(systemClock.now),
    deferred: { defer: async () => undefined, handOver: async () => undefined },
    workflow: { start: async () => undefined, completeWait: async () => 'woken' },
    replies: {
      send: async (_agent, decision) => {
        sent.push(decision.proposalId ?? '');
      },
      giveUp: async () => undefined,
    },
  };
  /** Ids of the proposals that were decided, in alphabetical order. */
  return { ...gate, decided: () => sent.toSorted() };
}
