/** Carries a choice as far as models can: to its end, or to the next question for a person. */

import type { ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { LlmClient } from '../ports/llm-client.ts';
import { type PolicyRun, runPolicy, type Suspended } from './durable.ts';
import { askModel, type ModelAnswer, type ModelQuestion, type PolicyJournal } from './journal.ts';

export interface Deliberation {
  readonly tree: unknown;
  readonly actionSpace: ActionSpace;
  readonly snapshot: AgentSnapshot;
  readonly journal: PolicyJournal;
  /** The client that the tree names; `null` means the default one. */
  client(name: string | null): LlmClient;
  /**
   * Stores an answer under its ordinal, once, before it is used. Returns the stored answer, which is another one if
   * another process was faster. So two different answers to one question are never both used.
   */
  save(answer: ModelAnswer, ordinal: number): Promise<ModelAnswer>;
}

export async function deliberate(work: Deliberation): Promise<PolicyRun> {
  const answers = [...work.journal.answers];
  for (;;) {
    const run = await runPolicy(work.tree, work.actionSpace, work.snapshot, { ...work.journal, answers });
    if (!asksModel(run)) return run;
    const answer = await askModel(work.client(run.question.client), run);
    answers.push(await work.save(answer, run.ordinal));
  }
}

/** Whether the run waits for a model, so that it belongs to `deliberate`. */
export function asksModel(run: PolicyRun): run is Suspended & { readonly question: ModelQuestion } {
  return run.status === 'suspended' && run.question.type === 'model';
}
