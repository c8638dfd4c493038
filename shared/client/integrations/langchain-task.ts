/** Has the calls that LangGraph runs as one task suspend and begin together. */
import { InvalidSettingError } from '../../domain/errors.ts';
import type { GuardedCall } from '../calls/guarded-call.ts';
import type { Pass } from './common/interrupted-call.ts';
import { readableSchema } from './common/json-schema.ts';
import { type LangChainRequest, type LangChainTask, messagesOf } from './langchain-turn.ts';

/** The other calls of the task, and its interrupt: a task is resumed once for all of its calls. */
export function inTask(
  request: LangChainRequest,
  turn: readonly GuardedCall[],
  interrupt: (value: { readonly countersign: string }) => unknown,
): Pick<Pass<unknown>, 'beside' | 'interrupt' | 'isMadeUp' | 'isTakenUpWithin'> {
  const task = request.runtime.configurable?.__pregel_scratchpad;
  const beside = callsBeside(request, turn, task);
  return {
    beside,
    // So does one that a middleware behind the gate would supply: without the tool, the gate cannot tell the two apart.
    isMadeUp: 'tool' in request && request.tool === undefined,
    // The graph within a tool is taken up by the tool, which begins anew.
    isTakenUpWithin: true,
    interrupt: (value) => {
      try {
        interrupt(value);
      } catch (thrown) {
        // One of the calls finds the answer, and the others see by it that they may look again.
        if (!task?.resume?.length) throw thrown;
      }
      // Without the notes the others would interrupt the task again, and this one would have run.
      if (beside.length && !task?.resume?.length)
        throw new InvalidSettingError('@langchain/langgraph', 'is of a version that is not supported: nothing was run');
    },
  };
}

/** An agent has a task for each call, unless its `version` is `v1`; a `ToolNode` of a graph has one for the turn. */
function callsBeside(
  request: LangChainRequest,
  turn: readonly GuardedCall[],
  task: LangChainTask | undefined,
): GuardedCall[] {
  if ('lg_tool_call' in Object(task?.currentTaskInput)) return [];
  const messages: readonly { readonly tool_call_id?: string }[] = messagesOf(request.state);
  const done = new Set([request.toolCall.id, ...messages.map((message) => message.tool_call_id)]);
  return turn.filter(({ callId }) => !done.has(callId));
}

/** LangChain reads arguments by a JSON Schema, too. */
export const schemaOf = ({ tool }: Pick<LangChainRequest, 'tool'>) => readableSchema(tool?.schema);
