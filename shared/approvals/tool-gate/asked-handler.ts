/** Lets an asker answer for the handler in front of an agent's tools. */
import { isCountersignError } from '../../domain/errors.ts';
import { checkSettings, fn, oneOf } from '../../domain/settings.ts';
import type { Answer, Asker } from '../../ports/asker.ts';
import { ApprovalDecision, type ApprovalHandler } from './approval-handler.ts';
import type { ToolClass } from './tool.ts';

/** Settings of `asHandler`. */
export interface AskedHandlerOptions {
  /** Nobody is asked about tools of this class: they are allowed. Default: every call is a question. */
  readonly fastPath?: ToolClass | undefined;
  /** Makes the ids of questions. Default: random UUIDs. */
  readonly newId?: (() => string) | undefined;
}

/**
 * A handler whose questions an asker carries to people. The handler allows exactly what was approved: a call whose input a person changed is
 * denied, and the reason states the input with which the model has to make it again. Fails closed.
 *
 * @example
 * const handler = asHandler(gateAsker(CountersignClient.fromEnvironment()), { fastPath: 'ReadOnly' });
 * console.log(await handler.approve('Bash', { command: 'ls' }, 'Mutating', AbortSignal.timeout(60_000)));
 */
export function asHandler(ask: Asker, options: AskedHandlerOptions = {}): ApprovalHandler {
  fn(ask, 'ask');
  checkSettings(options, { fastPath: oneOf('ReadOnly', 'Mutating'), newId: fn });
  const { fastPath, newId = () => crypto.randomUUID() } = options;
  return {
    async approve(tool, input, toolClass, signal) {
      if (fastPath !== undefined && toolClass === fastPath) return ApprovalDecision.Allow;
      const question = { kind: 'call', id: newId(), title: `Tool [${tool}] requires approval`, tool, input } as const;
      try {
        return decisionOf(await ask(question, { signal }));
      } catch (error) {
        const isFit = isCountersignError(error) || (signal.aborted && error instanceof Error);
        return ApprovalDecision.Deny(isFit ? error.message : 'nobody could be asked');
      }
    },
  };
}

function decisionOf(answer: Answer): ApprovalDecision {
  switch (answer.type) {
    case 'approved':
      if (answer.input === undefined) return ApprovalDecision.Allow;
      return ApprovalDecision.Deny(
        `This call may run with other arguments only. Make it again with exactly these: ${JSON.stringify(answer.input)}`,
      );
    case 'rejected':
      return ApprovalDecision.Deny(answer.reason ?? 'A person refused the call.');
    case 'text':
      return ApprovalDecision.Deny(answer.text);
    case 'silent':
      return ApprovalDecision.Deny('Nobody answered in time. The call was not run.');
    case 'chose':
      return ApprovalDecision.Deny('The answer does not fit a question about a call.');
    default:
      answer satisfies never;
      return ApprovalDecision.Deny('The answer is unknown.');
  }
}
