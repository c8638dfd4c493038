/**
 * Asks the classifier of auto mode: patterns of the policy file first, then its model.
 * A failure or a delay asks a person.
 */
import type { ClassifierEntry, SessionRow } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import { auditDigest } from '../../domain/digest.ts';
import type { ClassifierRequest } from '../../permissions/classifiers/classifier.ts';
import { ClassifierContext } from '../../permissions/classifiers/context.ts';
import { denialKey } from '../../permissions/classifiers/denial-tracker.ts';
import type { ClassifiedByModel } from '../../permissions/classifiers/llm-classifier.ts';
import { RuleClassifier } from '../../permissions/classifiers/rule-classifier.ts';
import { toolOfRules } from '../../permissions/model/entry-checks.ts';
import type { ClassifierResult } from '../../permissions/model/types.ts';
import { MIN_CONFIDENCE } from '../../permissions/stages/mode-dispatch.ts';
import type { BudgetReservation } from '../../ports/stores/guardrail-state.ts';
import type { SetTimer } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { KernelPorts } from '../kernel/calls/authorization/authorize-call.ts';
import { type ClassifierNeed, nobodyAsked } from '../kernel/state/need.ts';
import { type OutsiderView, outsiderViewOf } from '../redaction/redact-for-outsiders.ts';
import type { Redactor } from '../redactor.ts';
import { afterCall, reserveCall } from './model-bounds.ts';
import { answerMemory } from './model-memory.ts';
import type { AskingDependencies } from './question-limits.ts';
import { riskOf } from './risk.ts';

/** A language model with its deadline; only `deliberate` has one. */
export interface Model {
  /** Provider and model, for the record. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly classifier: { classify(request: ClassifierRequest): Promise<ClassifiedByModel> };
  readonly after: SetTimer;
}

type Answered = Pick<ClassifierEntry, 'type' | 'by' | 'answer'>;

export interface ClassifierDependencies extends KernelPorts {
  readonly deployment: string;
  readonly clock: { now(): number };
  readonly redactor: Redactor;
  readonly model?: Model | undefined;
  readonly asking?: AskingDependencies | undefined;
}

/** The proposal of a need, as outsiders are told of it. */
export interface About {
  /** The agent whose calls are counted. */
  readonly agent: string;
  /** With marks in place of secrets, its calls as people edited them. */
  readonly shown: DecidableProposal;
  readonly session: SessionRow;
  /** No question begins after it, in milliseconds. */
  readonly until: number;
}

/** A pattern's answer, or one of a model that is remembered; undefined: a model has to be asked. */
export async function classifyKnown(
  need: ClassifierNeed,
  about: About,
  deps: ClassifierDependencies,
): Promise<Answered | undefined> {
  const patterns = await byPatterns(need, new ClassifierContext(need.level.agent, need.level.sessionId), deps);
  if (!deps.policy.settings.classifier?.model || isSure(patterns)) return answered('patterns', patterns);
  const view = outsiderViewOf(need.call, about.shown);
  if (!view.isJudgeable) return unasked('a secret hides a part of the call');
  if (!deps.model || !deps.asking) return undefined;
  const known = await answerMemory(need, view, deps.model.name, deps).read(deps.asking.answers, deps.clock.now());
  return known && answered(deps.model.name, known);
}

/** Classifies one call. Undefined where a model has to be asked, and there is none here. */
export async function classify(
  need: ClassifierNeed,
  about: About,
  deps: ClassifierDependencies,
): Promise<Answered | undefined> {
  const known = await classifyKnown(need, about, deps);
  if (known) return known;
  const { model, asking } = deps;
  if (!model || !asking) return undefined;
  const now = deps.clock.now();
  if (now >= about.until) return unasked('no time was left to ask a model');
  let reserved: readonly BudgetReservation[] | undefined;
  try {
    reserved = await reserveCall(about.agent, deps.policy, asking);
    if (!reserved) return unasked('the calls to the model that the policy file allows are used up');
    const view = outsiderViewOf(need.call, about.shown);
    const result = await byModel(need, view, about, model, deps);
    // A budget that cannot be written takes no answer back: the reservation ends by itself, and a block stays one.
    const { usage } = result === LATE ? {} : result;
    await afterCall(reserved, usage, deps.policy, asking).catch(() => undefined);
    if (result === LATE) return failed(model.name, 'no answer in time');
    if (!isConfidence(result.confidence)) return failed(model.name, 'the confidence is no number from 0 to 1');
    const { shouldBlock, confidence } = result;
    const answer = {
      shouldBlock,
      confidence,
      reason: (await deps.redactor.text(result.reason)).slice(0, 1000).toWellFormed(),
    };
    const stands = answerMemory(need, view, model.name, deps).put(asking.answers, answer, deps.clock.now());
    // An allow has to be the first answer about its call. A block that cannot be remembered stays one.
    return answered(model.name, answer.shouldBlock ? await stands.catch(() => answer) : await stands);
  } catch (error) {
    if (reserved) await afterCall(reserved, undefined, deps.policy, asking).catch(() => undefined);
    return failed(model.name, error instanceof Error ? error.name.slice(0, 100) : 'an error');
  }
}

/** For `check` and `explain`: what a model would say is not known there, so that a person is asked. */
export async function patternsOnly(need: ClassifierNeed, ports: KernelPorts): Promise<Answered> {
  const { agent, sessionId } = need.level;
  return answered('patterns', await byPatterns(need, new ClassifierContext(agent, sessionId), ports));
}

const isSure = ({ confidence }: ClassifierResult): boolean => confidence >= MIN_CONFIDENCE && confidence <= 1;
const isConfidence = (confidence: number): boolean => confidence >= 0 && confidence <= 1;

const answered = (by: string, { shouldBlock, reason, confidence }: ClassifierResult): Answered => ({
  type: 'classifier',
  by,
  answer: { state: 'answered', shouldBlock, reason, confidence },
});

const failed = (by: string, why: string): Answered => ({ type: 'classifier', by, answer: { state: 'failed', why } });
const unasked = (why: string): Answered => nobodyAsked({ type: 'classifier' }, why);

async function byPatterns(
  { call, cwd, level }: ClassifierNeed,
  context: ClassifierContext,
  { policy, shell }: KernelPorts,
): Promise<ClassifierResult> {
  const settings = policy.settings.agents[level.agent];
  const { allow, deny } = policy.settings.classifier ?? {};
  const classifier = new RuleClassifier({
    ...(allow ? { allow } : {}),
    ...(deny ? { deny } : {}),
    tools: policy.tools.list().map(toolOfRules),
    cwd,
    projectRoot: settings?.projectRoot,
    home: settings?.home,
    shell,
  });
  return classifier.classify({ toolName: call.toolName, input: call.input, cwd, context });
}

/** The model is told of the call as it is shown to people: without secrets, with its folder and its message. */
async function byModel(
  need: ClassifierNeed,
  { call, message }: OutsiderView,
  about: About,
  model: Model,
  deps: ClassifierDependencies,
): Promise<ClassifiedByModel | typeof LATE> {
  const { policy } = deps;
  const lookup = policy.tools.lookup(call.toolName);
  const request: ClassifierRequest = {
    toolName: call.toolName,
    input: call.input,
    cwd: call.cwd ?? need.cwd,
    comments: lookup.kind === 'refused' ? [] : (lookup.entry.comments ?? []),
    isRedacted: true,
    context: (await contextOf(need, about.session, deps)).withMessage({ ...message, mode: need.mode }),
  };
  const time = Math.min(model.timeoutMs, about.until - deps.clock.now());
  return withTimeout(time, model.after, (signal) => model.classifier.classify({ ...request, signal }));
}

/** Facts from the stores: the session's recent calls, how often this one was among them, the files it names. */
async function contextOf(
  { call, cwd, level }: ClassifierNeed,
  session: SessionRow,
  deps: KernelPorts,
): Promise<ClassifierContext> {
  const settings = deps.policy.settings.agents[level.agent];
  const key = auditDigest(denialKey(call.toolName, call.input), deps.digestKey);
  const { allow, deny } = deps.policy.settings.classifier ?? { allow: [], deny: [] };
  const files = [...new Set(session.recent.toReversed().flatMap((recent) => recent.files))];
  const repetitionCount = session.recent.filter((recent) => recent.key === key).length;
  const bare = new ClassifierContext(level.agent, level.sessionId);
  const context = settings?.projectType === undefined ? bare : bare.withProjectType(settings.projectType);
  return context
    .withWorkspacePath(settings?.projectRoot ?? '/')
    .withRecentFiles(files)
    .withRules(allow, deny)
    .withRiskContext({ ...(await riskOf({ ...call, cwd }, settings, deps)), repetitionCount });
}
