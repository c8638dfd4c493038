/** Remembers answers of the classifier's model by call, while the policy is the same. */
import { actionDigest, auditDigest, canonicalJson, lengthDelimited } from '../../domain/digest.ts';
import { denialKey } from '../../permissions/classifiers/denial-tracker.ts';
import { MIN_CONFIDENCE } from '../../permissions/stages/mode-dispatch.ts';
import type { ModelAnswer, ModelAnswerStore } from '../../ports/stores/model-answers.ts';
import type { KernelPorts } from '../kernel/calls/authorization/authorize-call.ts';
import { resolvedFolder } from '../kernel/calls/authorization/folders.ts';
import type { ClassifierNeed } from '../kernel/state/need.ts';
import type { OutsiderView } from '../redaction/redact-for-outsiders.ts';
import { inputAsJudged } from '../sessions/session-keys.ts';

/** An agent that asks again in the meantime hears the same. */
const REMEMBERED_MS = 60 * 60_000;

interface AnswerMemory {
  read(answers: ModelAnswerStore, now: number): Promise<ModelAnswer | undefined>;
  /** Gives the answer that stands: of two that come at the same time the first. */
  put(answers: ModelAnswerStore, answer: ModelAnswer, now: number): Promise<ModelAnswer>;
}

/**
 * The session is no part of the key, because agents choose it; all else that the model is told of the call is. The call counts as it was
 * proposed: its digest is keyed, so that what is stored confirms no guessed secret.
 */
export function answerMemory(
  { call, cwd, level, mode }: ClassifierNeed,
  { message }: OutsiderView,
  model: string,
  { policy, digestKey, deployment }: KernelPorts & { readonly deployment: string },
): AnswerMemory {
  const folder = resolvedFolder(cwd);
  const keyText = canonicalJson(JSON.parse(JSON.stringify(message)));
  const keyOf = (kind: string, digest: string) =>
    auditDigest(
      lengthDelimited([kind, deployment, policy.version, model, level.agent, mode, folder, keyText, digest]),
      digestKey,
    );
  // As the model is asked about it: a question that differs in a comment, or in the spelling of the folder, is the same question.
  const authorized = { ...call, input: inputAsJudged(call, policy), cwd: folder };
  // An allow is for its own spelling and its own comments only: these are parts of the action, and the model read none of them.
  const exact = keyOf('exact', actionDigest({ ...call, cwd: folder }));
  // Blanks collapsed, comments left out: another spelling is not asked about until the model is sure.
  const alike = keyOf('alike', denialKey(call.toolName, authorized.input));
  return {
    async read(answers, now) {
      const known = await answers.read([exact, alike], now);
      return known.get(exact) ?? known.get(alike);
    },
    async put(answers, answer, now) {
      const until = now + REMEMBERED_MS;
      const first = await answers.remember(exact, answer, now, until);
      const isAllow = !first.shouldBlock && first.confidence >= MIN_CONFIDENCE;
      if (!isAllow) await answers.remember(alike, first, now, until);
      return first;
    },
  };
}
