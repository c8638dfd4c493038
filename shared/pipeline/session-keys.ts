/** Under which keys a session remembers a call. All are keyed digests: what is stored confirms no guessed input (D21, D22, D24). */
import type { Policy } from '../config/compile.ts';
import type { Mode, ToolCall } from '../contract/index.ts';
import { actionDigest, auditDigest, canonicalJson, sha256Hex } from '../domain/digest.ts';
import { denialKey } from '../permissions/denial-tracker.ts';
import { argsDigest, type GrantBinding, grantKey } from '../permissions/grants.ts';
import { askedBy, planForCall } from './stages.ts';

export interface KeyMaker {
  readonly deployment: string;
  readonly policy: Policy;
  readonly digestKey: Uint8Array;
}

export interface CallKeys {
  /** A grant for exactly these arguments, and one for all arguments of the tool. */
  readonly exact: string;
  readonly allArguments: string;
  /** The action as a person saw it (D11). */
  readonly action: string;
  /** The call to the denial tracker: blanks collapsed. */
  readonly repeated: string;
}

interface Where {
  readonly agent: string;
  readonly sessionId: string;
  readonly mode: Mode;
  /** Where a call runs that states no folder: in the project of its own agent, whoever else is asked about it. */
  readonly projectRoot: string;
}

/** Undefined for what has no JSON form: nothing is remembered of it, and it is judged as invalid anyway. */
export function callKeys(call: ToolCall, where: Where, maker: KeyMaker): CallKeys | undefined {
  const keyed = (digest: string) => auditDigest(digest, maker.digestKey);
  try {
    const binding = bindingOf(call, where, maker);
    return {
      exact: keyed(grantKey(binding, call.toolName, argsDigest(call.input))),
      allArguments: keyed(grantKey(binding, call.toolName, null)),
      action: keyed(actionDigest(call)),
      repeated: keyed(denialKey(call.toolName, call.input)),
    };
  } catch {
    return undefined;
  }
}

/**
 * A17: a grant holds as long as the tool's entry and those who would be asked stay the same. It answers only calls that no rule matches
 * (D11), so that there is no rule to bind it to.
 */
function bindingOf(
  call: ToolCall,
  { agent, sessionId, mode, projectRoot }: Where,
  { deployment, policy }: KeyMaker,
): GrantBinding {
  const settings = policy.settings.agents[agent];
  if (!settings) throw new Error('the agent has no settings');
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') throw new Error('the tool has no entry');
  const severity = lookup.entry?.severity ?? 'medium';
  const asked = askedBy(planForCall(policy, settings, call.toolName, {}), severity, settings, policy);
  // Of an MCP tool its entry names the definition (D22).
  const tool = [lookup.kind, lookup.entry];
  return {
    tenant: deployment,
    session: sessionId,
    agent,
    cwd: call.cwd ?? projectRoot,
    mode,
    policyVersion: '',
    digests: {
      rule: 'none',
      tool: sha256Hex(canonicalJson(JSON.parse(JSON.stringify(tool)))),
      stages: asked.ok ? asked.stagesDigest : 'none',
    },
  };
}
