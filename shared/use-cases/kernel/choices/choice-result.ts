/** Lists what a choice may come to, and turns each into the end of a run. */
import type { Action, HumanAnswer } from '../../../contract/index.ts';
import type { ActionChoiceProposal } from '../../../contract/proposal.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import type { StageRecord } from '../../../policies/agent-policy.ts';
import type { Chosen } from '../../../policies/durable.ts';
import type { PlannedQuestion } from '../calls/question/approval-plan.ts';
import { type KernelRefusal, type KernelRun, refused } from '../calls/run.ts';
import type { ModelNeed } from '../state/need.ts';
import { answerOfChoice, choiceMessages, deniedFlow, endedByPeople } from './choice-answer.ts';
import { type PeopleQuestion, questionOfChoice } from './choice-question.ts';

export type ChoiceResult =
  | (KernelRefusal & { readonly kind: 'refused' })
  /** A model is asked first. */
  | { readonly kind: 'needs'; readonly need: ModelNeed }
  /** People are asked, or nobody can be. */
  | { readonly kind: 'asking'; readonly about: PeopleQuestion; readonly asked: PlannedQuestion }
  /** No answer counts any more. */
  | { readonly kind: 'superseded'; readonly why: string }
  /** By a rule, a pause or a mode. */
  | {
      readonly kind: 'denied';
      readonly stages: readonly StageRecord[];
      readonly action: Action;
      readonly verdict: Decided;
    }
  /** `byRule`: the person who approved it because a rule asked. */
  | { readonly kind: 'chosen'; readonly run: Chosen; readonly byRule?: HumanAnswer | undefined };

/** `people`: what they answered, in order. */
export function runOfChoice(
  result: ChoiceResult,
  proposal: ActionChoiceProposal,
  people: readonly HumanAnswer[],
): KernelRun {
  const { policy } = proposal;
  switch (result.kind) {
    case 'superseded':
      return superseded(policy, result.why, people);
    case 'refused':
      return refused(result.code, result.message, result.outcome);
    case 'needs':
      return { kind: 'needs', needs: [result.need] };
    case 'asking': {
      const { about, asked } = result;
      if (!asked.ok) return refused(asked.code, asked.message);
      return { kind: 'suspended', question: questionOfChoice(about, asked, proposal), calls: [] };
    }
    case 'denied':
      return deniedFlow(policy, result.stages, result.action, result.verdict);
    case 'chosen':
      return answerOfChoice(policy, result.run, people, result.byRule);
    default:
      return result satisfies never;
  }
}

/** A person's no stays a no, and their silence silence, whatever the policy asks now; an approval counts for nothing else. */
function superseded(policy: string, why: string, people: readonly HumanAnswer[]): KernelRun {
  const last = people.at(-1);
  return (
    (last && endedByPeople(policy, last, [])) ?? refused('superseded', choiceMessages.superseded(why), 'superseded')
  );
}
