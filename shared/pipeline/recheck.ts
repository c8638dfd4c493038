/**
 * What is looked at again between an approval and the run (A19, G25): protected paths, deny rules, the emergency brake. Modes, asks and
 * classifiers have had their say.
 */
import { compileSessionRules } from '../config/compile.ts';
import type { ToolCall } from '../contract/index.ts';
import type { Mode } from '../contract/primitives.ts';
import { ruleHolds } from '../domain/session.ts';
import { evaluateCall } from '../permissions/evaluate.ts';
import type { CallContext, SessionFacts } from '../permissions/types.ts';
import type { Control } from '../ports/control.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { KernelPorts } from './judge.ts';
import { pauseFor } from './session.ts';

export interface Approved {
  readonly agent: string;
  readonly sessionId: string;
  /** In which it was approved: where bypass overrules rules (D2), it does so here, too. */
  readonly mode: Mode | undefined;
  readonly byPeople: boolean;
}

export interface Objection {
  readonly code: 'paused' | 'policy_changed';
  readonly message: string;
}

/** Why an approved call may not run after all. Whatever goes wrong is an objection (G9). */
export async function recheck(
  call: Omit<ToolCall, 'id'>,
  approved: Approved,
  control: Control,
  now: number,
  ports: Pick<KernelPorts, 'policy' | 'shell'> & { readonly sessions: SessionStore },
): Promise<Objection | undefined> {
  const { policy } = ports;
  const settings = policy.settings.agents[approved.agent];
  if (!settings) return { code: 'policy_changed', message: 'The policy no longer lists this agent.' };
  const pause = pauseFor(control, approved.agent, call.toolName, now);
  if (pause?.effect === 'ask' && !approved.byPeople)
    return { code: 'paused', message: 'An operator wants a person asked. Propose the call again under a new id.' };
  const row = await ports.sessions.read(approved.agent, approved.sessionId);
  const rules = (row?.rules ?? []).filter((rule) => ruleHolds(rule, now));
  const sessionRules = compileSessionRules(rules, [], policy);
  const context: CallContext = {
    toolName: call.toolName,
    input: call.input,
    mode: approved.mode === 'bypass' ? 'bypass' : 'default',
    cwd: call.cwd ?? settings.projectRoot,
    projectRoot: settings.projectRoot,
    home: settings.home,
    tools: policy.tools,
    policy: policy.rules,
    ...(sessionRules ? { sessionRules } : {}),
    bypass: policy.settings.bypass,
    protected: policy.protectedPaths,
    managedRulesOnly: policy.settings.managedRulesOnly,
    workspaceTrusted: policy.settings.workspaceTrusted,
    ...(pause ? { pause } : {}),
  };
  const facts: SessionFacts = { now, classifier: { state: 'none' }, hook: { decision: 'pass' } };
  let evaluation = evaluateCall(context, facts);
  if (evaluation.kind === 'needs' && evaluation.need.type === 'shell-parser')
    evaluation = evaluateCall({ ...context, shell: await ports.shell() }, facts);
  if (evaluation.kind === 'needs') return { code: 'policy_changed', message: 'The call could not be checked again.' };
  const { verdict, message, code } = evaluation.verdict;
  if (verdict === 'allow' || verdict === 'ask') return undefined;
  return { code: code === 'paused' ? 'paused' : 'policy_changed', message };
}
