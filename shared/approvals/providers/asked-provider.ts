/** Lets an asker answer for a human-loop provider. */
import { fn } from '../../domain/settings.ts';
import type { Answer, Asker } from '../../ports/asker.ts';
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';

/**
 * A provider whose requests an asker carries to people. An aborted wait is a time-out; an error of the asker is thrown on.
 *
 * @example
 * const provider = asProvider(gateAsker(CountersignClient.fromEnvironment()));
 * console.log(await provider.request({ kind: 'approval', requestId: 'r-1', prompt: 'May it?', toolName: 'Bash', args: { command: 'ls' } }));
 */
export function asProvider(ask: Asker): HumanLoopProvider {
  fn(ask, 'ask');
  return {
    async request(request, { signal = NEVER } = {}) {
      try {
        return responseOf(await ask(questionOf(request), { signal }), request.kind);
      } catch (error) {
        if (signal.aborted) return { kind: 'Timeout' };
        throw error;
      }
    },
  };
}

const NEVER = new AbortController().signal;

function questionOf({ kind, requestId: id, prompt: title, toolName, args }: HumanLoopRequest): Parameters<Asker>[0] {
  return kind === 'input'
    ? { kind: 'text', id, title }
    : { kind: 'call', id, title, tool: toolName ?? '', input: args };
}

function responseOf(answer: Answer, kind: HumanLoopRequest['kind']): HumanLoopResponse {
  switch (answer.type) {
    case 'approved':
      return approvalOf(answer);
    case 'rejected':
      return { kind: 'Rejected', ...('reason' in answer ? { reason: answer.reason } : {}) };
    case 'text':
      return kind === 'input' ? { kind: 'Text', text: answer.text } : { kind: 'Rejected', reason: answer.text };
    case 'silent':
      return { kind: 'Timeout' };
    case 'chose':
      return { kind: 'Rejected', reason: 'The answer does not fit the question.' };
    default:
      answer satisfies never;
      return { kind: 'Rejected', reason: 'The answer is unknown.' };
  }
}

function approvalOf({ input, scope }: Extract<Answer, { type: 'approved' }>): HumanLoopResponse {
  if (input !== undefined) return { kind: 'ModifiedArgs', args: input, ...(scope === undefined ? {} : { scope }) };
  return scope === undefined ? { kind: 'Approved' } : { kind: 'ApprovedWithScope', scope };
}
