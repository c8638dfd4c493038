/** Authorizes calls of the task agent's tools under the agent's own mode, rules and pause. */
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import type { ToolCallProposal } from '../../contract/proposal.ts';
import { actionDigest } from '../../domain/digest.ts';
import type { Control } from '../../ports/stores/control.ts';
import type { ToolCall as TaskCall } from '../../task-agent/index.ts';
import type { Decides } from '../dependencies.ts';
import { authorizeCall } from '../kernel/calls/authorization/authorize-call.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import { Journal } from '../kernel/state/journal.ts';
import { lineageOf } from '../kernel/state/lineage.ts';
import { modeOf, type Session } from '../kernel/state/session.ts';
import { unseenIn } from '../redaction/redact-proposal.ts';
import { chainReader, type SessionCache } from '../sessions/session-cache.ts';
import { chainOf } from '../sessions/session-chain.ts';

interface TaskAuthorization {
  readonly pid: string;
  readonly agent: string;
  readonly settings: AgentSettings;
  readonly sessionId: string;
  readonly control: Control;
  readonly sessionCache: SessionCache;
  readonly now: number;
}

const callOf = ({ tool_name: toolName, parameters, sequence }: TaskCall) => ({
  id: `call-${sequence}`,
  toolName,
  input: parameters,
});

/** Judges one call. A call that needs an answer from outside is an error: a task agent's tools are a matter of rules. */
export function taskAuthorizer(
  judging: TaskAuthorization,
  deps: Decides,
): (call: TaskCall) => Promise<CallWithVerdict> {
  const { pid, agent, settings, sessionId, control, sessionCache, now } = judging;
  return async (asked) => {
    const call = callOf(asked);
    const proposal: ToolCallProposal = { kind: 'tool-call', proposalId: pid, calls: [call] };
    const requester = deps.policy.person(settings.owner);
    const reader = chainReader(sessionCache, deps, control);
    const lineage = await lineageOf({ agent, sessionId }, reader);
    const unseen = await unseenIn(proposal);
    const chain = await chainOf({ agent, sessionId, requester, lineage, unseen }, proposal, now, reader);
    const session: Session = {
      ...{ pid, agent, settings, sessionId, control, lineage, chain },
      mode: modeOf(chain, settings.mode),
    };
    const authorized = await authorizeCall(
      call,
      0,
      { proposal, session, journal: new Journal([]), added: [], now },
      deps,
    );
    const digest = actionDigest(call);
    if (authorized.kind === 'evaluated') {
      const { verdict, trace, grounds } = authorized;
      return { call, actionDigest: digest, verdict, trace, grounds };
    }
    const verdict = {
      verdict: 'error' as const,
      reason: 'invalid' as const,
      source: 'kernel' as const,
      message: 'No rule decides this call, and nobody is asked about it here.',
    };
    return { call, actionDigest: digest, verdict, trace: [] };
  };
}

/**
 * The yes of whoever asked stands for an approval only where the built-in rule alone asks. A rule of the file, a group of
 * approvers, a high severity or an operator's pause wants somebody else (D34).
 */
export function confirmableBy({ policy }: Pick<Decides, 'policy'>): (call: CallWithVerdict) => boolean {
  return ({ call: { toolName }, verdict: { rule, severity } }) =>
    toolName === 'delete_task' &&
    rule?.source === 'default' &&
    rule.pattern === toolName &&
    severity !== 'high' &&
    severity !== 'critical' &&
    policy.settings.tools[toolName]?.approvers === undefined;
}
