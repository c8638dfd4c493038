/**
 * Makes the keys under which a session remembers a call.
 * All are keyed digests: what is stored confirms no guessed input.
 */
import type { Policy } from '../../config/compile.ts';
import type { Mode, ToolCall, ToolCallProposal } from '../../contract/index.ts';
import { auditDigest, canonicalJson, lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import { denialKey } from '../../permissions/classifiers/denial-tracker.ts';
import { withoutComments } from '../../permissions/classifiers/shown-call.ts';
import { argsDigest, type GrantBinding, grantKey } from '../../permissions/service/grants.ts';
import { type RunsIn, resolvedFolder } from '../kernel/calls/authorization/folders.ts';
import { askedBy, planForCall } from '../kernel/calls/question/approval-plan.ts';
import { ancestorsOf } from '../kernel/state/lineage.ts';

export interface KeyMaker {
  readonly deployment: string;
  readonly policy: Policy;
  readonly digestKey: Uint8Array;
}

export interface CallKeys {
  /** A grant for exactly these arguments, and one for all arguments of the tool. */
  readonly exact: string;
  readonly allArguments: string;
  /** The call to a person who refused it: blanks collapsed, in its folder, whatever it starts. */
  readonly refused: string;
  /** The call to the denial tracker: blanks collapsed. */
  readonly repeated: string;
}

type Starts = ToolCallProposal['starts'];

interface Where {
  readonly agent: string;
  readonly sessionId: string;
  readonly mode: Mode;
  /** The mode of every session of the agent, if an operator set one besides. */
  readonly agentMode?: Mode | undefined;
  /** Where the call runs, whoever else is asked about it. */
  readonly in: RunsIn;
}

/** The input without the fields that the tool's entry names as the agent's own comments. */
export function inputAsJudged({ toolName, input }: Pick<ToolCall, 'toolName' | 'input'>, { tools }: Policy): unknown {
  const lookup = tools.lookup(toolName);
  return withoutComments(input, lookup.kind === 'refused' ? [] : (lookup.entry.comments ?? [])).shown;
}

/** Undefined for what has no JSON form: nothing is remembered of it, and it is judged as invalid anyway. */
export function callKeys(call: ToolCall, starts: Starts, where: Where, maker: KeyMaker): CallKeys | undefined {
  const keyed = (digest: string) => auditDigest(digest, maker.digestKey);
  // A person who approved a call that starts nothing has not seen one that does.
  const granted = (key: string) => keyed(starts ? lengthDelimited([key, starts.agentId, starts.sessionId]) : key);
  try {
    const binding = bindingOf(call, where, maker);
    const repeated = denialKey(call.toolName, call.input);
    // Another comment on the same call makes no other call of it: a person's no stands.
    const authorized = denialKey(call.toolName, inputAsJudged(call, maker.policy));
    return {
      exact: granted(grantKey(binding, call.toolName, argsDigest(call.input))),
      allArguments: granted(grantKey(binding, call.toolName, null)),
      refused: keyed(lengthDelimited(['refused', authorized, resolvedFolder(where.in.folder)])),
      repeated: keyed(repeated),
    };
  } catch {
    return undefined;
  }
}

/**
 * Binds a grant to the tool's entry and to the people who would be asked (A17): it ends when one of them changes. A grant answers only calls that no
 * rule matches, so that there is no rule to bind it to.
 */
function bindingOf(
  call: ToolCall,
  { agent, sessionId, mode, agentMode, in: { folder, home } }: Where,
  { deployment, policy }: KeyMaker,
): GrantBinding {
  if (!Object.hasOwn(policy.settings.agents, agent)) throw new Error('the agent has no settings');
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') throw new Error('the tool has no entry');
  const severity = lookup.entry?.severity ?? 'medium';
  // Agents above may be asked as well: who is asked there is a part of what people have answered.
  const asked = [agent, ...ancestorsOf([agent], policy)].flatMap((name) => {
    const one = Object.hasOwn(policy.settings.agents, name) ? policy.settings.agents[name] : undefined;
    const stages = one && askedBy(planForCall(policy, call.toolName, [{ settings: one }]), severity, one, policy);
    return stages?.ok ? [name, stages.stagesDigest] : [name, 'none'];
  });
  return {
    tenant: deployment,
    session: sessionId,
    agent,
    cwd: folder,
    env: { home },
    mode: agentMode === undefined ? mode : `${mode}+${agentMode}`,
    policyVersion: '',
    digests: {
      rule: 'none',
      tool: toolDigest(lookup),
      stages: sha256Hex(lengthDelimited(asked)),
    },
  };
}

type KnownTool = Exclude<ReturnType<Policy['tools']['lookup']>, { readonly kind: 'refused' }>;

/** Digests by entry of a policy file, which lasts as long as the policy. */
const toolDigests = new WeakMap<object, string>();

/** The digest of a tool's entry, which names the definition of an MCP tool. */
function toolDigest({ kind, entry }: KnownTool): string {
  const digest = toolDigests.get(entry) ?? sha256Hex(canonicalJson(JSON.parse(JSON.stringify([kind, entry]))));
  toolDigests.set(entry, digest);
  return digest;
}
