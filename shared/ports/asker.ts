/** Declares the one port to ask a person: questions, answers, and the function that carries them. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { ApprovalScope } from './human-loop.ts';

/** May this tool run with this input? */
export interface CallQuestion {
  readonly kind: 'call';
  /** Tells questions that wait at the same time apart. */
  readonly id: string;
  /** One line that tells the person what the question is about. */
  readonly title: string;
  readonly tool: string;
  /** The arguments, as JSON. */
  readonly input: unknown;
  /** Why somebody has to answer, such as the reason of the rule that asks. */
  readonly reason?: string | undefined;
  /** The scopes that an approval may state. Without them an approval holds for this call. */
  readonly offers?: readonly ApprovalScope[] | undefined;
}

/** Which action of a space may run? A policy proposes one of them. */
export interface ChoiceQuestion {
  readonly kind: 'choice';
  /** Tells questions that wait at the same time apart. */
  readonly id: string;
  /** One line that tells the person what the question is about. */
  readonly title: string;
  readonly proposed: Action;
  /** All actions that the person may choose. */
  readonly actionSpace: ActionSpace;
  /** The facts at the time of the question. */
  readonly snapshot: AgentSnapshot;
}

/** A question that the person answers with a text. */
export interface TextQuestion {
  readonly kind: 'text';
  /** Tells questions that wait at the same time apart. */
  readonly id: string;
  /** One line that tells the person what the question is about. */
  readonly title: string;
}

/** A question to a person. `kind` tells which answers fit: an answer of another type than the question's counts as a refusal. */
export type Question = CallQuestion | ChoiceQuestion | TextQuestion;

/**
 * A person's answer. `by` is the person as the asker knows them. `input` of an approval takes the place of the proposed input. `index` is the
 * place of the chosen action in the space. `silent` means that nobody answered in time: it is neither an approval nor a refusal.
 */
export type Answer =
  | {
      readonly type: 'approved';
      readonly by?: string | undefined;
      readonly input?: unknown;
      readonly scope?: ApprovalScope | undefined;
    }
  | { readonly type: 'rejected'; readonly by?: string | undefined; readonly reason?: string | undefined }
  | { readonly type: 'chose'; readonly index: number; readonly by?: string | undefined }
  | { readonly type: 'text'; readonly text: string; readonly by?: string | undefined }
  | { readonly type: 'silent' };

/**
 * Asks a person one question. An asker that throws has approved nothing: callers take an error for a refusal. The signal aborts when nobody waits
 * for the answer any more: then the asker lets go of its prompt, request or card.
 *
 * @example
 * const careful: Asker = async (question) =>
 *   question.kind === 'call' && question.tool === 'Read' ? { type: 'approved', by: 'a rule' } : { type: 'rejected' };
 */
export type Asker = (question: Question, options: { readonly signal: AbortSignal }) => Promise<Answer>;

/**
 * Asks a person about a call: every `Asker` does.
 *
 * @example
 * const ask: CallAsker = async ({ tool }) => (tool === 'Read' ? { type: 'approved', by: 'a rule' } : { type: 'rejected' });
 * console.log(await new PermissionService({ ask }).decide('Read', { file_path: 'README.md' }));
 */
export type CallAsker = (question: CallQuestion, options: { readonly signal: AbortSignal }) => Promise<Answer>;
