/** Lets an asker answer for an approval channel. */
import { CountersignError } from '../domain/errors.ts';
import { fn } from '../domain/settings.ts';
import type { Answer, Asker } from '../ports/asker.ts';
import { type ApprovalChannel, ApprovalResult } from './approval-channel.ts';

/** The asker gave an answer that does not fit a question about an action. Counts as a refusal. */
class UnfitAnswerError extends CountersignError<'unfit_answer'> {
  override readonly name = 'UnfitAnswerError';
  constructor(problem: string) {
    super('unfit_answer', problem);
  }
}

/**
 * A channel for `HumanInTheLoopPolicy` whose questions an asker carries to people. An error of the asker is thrown on, and counts as a refusal.
 *
 * @param newId makes the ids of questions. Default: random UUIDs
 * @example
 * const channel = asChannel(async () => ({ type: 'approved', by: 'a test' }));
 * console.log(await new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, '3m').choose(space, snapshot));
 */
export function asChannel(ask: Asker, newId: () => string = () => crypto.randomUUID()): ApprovalChannel {
  fn(ask, 'ask');
  return {
    async requestApproval(proposed, actionSpace, snapshot, signal = NEVER) {
      const title = `Execute flow ${proposed.flow_id}`;
      const answer = await ask({ kind: 'choice', id: newId(), title, proposed, actionSpace, snapshot }, { signal });
      return resultOf(answer, (index) => actionSpace.actions[index]);
    },
  };
}

const NEVER = new AbortController().signal;

function resultOf(
  answer: Answer,
  actionAt: (index: number) => Parameters<typeof ApprovalResult.Substitute>[0] | undefined,
): ApprovalResult {
  switch (answer.type) {
    case 'approved':
      return { type: 'approved', ...byOf(answer) };
    case 'rejected':
      return { type: 'rejected', ...byOf(answer), ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    case 'chose': {
      // By its place in the space, so that nothing else of it can be another.
      const action = actionAt(answer.index);
      if (!action) throw new UnfitAnswerError('the answer names no action of the space');
      return { type: 'substitute', action, ...byOf(answer) };
    }
    case 'silent':
      return ApprovalResult.Timeout;
    case 'text':
      throw new UnfitAnswerError('a text is no answer to a question about an action');
    default:
      answer satisfies never;
      throw new UnfitAnswerError('the answer is of no known type');
  }
}

const byOf = ({ by }: { readonly by?: string | undefined }): { readonly by?: string } =>
  by === undefined ? {} : { by };
