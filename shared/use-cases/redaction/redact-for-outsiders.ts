/** Tells outsiders of a call without its secrets, and whether it can be judged. */
import type { ToolCall } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import { canBeJudged } from '../../domain/redaction/judgeable/judgeable.ts';
import type { MessageContext } from '../../permissions/classifiers/context.ts';

export interface OutsiderView {
  readonly call: ToolCall;
  /** False: a mark hides more than a value, so that only a person, or a hook that is given secrets, may allow it. */
  readonly isJudgeable: boolean;
  /** The parts of the message that change the call, or how it is judged. */
  readonly message: MessageContext;
}

/** @param shown - the proposal with marks in place of its secrets, its calls as people edited them. */
export function outsiderViewOf({ id }: Pick<ToolCall, 'id'>, shown: DecidableProposal): OutsiderView {
  const call = shown.kind === 'tool-call' ? shown.calls.find((one) => one.id === id) : undefined;
  if (shown.kind !== 'tool-call' || !call) throw new Error('the proposal holds no such call');
  const { starts, rules = [] } = shown;
  const tightening = rules.flatMap(({ effect, pattern }) => (effect === 'allow' ? [] : [{ effect, pattern }]));
  return {
    call,
    isJudgeable: canBeJudged(call),
    message: { ...(starts ? { starts } : {}), ...(tightening.length ? { rules: tightening } : {}) },
  };
}
