/** Reads the risk of a call under the deployment's policy. */
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import type { ToolCall } from '../../contract/index.ts';
import type { RiskContext } from '../../permissions/classifiers/context.ts';
import { riskOfCall } from '../../permissions/classifiers/risk.ts';
import { analysedCall } from '../kernel/calls/authorization/analysed-call.ts';
import type { KernelPorts } from '../kernel/calls/authorization/authorize-call.ts';

type Risk = Omit<RiskContext, 'repetitionCount'>;

export async function riskOf(call: ToolCall, settings: AgentSettings | undefined, ports: KernelPorts): Promise<Risk> {
  const { policy } = ports;
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') return { hasSensitiveFiles: false, isDestructive: false, directoryDepth: 0 };
  const folders = { projectRoot: settings?.projectRoot ?? '/', home: settings?.home ?? '/' };
  return riskOfCall(await analysedCall(call, 'auto', call.cwd ?? folders.projectRoot, folders, lookup, ports));
}
