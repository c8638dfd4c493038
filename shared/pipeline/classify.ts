/** Asks the classifier of auto mode: the policy file's patterns first, then its model. What fails or takes too long asks a person (D8). */
import type { ClassifierEntry, SessionRow } from '../contract/index.ts';
import { auditDigest } from '../domain/digest.ts';
import type { PermissionClassifier } from '../permissions/classifiers/classifier.ts';
import { ClassifierContext } from '../permissions/classifiers/context.ts';
import { RuleClassifier } from '../permissions/classifiers/rule-classifier.ts';
import { denialKey } from '../permissions/denial-tracker.ts';
import { MIN_CONFIDENCE } from '../permissions/stages/mode-dispatch.ts';
import type { ClassifierResult } from '../permissions/types.ts';
import type { KernelPorts } from './judge.ts';
import type { ClassifierNeed } from './need.ts';
import { riskOf } from './risk.ts';
import { type After, within } from './within.ts';

/** A language model with its deadline; only `deliberate` has one (A18b). */
export interface Model {
  /** Provider and model, for the record. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly classifier: PermissionClassifier;
  readonly after: After;
}

type Answered = Pick<ClassifierEntry, 'type' | 'by' | 'answer'>;

/** Undefined: a model has to be asked, and there is none here. */
export async function classify(
  need: ClassifierNeed,
  session: SessionRow,
  gate: KernelPorts & { readonly digestKey: Uint8Array; readonly model?: Model | undefined },
): Promise<Answered | undefined> {
  const context = await contextOf(need, session, gate);
  const patterns = await byPatterns(need, context, gate);
  if (!gate.policy.settings.classifier?.model || isSure(patterns)) return answered('patterns', patterns);
  return gate.model && byModel(need, context, gate.model);
}

/** For `check` and `explain`: what a model would say is not known there, so that a person is asked. */
export async function patternsOnly(need: ClassifierNeed, ports: KernelPorts): Promise<Answered> {
  const { agent, sessionId } = need.level;
  return answered('patterns', await byPatterns(need, new ClassifierContext(agent, sessionId), ports));
}

const isSure = ({ confidence }: ClassifierResult): boolean => confidence >= MIN_CONFIDENCE && confidence <= 1;

function answered(by: string, { shouldBlock, reason, confidence }: ClassifierResult): Answered {
  if (!(confidence >= 0 && confidence <= 1)) return failed(by, 'the confidence is no number from 0 to 1');
  return {
    type: 'classifier',
    by,
    answer: { state: 'answered', shouldBlock, reason: reason.slice(0, 1000), confidence },
  };
}

const failed = (by: string, why: string): Answered => ({ type: 'classifier', by, answer: { state: 'failed', why } });

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
    tools: policy.tools,
    cwd,
    projectRoot: settings?.projectRoot,
    home: settings?.home,
    shell,
  });
  return classifier.classify({ toolName: call.toolName, input: call.input, cwd, context });
}

async function byModel({ call, cwd }: ClassifierNeed, context: ClassifierContext, model: Model): Promise<Answered> {
  const request = { toolName: call.toolName, input: call.input, cwd, context };
  try {
    const result = await within(model.timeoutMs, model.after, (signal) =>
      model.classifier.classify({ ...request, signal }),
    );
    return result === 'late' ? failed(model.name, 'no answer in time') : answered(model.name, result);
  } catch (error) {
    return failed(model.name, error instanceof Error ? error.name.slice(0, 100) : 'an error');
  }
}

/** What really happened: the session's recent calls, how often this one was among them, the files it names (R4-110 … R4-112). */
async function contextOf(
  { call, cwd, level }: ClassifierNeed,
  session: SessionRow,
  gate: KernelPorts & { readonly digestKey: Uint8Array },
): Promise<ClassifierContext> {
  const settings = gate.policy.settings.agents[level.agent];
  const key = auditDigest(denialKey(call.toolName, call.input), gate.digestKey);
  const { allow, deny } = gate.policy.settings.classifier ?? { allow: [], deny: [] };
  const files = [...new Set(session.recent.toReversed().flatMap((recent) => recent.files))];
  const repetitionCount = session.recent.filter((recent) => recent.key === key).length;
  return new ClassifierContext(level.agent, level.sessionId)
    .withWorkspacePath(settings?.projectRoot ?? '/')
    .withRecentFiles(files)
    .withRules(allow, deny)
    .withRiskContext({ ...(await riskOf({ ...call, cwd }, settings, gate)), repetitionCount });
}
