/** Writes the task agent's decision in the contract's words, with a permit for each call. */
import type { Permit } from '../../contract/index.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import type { KernelAnswer } from '../kernel/calls/run.ts';
import { messages } from '../model-messages.ts';
import type { DecidedTask } from './decide-task.ts';

const MAX_MESSAGE = 4_000;
const decidedBy = { type: 'system', id: 'task-agent' } as const;

export function taskAnswer(
  { decision, toRun }: DecidedTask,
  permitFor: (call: CallWithVerdict) => Permit,
): KernelAnswer {
  const text = decision.response_text ?? decision.clarification_question ?? '';
  return {
    outcome: 'answered',
    message: text.slice(0, MAX_MESSAGE).toWellFormed() || messages.runTheseCalls(),
    reasonCode: decision.decision_type.toLowerCase(),
    decidedBy,
    actionDigest: null,
    answer: decision,
    calls: toRun.map((call) => ({
      id: call.call.id,
      outcome: 'approved' as const,
      message: messages.allowed(call.call.toolName),
      reasonCode: 'task_agent',
      decidedBy,
      actionDigest: call.actionDigest,
      permit: permitFor(call),
    })),
  };
}
