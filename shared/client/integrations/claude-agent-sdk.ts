/** `countersign/claude-agent-sdk`: puts every tool of a Claude agent behind the gate. */
import { flag, having } from '../../domain/settings.ts';
import { isUndecided } from '../calls/errors.ts';
import type { GuardSettings } from '../calls/guarded-call.ts';
import { checkShared } from '../calls/option-checks.ts';
import type { CountersignClient } from '../client.ts';
import { claudePreToolUse, preToolUse } from '../hooks/answers.ts';
import { HOOK_TIMEOUT_S } from '../hooks/programs.ts';
import { refusedAs } from './common/refused-as.ts';

/** The fields of every hook's input that the gate reads. */
export interface HookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly cwd: string;
}

interface PreToolUse extends HookInput {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
}

/** Settings of the guard that each session gets, and whether a run ends while people are asked. */
export interface ClaudeHookSettings extends Omit<GuardSettings, 'run' | 'sessionId' | 'limits' | 'fallback'> {
  /**
   * True: the run ends with `tool_deferred` while people are asked; `resume` the session, in any process, once they have answered. Not for tools
   * within this process, nor for models that call several tools in one turn: the program does not run those that it deferred. Default: the hook
   * waits.
   */
  readonly defer?: boolean | undefined;
}

/**
 * The option `hooks`: a PreToolUse hook, which sees every call in every permission mode. A hook that fails blocks the call (`onFailure`), which needs
 * Claude Code of version 2.1.330 or later; the SDK refuses an older one.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk';
 *
 * const hooks = countersignHooks(CountersignClient.fromEnvironment());
 * for await (const message of query({ prompt: 'Refund order o-1', options: { hooks } })) console.log(message.type);
 */
export function countersignHooks(client: Pick<CountersignClient, 'guard'>, settings: ClaudeHookSettings = {}) {
  having('guard')(client, 'client');
  // The program runs the tool, which no limit of the call would hold.
  checkShared(settings, { defer: flag }, ['sessionId', 'limits', 'fallback']);
  const { defer = false, ...options } = settings;
  const hook = async (input: HookInput, _id: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    const { session_id: run, cwd, tool_name: tool, tool_input, tool_use_id: callId } = input as PreToolUse;
    const guard = client.guard({ cwd, ...options, run, sessionId: run });
    const call = { callId, tool, input: tool_input as object };
    const answered = async () => {
      const isPatient = !(defer && (await guard.asks(call, { signal })));
      const decision = await guard
        .decide(call, isPatient ? { signal } : { signal, timeout: 0, onAbort: 'leave' })
        .catch((error: unknown) => {
          // A run that ends leaves its question open.
          if (!isPatient && isUndecided(error)) return undefined;
          throw error;
        });
      return decision ? claudePreToolUse(decision) : preToolUse({ permissionDecision: 'defer' });
    };
    // The words of a hook that fails are for the terminal of the program, and none for the model.
    return answered().catch(
      refusedAs((reason) => preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason })),
    );
  };
  return { PreToolUse: [{ hooks: [hook], timeout: HOOK_TIMEOUT_S, onFailure: 'block' as const }] };
}
