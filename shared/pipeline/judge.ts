/** One call through the permission pipeline, under the session's mode and whatever the message adds to tighten it (A3). */
import type { Policy } from '../config/compile.ts';
import type { Mode, ToolCall, ToolCallProposal } from '../contract/index.ts';
import { evaluateCall } from '../permissions/evaluate.ts';
import type {
  CallContext,
  CompiledPolicy,
  Decided,
  SessionFacts,
  ShellParser,
  TraceEntry,
} from '../permissions/types.ts';
import { pauseFor, type Session } from './session.ts';

export interface KernelPorts {
  readonly policy: Policy;
  /** Loaded once per process, and only for a call that holds a shell command. */
  shell(): Promise<ShellParser>;
}

export interface Judgement {
  readonly verdict: Decided;
  readonly trace: readonly TraceEntry[];
}

const STRENGTH = { allow: 0, ask: 1, deny: 2, error: 3 } as const;

/** The stronger of two judgements; the first of equals (D1). */
export const stronger = (a: Judgement, b: Judgement): Judgement =>
  STRENGTH[b.verdict.verdict] > STRENGTH[a.verdict.verdict] ? b : a;

/**
 * Judges `call` at time `now`. A mode in the message counts only where it makes the verdict stronger: the call is judged under
 * both. Never throws: whatever goes wrong is `error` (G9).
 */
export async function judge(
  call: ToolCall,
  proposal: ToolCallProposal,
  session: Session,
  added: CompiledPolicy | undefined,
  now: number,
  ports: KernelPorts,
): Promise<Judgement> {
  try {
    const own = await judgeUnder(session.mode, call, session, added, now, ports);
    if (proposal.mode === undefined || proposal.mode === session.mode || proposal.mode === 'bypass') return own;
    return stronger(own, await judgeUnder(proposal.mode, call, session, added, now, ports));
  } catch {
    return { verdict: failed('the gate could not evaluate this call'), trace: [] };
  }
}

const failed = (message: string): Decided => ({
  verdict: 'error',
  reason: 'invalid',
  source: 'kernel',
  code: 'evaluation_failed',
  message,
});

async function judgeUnder(
  mode: Mode,
  call: ToolCall,
  session: Session,
  added: CompiledPolicy | undefined,
  now: number,
  { policy, shell }: KernelPorts,
): Promise<Judgement> {
  const pause = pauseFor(session.control, session.agent, call.toolName, now);
  const context: CallContext = {
    toolName: call.toolName,
    input: call.input,
    mode,
    cwd: call.cwd ?? session.settings.projectRoot,
    projectRoot: session.settings.projectRoot,
    home: session.settings.home,
    tools: policy.tools,
    policy: policy.rules,
    ...(added ? { sessionRules: added } : {}),
    bypass: policy.settings.bypass,
    protected: policy.protectedPaths,
    managedRulesOnly: policy.settings.managedRulesOnly,
    workspaceTrusted: policy.settings.workspaceTrusted,
    unattended: session.settings.unattended,
    ...(pause ? { pause } : {}),
  };
  const facts: SessionFacts = { now, classifier: { state: 'none' }, parent: { state: 'none' } };
  const first = evaluateCall(context, facts);
  if (first.kind === 'decided') return first;
  if (first.need.type !== 'shell-parser') return { verdict: failed('an answer is missing'), trace: first.trace };
  const second = evaluateCall({ ...context, shell: await shell() }, facts);
  return second.kind === 'decided' ? second : { verdict: failed('an answer is missing'), trace: second.trace };
}
