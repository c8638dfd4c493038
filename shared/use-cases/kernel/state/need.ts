/**
 * Declares needs: questions that only the outside can answer, and that a run cannot go on without.
 *
 * The answer is kept in the journal under the path that asked.
 */
import type {
  AnswerEntry,
  ClassifierEntry,
  HookEntry,
  LevelFacts,
  Mode,
  ModelEntry,
  ToolCall,
} from '../../../contract/index.ts';
import type { ModelQuestion } from '../../../policies/journal.ts';

/** Auto mode: a classifier's opinion of one call under one level's rules. */
export interface ClassifierNeed {
  readonly type: 'classifier';
  readonly place: string;
  readonly call: ToolCall;
  /** Where the call runs: the folder that it states, or the project root of its own agent. */
  readonly cwd: string;
  readonly level: LevelFacts;
  /** Under which the call is judged. */
  readonly mode: Mode;
}

/** A hook of the policy file that has to speak about one call. */
export interface HookNeed {
  readonly type: 'hook';
  readonly place: string;
  /** The hook's name in the policy file. */
  readonly hook: string;
  readonly call: ToolCall;
  /** Where the call runs. */
  readonly cwd: string;
  readonly level: LevelFacts;
  /** Under which the call is judged, if no hook says otherwise. */
  readonly mode: Mode;
}

/** An agent policy: one call of a language model. Asked where the run stands, it is answered once and for all. */
export interface ModelNeed {
  readonly type: 'model';
  readonly place: string;
  /** How many questions of the run were answered before. */
  readonly ordinal: number;
  readonly digest: string;
  readonly question: ModelQuestion;
}

export type Need = ClassifierNeed | HookNeed | ModelNeed;

type Unplaced<Entry extends AnswerEntry> = Omit<Entry, 'place' | 'round' | 'at'>;

/** An entry without its place and time. */
export type NeedAnswer = Unplaced<ClassifierEntry> | Unplaced<HookEntry> | Unplaced<ModelEntry>;

/** Answers a need, or returns undefined if it cannot be asked here. A failure is an answer too, and never one that allows. */
export type AnswerNeed = (need: Need) => Promise<NeedAnswer | undefined>;

/** Stands in the record in place of an answerer. */
export const NOBODY = 'nobody';

/** Stands for an answer that nobody was asked for: a person decides instead of a classifier, or has decided. */
export const nobodyAsked = <Type extends 'classifier' | 'hook'>(
  { type }: { readonly type: Type },
  why = `no ${type} is asked here`,
) => ({ type, by: NOBODY, answer: { state: 'failed' as const, why } });
