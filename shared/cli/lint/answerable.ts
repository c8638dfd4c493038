/** Finds questions that nobody could answer, by the gate's own plan of an approval. */
import type { Policy } from '../../config/compile.ts';
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import type { Person, Severity } from '../../contract/index.ts';
import { isHighSeverity } from '../../domain/severity.ts';
import { FLOW_TOOL } from '../../permissions/model/tools.ts';
import type { Decided, RuleInput } from '../../permissions/model/types.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import { humanNodes } from '../../policies/question-places.ts';
import {
  type ApprovalPlan,
  askedBy,
  type PlannedQuestion,
  planForCall,
  planForGroup,
  samePlan,
} from '../../use-cases/kernel/calls/question/approval-plan.ts';
import { samplesOf } from './sample-calls.ts';
import { compiled, type Ground, tryCall } from './try-rules.ts';

/** One reason to ask people. */
interface Question {
  /** The rule as it is written, or the key. */
  readonly where: string;
  readonly rule?: RuleInput;
  readonly toolName: string;
  readonly plan: ApprovalPlan | undefined;
  readonly severity: Severity;
}

interface Unanswerable {
  readonly code: 'no_approvers' | 'quorum_unavailable' | 'no_edits';
  readonly where: string;
  readonly rule?: RuleInput | undefined;
  readonly message: string;
}

type Problem = Pick<Unanswerable, 'code' | 'message'> & { readonly where?: string };

export function unanswerable(rules: readonly RuleInput[], ground: Ground): Unanswerable[] {
  const byQuestion = new Map<string, { readonly first: Unanswerable; readonly whose: string[] }>();
  const asking = rules.filter(({ effect, origin }) => effect === 'ask' && origin);
  const all = compiled(rules, ground);
  for (const [agent, settings] of Object.entries(ground.policy.settings.agents)) {
    // A call that would ask is denied there.
    if (settings.unattended || settings.mode === 'dontAsk') continue;
    const own = questionOfAgent(agent, settings, ground.policy);
    const others = [
      ...asking.flatMap((rule) => ofRule(rule, settings, ground)),
      ...ofTools(settings, all, ground),
      ...ofPolicies(settings, ground.policy),
    ].filter((one) => !isSame(own, one));
    for (const question of [own, ...others])
      for (const requester of [settings.owner, ...settings.requesters]) {
        const problem = problemOf(question, settings, requester, ground.policy);
        const whose = requester === settings.owner ? agent : `${agent} in the name of ${requester}`;
        if (problem) note(problem, question, agent, whose);
      }
  }
  const agents = Object.keys(ground.policy.settings.agents);
  return [...byQuestion.values()].map(({ first, whose }) => {
    const isEvery = whose.length > 1 && agents.every((agent) => whose.includes(agent));
    return { ...first, message: `${first.message} (${isEvery ? 'every agent' : whose.join(', ')})` };
  });

  function note(problem: Problem, question: Question, agent: string, whose: string): void {
    const { where = question.where } = problem;
    const rule = problem.where === undefined ? question.rule : undefined;
    const key = JSON.stringify([problem.code, where, rule?.origin?.line]);
    const entry = byQuestion.get(key) ?? { first: { ...problem, where, rule }, whose: [] };
    // A question that nobody can answer in the owner's name has no answer in another's: it is reported once.
    if (!entry.whose.includes(agent) && !entry.whose.includes(whose)) entry.whose.push(whose);
    byQuestion.set(key, entry);
  }
}

/** Calls of which neither a rule nor a tool of the file speaks. */
const questionOfAgent = (agent: string, settings: AgentSettings, policy: Policy): Question => ({
  where: `agents.${agent}`,
  toolName: '',
  plan: planForGroup(policy, settings),
  severity: 'medium',
});

const isSame = (own: Question, { plan, severity }: Question): boolean =>
  severity === own.severity && (plan && own.plan ? samePlan(plan, own.plan) : plan === own.plan);

/** A rule may speak of several tools, each with people and a severity of its own. */
function ofRule(rule: RuleInput, settings: AgentSettings, ground: Ground): Question[] {
  const { policy } = ground;
  const { projectRoot, home } = settings;
  const alone = compiled([rule], ground);
  const [{ parsed, ref } = {}] = alone.rules;
  if (!parsed || !ref) return [];
  const isFlow = parsed.kind !== 'every' && parsed.tool === FLOW_TOOL && !policy.tools.has(FLOW_TOOL);
  const own = samplesOf(parsed, policy.tools, { projectRoot }).own;
  const verdicts = isFlow
    ? [{ toolName: FLOW_TOOL, verdict: { rule: ref, severity: rule.severity } }]
    : own.map((call) => ({
        toolName: call.toolName,
        verdict: tryCall(call, { projectRoot, home }, ground, alone).verdict,
      }));
  return verdicts
    .filter(({ verdict }) => verdict.rule === ref)
    .map(({ toolName, verdict }) => ({
      where: rule.pattern,
      rule,
      ...questionAbout(toolName, verdict, settings, policy),
    }));
}

function questionAbout(
  toolName: string,
  verdict: Pick<Decided, 'rule' | 'severity'>,
  settings: AgentSettings,
  policy: Policy,
): Omit<Question, 'where'> {
  const { tools } = policy.settings;
  const own = Object.hasOwn(tools, toolName) ? tools[toolName]?.severity : undefined;
  const plan = planForCall(policy, toolName, [{ settings, rule: verdict.rule }]);
  return { toolName, plan, severity: verdict.severity ?? own ?? 'medium' };
}

/** Calls of the file's tools that no rule decides. */
function ofTools(settings: AgentSettings, rules: CompiledPolicy, ground: Ground): Question[] {
  const { policy } = ground;
  const { projectRoot, home } = settings;
  return Object.keys(policy.settings.tools).flatMap((name) => {
    const samples = samplesOf({ kind: 'tool', tool: name, wild: false }, policy.tools, { projectRoot });
    const decided = samples.own.every(
      (call) => tryCall(call, { projectRoot, home }, ground, rules).byRules?.verdict !== 'pass',
    );
    return decided ? [] : [{ where: `tools.${name}`, ...questionAbout(name, {}, settings, policy) }];
  });
}

const ofPolicies = (settings: AgentSettings, policy: Policy): Question[] =>
  Object.entries(policy.settings.policies).flatMap(([name, tree]) =>
    settings.policies && !settings.policies.includes(name)
      ? []
      : [...humanNodes(tree).values()].map(({ approvers }) => ({
          where: `policies.${name}`,
          toolName: '',
          plan: planForGroup(policy, settings, approvers),
          severity: 'medium' as const,
        })),
  );

function problemOf(
  question: Question,
  settings: AgentSettings,
  requester: string,
  policy: Policy,
): Problem | undefined {
  const { plan, severity, toolName } = question;
  const person: Person = policy.person(requester);
  const asked: PlannedQuestion = askedBy(plan, severity, settings, policy, person);
  if (!asked.ok) return { code: asked.code, message: WHY[asked.code](severity, plan) };
  if (asked.editable || !toolName) return undefined;
  const { tools } = policy.settings;
  const decisions = Object.hasOwn(tools, toolName) ? tools[toolName]?.allowedDecisions : undefined;
  if (decisions && !decisions.includes('edit')) return undefined;
  return {
    code: 'no_edits',
    // The tool's entry is where that can be changed.
    ...(Object.hasOwn(tools, toolName) ? { where: `tools.${toolName}` } : {}),
    message: `severity ${severity}: whoever edits a call may not approve it, and too few others are left; leave edit out of allowedDecisions`,
  };
}

const groupsOf = (plan: ApprovalPlan | undefined): string =>
  [...new Set(plan?.stages.map(({ group, by }) => (by === 'requester' ? 'the requester' : (group ?? ''))))].join(', ');

const WHY = {
  no_approvers: (_: Severity, plan: ApprovalPlan | undefined): string =>
    plan
      ? `asks ${groupsOf(plan)}, where nobody may answer: an agent's owner and the requester do not approve its calls`
      : 'asks, and the file names nobody: give approvals.approvers a group',
  quorum_unavailable: (severity: Severity, plan: ApprovalPlan | undefined): string =>
    `asks ${groupsOf(plan)}, where too few different people may answer${isHighSeverity(severity) ? `: severity ${severity} takes two` : ''}`,
};
