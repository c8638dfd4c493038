/** Lets an asker answer for the handler of a permission service. */
import { fn } from '../../domain/settings.ts';
import type { Answer, CallAsker } from '../../ports/asker.ts';
import type { PermissionRequestHandler, PermissionResponse } from './human-loop.ts';

/**
 * A request handler whose questions an asker carries to people. `PermissionService` takes an asker itself, as `ask`.
 *
 * @example
 * const requestHandler = asRequestHandler(async () => ({ type: 'approved', by: 'a test' }));
 * const service = new PermissionServiceBuilder().requestHandler(requestHandler).build();
 */
export function asRequestHandler(ask: CallAsker): PermissionRequestHandler {
  fn(ask, 'ask');
  return {
    async handle({ requestId, prompt, toolName, toolInput, context }, { signal = NEVER } = {}) {
      const answer = await ask(
        {
          kind: 'call',
          id: requestId,
          title: prompt,
          tool: toolName,
          input: toolInput,
          offers: ['Once', 'Session', 'SessionAllTools'],
          ...(context === undefined ? {} : { reason: context }),
        },
        { signal },
      );
      return responseTo(answer);
    },
  };
}

const NEVER = new AbortController().signal;

/** Only an approval allows. */
function responseTo(answer: Answer): PermissionResponse {
  switch (answer.type) {
    case 'approved': {
      const { scope = 'Once', input } = answer;
      return { kind: 'Allowed', scope, ...(input === undefined ? {} : { modifiedArgs: input }) };
    }
    case 'rejected':
      return { kind: 'Denied', reason: answer.reason };
    case 'text':
      return { kind: 'Denied', reason: answer.text };
    case 'silent':
      return { kind: 'Denied', reason: 'Nobody answered in time.' };
    case 'chose':
      return { kind: 'Denied', reason: 'The answer does not fit a question about a call.' };
    default:
      answer satisfies never;
      return { kind: 'Denied', reason: 'The answer is unknown.' };
  }
}
