/** Builds the context of a call's evaluation, so that no limit is left out anywhere. */
import type { Policy } from '../../../../config/compile.ts';
import type { AgentFolders, Mode, ToolCall } from '../../../../contract/index.ts';
import type { CallContext } from '../../../../permissions/call/call-context.ts';
import { type StageSettings, stageSettings } from '../../../../permissions/model/stages.ts';
import type { PauseState } from '../../../../permissions/model/types.ts';
import type { CompiledPolicy } from '../../../../permissions/rules/compile.ts';

/** Facts about one call that the policy file does not hold. All are required: a caller states what it leaves out. */
interface CallFacts {
  readonly call: Pick<ToolCall, 'toolName' | 'input'>;
  readonly mode: Mode;
  /** The folder that the call runs in. */
  readonly cwd: string;
  /** The folders of the agent whose rules count. */
  readonly folders: AgentFolders;
  readonly sessionRules: CompiledPolicy | undefined;
  readonly pause: PauseState | undefined;
  readonly unattended: boolean | undefined;
  readonly mayPrint: boolean | undefined;
}

/** Each field of a context, but those that an evaluation adds: a field that is new in `CallContext` does not compile until it is here. */
type FullContext = Required<Omit<CallContext, 'shell' | 'fs' | 'hasProjectRoot'>>;

export function contextOf(facts: CallFacts, policy: Policy): FullContext {
  const { call, mode, cwd, folders, sessionRules, pause, unattended, mayPrint } = facts;
  const { settings } = policy;
  return {
    // `Required`: the schema has to declare each key, and a file need not state it.
    ...stageSettings(settings as Required<typeof settings> satisfies StageSettings),
    toolName: call.toolName,
    input: call.input,
    mode,
    cwd,
    projectRoot: folders.projectRoot,
    home: folders.home,
    tools: policy.tools,
    policy: policy.rules,
    sessionRules,
    bypass: settings.bypass,
    protected: policy.protectedPaths,
    unattended,
    pause,
    mayPrint,
  };
}
