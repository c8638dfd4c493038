/** Declares the questions of a choice and their answers, which a re-run cannot compute again. */
import * as z from 'zod';
import { type Action, type ActionSpace, type AgentSnapshot, action } from '../contract/action-space.ts';
import { modelResult } from '../contract/journal-entry.ts';
import { digest, LIMITS, place, text } from '../contract/primitives.ts';
import { canonicalJson, sha256Hex } from '../domain/digest.ts';
import {
  ApiError,
  type LlmClient,
  LlmError,
  type LlmErrorKind,
  type Message,
  NetworkError,
  ParseError,
} from '../ports/llm-client.ts';
import { completionOf } from '../ports/read-completion.ts';
import type { TimeoutBehavior } from './approval-channel.ts';

/** Questions of one choice; a run that needs more is refused. */
export const MAX_QUESTIONS = 64;

/** Everything that the person is told, what silence means included: an answer holds for exactly this. */
export interface HumanQuestion {
  readonly type: 'human';
  readonly proposed: Action;
  readonly actionSpace: ActionSpace;
  readonly snapshot: AgentSnapshot;
  readonly timeoutMs: number;
  readonly timeoutBehavior: TimeoutBehavior;
  readonly approvers: string | null;
}

/** A question to a language model. */
export interface ModelQuestion {
  readonly type: 'model';
  readonly client: string | null;
  readonly model: string;
  readonly messages: readonly Message[];
}

/** A question of a policy that waits for an answer: to a person, or to a model. */
export type PolicyQuestion = HumanQuestion | ModelQuestion;

export const digestOfQuestion = (question: PolicyQuestion): string => sha256Hex(canonicalJson(question));

const key = { place, digest: digest.describe('Of the question that was asked.') };
const by = text(300).optional();

const humanAnswer = z.strictObject({
  type: z.literal('human'),
  ...key,
  result: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('approved'), by }),
    z.strictObject({ type: z.literal('rejected'), by, reason: text(1000).optional() }),
    z.strictObject({ type: z.literal('substitute'), action, by }),
    z.strictObject({ type: z.literal('timeout') }),
  ]),
});
export type HumanAnswer = z.infer<typeof humanAnswer>;

const modelAnswer = z.strictObject({ type: z.literal('model'), ...key, result: modelResult });
/** A language model's answer, or the reason that there is none. */
type ModelAnswer = z.infer<typeof modelAnswer>;

export const journalAnswer = z.discriminatedUnion('type', [humanAnswer, modelAnswer]);
/** An answer, with the place of the policy that asked and the digest of its question. */
export type JournalAnswer = z.infer<typeof journalAnswer>;

/** The answers of one choice, in the order in which they were asked for. */
export interface PolicyJournal {
  /** The key of the proposal's decision; together with the place it seeds all randomness. */
  readonly pid: string;
  readonly answers: readonly JournalAnswer[];
}

/** An open question, with the place and the digest that identify it. */
export interface PolicyQuestionAsked<Question extends PolicyQuestion = PolicyQuestion> {
  readonly place: string;
  readonly digest: string;
  readonly question: Question;
}

/** Asks a model once. Every result, failures included, is an answer for the journal. */
export async function askModel(
  client: LlmClient,
  { place, digest, question }: PolicyQuestionAsked<ModelQuestion>,
): Promise<ModelAnswer> {
  const answer = (result: ModelAnswer['result']): ModelAnswer => ({ type: 'model', place, digest, result });
  const failed = (error: LlmErrorKind | 'unexpected', message: string, status?: number) =>
    answer({
      ok: false,
      error,
      message: message.slice(0, 1000).toWellFormed(),
      ...(status === undefined ? {} : { status }),
    });
  try {
    const { text, usage, isCut } = completionOf(await client.complete(question.messages, question.model));
    if (text.length > LIMITS.modelAnswer)
      return failed('parse', `the answer has more than ${LIMITS.modelAnswer} characters`);
    // Half a surrogate pair has no canonical form, and the text becomes part of the next question.
    return answer({ ok: true, text: text.toWellFormed(), usage, ...(isCut ? { isCut } : {}) });
  } catch (error) {
    if (!(error instanceof LlmError)) return failed('unexpected', String(error));
    return failed(error.kind, error.message, error instanceof ApiError ? error.status : undefined);
  }
}

/** Gives a policy the recorded answer, as if the policy had asked the model itself. */
export function replayModel({ result }: ModelAnswer): ReturnType<LlmClient['complete']> {
  if (result.ok) return Promise.resolve({ text: result.text, usage: result.usage, isCut: result.isCut });
  return Promise.reject(errorOf(result));
}

function errorOf({ error, message, status }: Extract<ModelAnswer['result'], { ok: false }>): Error {
  switch (error) {
    case 'network':
      return new NetworkError(message);
    case 'api':
      return new ApiError(status ?? 0, message);
    case 'parse':
      return new ParseError(message);
    case 'unexpected':
      return new Error(message);
    default: {
      const unknown: never = error;
      return new Error(`unknown kind of failure: ${String(unknown)}`);
    }
  }
}
