/** Builds the question about calls: who is asked, the answers, and whether one still fits. */
import type { Policy } from '../../../../config/compile.ts';
import { definitionOf } from '../../../../config/readers/guardrails-of.ts';
import type {
  AskedCall,
  CallsQuestion,
  HumanAnswer,
  HumanChoice,
  Mode,
  Person,
  ToolCallProposal,
} from '../../../../contract/index.ts';
import { lengthDelimited, sha256Hex } from '../../../../domain/digest.ts';
import { cutMarked } from '../../../../domain/redaction/text/marker.ts';
import type { Decided } from '../../../../permissions/model/types.ts';
import { messages } from '../../../model-messages.ts';
import type { Session } from '../../state/session.ts';
import type { AskingAgent } from '../authorization/authorize-call.ts';
import type { CallWithVerdict } from '../authorization/call-with-verdict.ts';
import { highest, severityOf } from '../authorization/severity.ts';
import { askedBy, type PlannedQuestion, planForCall, type QuestionedAgent, samePlan } from './approval-plan.ts';
import { type Effective, questionDigest } from './edits.ts';
import { barredFrom } from './impartial.ts';

/** The facts that are known beside the calls themselves. */
export interface CallResolution {
  readonly session: Session;
  readonly effective: Effective;
  /** The answers that the message offers people: they may only narrow. */
  readonly offered: readonly HumanChoice[] | undefined;
  /** As the message states them. */
  readonly starts?: ToolCallProposal['starts'] | undefined;
  readonly mode?: Mode | undefined;
  readonly idempotencyKey?: string | undefined;
}

type Frozen = Extract<PlannedQuestion, { ok: true }>;

const editorsOf = (edits: Effective['edits']): Person[] =>
  [...edits.values()].flatMap(({ by }) => by.map(({ person }) => person));

/** Builds one question for one group of approvers. A call that needs other approvers, or has none, becomes an error at once. */
export function askedTogether(
  calls: readonly CallWithVerdict[],
  session: Pick<Session, 'agent' | 'settings' | 'requester' | 'lineage'>,
  policy: Policy,
  edits: Effective['edits'],
): { readonly calls: CallWithVerdict[]; readonly asked?: Frozen } {
  const { settings, requester } = session;
  const planOf = ({ call, verdict, asks }: CallWithVerdict) =>
    planForCall(policy, call.toolName, asks ? questionedOf(asks, policy) : [{ settings, rule: verdict.rule }]);
  const asking = calls.filter(({ verdict }) => verdict.verdict === 'ask');
  const plans = new Map(asking.map((call) => [call, planOf(call)]));
  const plan = [...plans.values()].find((one) => one !== undefined);
  const together = asking.filter((call) => {
    const own = plans.get(call);
    return plan && own && (own === plan || samePlan(plan, own));
  });
  const asked = askedBy(
    plan,
    highest(together.map((call) => severityOf(call, policy))),
    settings,
    policy,
    requester,
    editorsOf(edits),
    barredFrom(session, policy),
  );
  const problemOf = (call: CallWithVerdict): readonly [string, string] | undefined => {
    if (call.verdict.verdict !== 'ask') return undefined;
    if (!plans.get(call)) return ['no_approvers', messages.noApprovers()];
    if (!together.includes(call)) return ['mixed_approvers', messages.mixedApprovers()];
    return asked.ok ? undefined : [asked.code, asked.message];
  };
  const resolved = calls.map((call) => {
    const problem = problemOf(call);
    return problem ? { ...call, verdict: unanswerable(call.verdict, ...problem) } : call;
  });
  return { calls: resolved, ...(asked.ok ? { asked: boundTo(together, answerable(together, asked), policy) } : {}) };
}

/** Silence about several calls answers none of them if one needs a person: one card tells what no answer means. */
function answerable(calls: readonly CallWithVerdict[], { onTimeout, ...asked }: Frozen): Frozen {
  const needsPerson = calls.some(({ verdict }) => verdict.needsPerson === true);
  return { ...asked, ...(onTimeout && !needsPerson ? { onTimeout } : {}) };
}

export const questionedOf = (asks: readonly AskingAgent[], { settings }: Policy): QuestionedAgent[] =>
  asks.flatMap(({ agent, rule }) => {
    const own = Object.hasOwn(settings.agents, agent) ? settings.agents[agent] : undefined;
    return own ? [{ settings: own, rule }] : [];
  });

/** Binds the question to the definitions of its MCP tools: votes about an earlier definition do not count. */
function boundTo(calls: readonly CallWithVerdict[], asked: Frozen, { settings }: Policy): Frozen {
  const definitions = calls.flatMap(({ call }) => definitionOf(settings, call.toolName) ?? []);
  if (!definitions.length) return asked;
  return { ...asked, stagesDigest: sha256Hex(lengthDelimited([asked.stagesDigest, ...definitions])) };
}

const unanswerable = (verdict: Decided, code: string, message: string): Decided => ({
  ...verdict,
  verdict: 'error',
  code,
  message,
});

export function questionOf(
  asking: readonly CallWithVerdict[],
  { stages, stagesDigest, onTimeout, editable }: Frozen,
  { session, effective, offered }: CallResolution,
  policy: Policy,
): CallsQuestion {
  const calls = asking.map(
    ({ call, verdict, actionDigest: digest }): AskedCall => ({
      id: call.id,
      toolName: call.toolName,
      actionDigest: digest as string,
      why: cutMarked(verdict.message, 1000),
      ...(verdict.rule
        ? { rule: { id: verdict.rule.id, pattern: verdict.rule.pattern, source: verdict.rule.source } }
        : {}),
      severity: severityOf({ call, verdict }, policy),
      ...(effective.edits.has(call.id) ? { input: call.input as Record<string, unknown> } : {}),
    }),
  );
  return {
    kind: 'calls',
    place: effective.place,
    digest: digestOf(asking, effective.place, session),
    offers: offersOf(asking, offered, policy).filter((choice) => editable || choice !== 'edit'),
    severity: highest(calls.map(({ severity }) => severity)),
    calls,
    stages,
    stagesDigest,
    ...(onTimeout ? { onTimeout } : {}),
  };
}

const EVERY_CALL: readonly HumanChoice[] = ['approve', 'edit', 'reject', 'respond'];

/** The offers of the policy file for every tool, narrowed by the message; one call alone may be edited or answered instead. */
function offersOf(
  asking: readonly CallWithVerdict[],
  offered: readonly HumanChoice[] | undefined,
  policy: Policy,
): HumanChoice[] {
  const allowed = (choice: HumanChoice, { call: { toolName } }: CallWithVerdict) => {
    const tool = Object.hasOwn(policy.settings.tools, toolName) ? policy.settings.tools[toolName] : undefined;
    return tool?.allowedDecisions?.includes(choice) ?? true;
  };
  return EVERY_CALL.filter((choice) => {
    if (choice === 'reject') return true;
    if (asking.length > 1 && choice !== 'approve') return false;
    return (offered?.includes(choice) ?? true) && asking.every((call) => allowed(choice, call));
  });
}

const digestOf = (asking: readonly CallWithVerdict[], place: string, { pid, askedAs }: Session): string =>
  questionDigest(
    askedAs ?? pid,
    place,
    asking.map(({ call, actionDigest: digest }) => ({ id: call.id, actionDigest: digest })),
  );

/** Whether the answer is about exactly what would run now, and from the people who would be asked now. */
export function answerFits(
  answer: HumanAnswer,
  calls: readonly CallWithVerdict[],
  { session, effective }: CallResolution,
  now: Frozen | undefined,
): boolean {
  const asked = calls.filter(({ call }) => answer.calls.includes(call.id));
  if (digestOf(asked, effective.place, session) !== answer.digest) return false;
  const asking = calls.filter(({ verdict }) => verdict.verdict === 'ask');
  if (asking.some(({ call }) => !answer.calls.includes(call.id))) return false;
  return !asking.length || now?.stagesDigest === answer.stagesDigest;
}
