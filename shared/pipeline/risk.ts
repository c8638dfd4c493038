/** What is plain to see of a call's risk, for a classifier (R4-111). It decides nothing. */
import type { AgentSettings } from '../config/schema.ts';
import type { ToolCall } from '../contract/index.ts';
import type { RiskContext } from '../permissions/classifiers/context.ts';
import { needsShell, prepareCall } from '../permissions/prepare.ts';
import type { CallContext } from '../permissions/types.ts';
import type { KernelPorts } from './judge.ts';

/** Parts of names that people give to what should not be read by others. */
const SENSITIVE = [
  'secret',
  'credential',
  'password',
  'passwd',
  'token',
  'private',
  '.pem',
  '.key',
  'id_rsa',
  'id_ed25519',
];
const DESTRUCTIVE: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred truncate dd mkfs fdisk wipefs kill pkill killall shutdown reboot drop dropdb'.split(' '),
);

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
  const prepared = prepareCall(shell ? { ...context, shell } : context, lookup);
  const paths = prepared.paths.flatMap(({ path }) => path.folded);
  const rootDepth = root.split('/').filter(Boolean).length;
  const commands = [...(prepared.shell?.commands ?? []), ...(prepared.shell?.derived ?? [])];
  return {
    hasSensitiveFiles: paths.some((segments) => segments.some((name) => SENSITIVE.some((part) => name.includes(part)))),
    isDestructive: commands.some(({ joined }) => DESTRUCTIVE.has(joined.split(' ')[0]?.split('/').at(-1) ?? '')),
    directoryDepth: Math.max(0, ...paths.map((segments) => segments.length - rootDepth - 1)),
  };
}
