/** Answers the needs of a run: hooks, the classifier, models of policies. */
import type { SessionRow } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import type { AnswerNeed } from '../kernel/state/need.ts';
import type { Hooks } from './call-hook.ts';
import type { ModelDependencies } from './call-model.ts';
import type { ClassifierDependencies } from './classify.ts';
import { answerModel, callHook, classify, classifyKnown } from './lazy-imports.ts';

export interface AboutRun {
  readonly pid: string;
  readonly agent: string;
  /** The proposal with marks in place of its secrets, its calls as people edited them. */
  readonly shown: DecidableProposal;
  /** The session of the proposal, as it is now. */
  readonly session: SessionRow;
  /** No question begins after it, in milliseconds. */
  readonly until: number;
}

export type OutsideDependencies = ClassifierDependencies & ModelDependencies & { readonly hooks?: Hooks | undefined };

/** Undefined where somebody has to be asked who cannot be asked here. */
export const askOutside =
  (about: AboutRun, deps: OutsideDependencies): AnswerNeed =>
  async (need) => {
    switch (need.type) {
      case 'hook':
        return callHook(need, about, deps);
      case 'model':
        return answerModel(need, about.pid, about.until, deps);
      case 'classifier':
        return classify(need, about, deps);
      default:
        return need satisfies never;
    }
  };

/** The same without the classifier's model: undefined where that would have to be asked. */
export const askKnown = (about: AboutRun, deps: OutsideDependencies): AnswerNeed => {
  const ask = askOutside(about, deps);
  return async (need) => (need.type === 'classifier' ? classifyKnown(need, about, deps) : ask(need));
};
