/** Tells how severe a call is: its rule's word, else its tool's, else medium. */
import type { Policy } from '../../../../config/compile.ts';
import type { Severity } from '../../../../contract/index.ts';
import { SEVERITIES } from '../../../../domain/severity.ts';
import type { CallWithVerdict } from './call-with-verdict.ts';

export function severityOf({ call, verdict }: Pick<CallWithVerdict, 'call' | 'verdict'>, policy: Policy): Severity {
  const { tools } = policy.settings;
  const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
  return verdict.severity ?? tool?.severity ?? 'medium';
}

export const highest = (severities: readonly Severity[]): Severity =>
  severities.toSorted((a, b) => SEVERITIES.indexOf(b) - SEVERITIES.indexOf(a))[0] ?? 'medium';
