/** The risk of a call, read under the deployment's policy. */
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import type { ToolCall } from '../../contract/index.ts';
import type { CallContext } from '../../permissions/call/call-context.ts';
import { needsShell, prepareCall } from '../../permissions/call/prepared-call.ts';
import type { RiskContext } from '../../permissions/classifiers/context.ts';
import { riskOfCall } from '../../permissions/classifiers/risk.ts';
import type { KernelPorts } from '../kernel/authorize-call.ts';

type Risk = Omit<RiskContext, 'repetitionCount'>;

export async function riskOf(call: ToolCall, settings: AgentSettings | undefined, ports: KernelPorts): Promise<Risk> {
  const { policy } = ports;
  const root = settings?.projectRoot ?? '/';
  const context: CallContext = {
    toolName: call.toolName,
    input: call.input,
    mode: 'auto',
    cwd: call.cwd ?? root,
    projectRoot: root,
    home: settings?.home ?? '/',
    tools: policy.tools,
    policy: policy.rules,
    protected: policy.protectedPaths,
  };
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') return { hasSensitiveFiles: false, isDestructive: false, directoryDepth: 0 };
  const shell = needsShell(context, lookup) ? await ports.shell() : undefined;
  return riskOfCall(prepareCall(shell ? { ...context, shell } : context, lookup));
}
