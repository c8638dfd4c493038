/** Names what allowed a call, for its permit, and reads answers of classifiers and hooks from it. */
import type { AgentFolders, AllowedBy, AnswerEntry, Mode, Person, Voter } from '../../../../contract/index.ts';
import { MIN_CONFIDENCE } from '../../../../permissions/stages/mode-dispatch.ts';
import { Journal } from '../../state/journal.ts';
import type { Grounds } from './authorize-call.ts';

type RecordedAnswer = NonNullable<AllowedBy['answers']>[number];

/** The answers of classifiers and hooks about the call that stands at `slot` of the run. */
export function answersAt(slot: string, { answers }: Journal): RecordedAnswer[] {
  return answers.flatMap((entry): RecordedAnswer[] => {
    const prefix = `${entry.type}.${slot}.`;
    if (entry.type === 'model' || !entry.place.startsWith(prefix) || entry.answer.state === 'failed') return [];
    const at = entry.place.slice(prefix.length);
    if (entry.type === 'hook') {
      const { decision, mode } = entry.answer;
      return [{ type: 'hook', at, decision, ...(mode ? { mode } : {}) }];
    }
    const { shouldBlock, confidence } = entry.answer;
    const allows = !shouldBlock && confidence >= MIN_CONFIDENCE;
    return [{ type: 'classifier', at, decision: allows ? 'allow' : 'ask' }];
  });
}

/** A journal in which the call stands at `slot`, and what answered about it then has answered now. */
export function journalOf({ answers = [] }: AllowedBy, slot: string, now: number): Journal {
  const at = new Date(now).toISOString();
  const entries = answers.flatMap(({ type, at: rest, decision, mode }): AnswerEntry[] => {
    const entry = { place: `${type}.${slot}.${rest}`, round: 0, at, by: 'the permit' } as const;
    if (type === 'hook')
      return [{ type, ...entry, answer: { state: 'answered', decision, ...(mode ? { mode } : {}) } }];
    if (decision !== 'allow') return [];
    return [{ type, ...entry, answer: { state: 'answered', shouldBlock: false, reason: '', confidence: 1 } }];
  });
  return new Journal([{ type: 'now', place: 'start', round: 0, at }, ...entries]);
}

interface Context {
  readonly folders: AgentFolders;
  readonly requester?: Person | undefined;
  readonly mode?: Mode | undefined;
  readonly yes?: AllowedBy['yes'] | undefined;
}

/** The rules, grants, people, folder, mode and answers that the permit of an approved call names. */
export function allowedBy(
  { rules = [], grants = [] }: Partial<Grounds>,
  answers: readonly RecordedAnswer[],
  people: readonly Voter[],
  { folders: { projectRoot, home }, requester, mode, yes }: Context,
): AllowedBy {
  return {
    folders: { projectRoot, home },
    ...(people.length ? { people: [...people] } : {}),
    ...(yes ? { yes } : {}),
    ...(rules.length ? { rules: [...rules] } : {}),
    ...(grants.length ? { grants: [...grants], ...(requester ? { requester } : {}) } : {}),
    ...(mode ? { mode } : {}),
    ...(answers.length ? { answers: [...answers] } : {}),
  };
}
