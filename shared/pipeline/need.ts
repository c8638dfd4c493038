/** What a run cannot go on without and only the outside can answer. The answer is kept in the journal under the place that asked (A16). */
import type { AnswerEntry, ClassifierEntry, HookEntry, LevelFacts, Mode, ToolCall } from '../contract/index.ts';

/** Auto mode: a classifier's opinion of one call under one level's rules (D8). */
export interface ClassifierNeed {
  readonly type: 'classifier';
  readonly place: string;
  readonly call: ToolCall;
  readonly level: LevelFacts;
}

/** What a hook of the policy file says about one call (R4-156). */
export interface HookNeed {
  readonly type: 'hook';
  readonly place: string;
  /** Its name in the policy file. */
  readonly hook: string;
  readonly call: ToolCall;
  readonly level: LevelFacts;
  /** Under which the call is judged, if no hook says otherwise. */
  readonly mode: Mode;
}

export type Need = ClassifierNeed | HookNeed;

type Unplaced<Entry extends AnswerEntry> = Omit<Entry, 'place' | 'round' | 'at'>;

/** An entry without its place and time. */
export type NeedAnswer = Unplaced<ClassifierEntry> | Unplaced<HookEntry>;

/** Undefined: it cannot be asked here (A18b). What fails is an answer too, and never one that allows. */
export type AnswerNeed = (need: Need) => Promise<NeedAnswer | undefined>;

/** Where nobody can be asked any more: a person decides, or has decided (D8). */
export const nobodyToAsk: AnswerNeed = async ({ type }) => ({
  type,
  by: 'nobody',
  answer: { state: 'failed', why: `no ${type} is asked here` },
});
