/** Holds the answers of people and of the outside that a run of the kernel cannot compute again. */
import type { AnswerEntry, JournalEntry, SessionEntry } from '../../../contract/index.ts';
import { scrubTexts } from '../../../domain/redaction/redact.ts';

/** Answers of earlier runs; its first entry says when the first run began. */
export class Journal {
  readonly entries: readonly JournalEntry[];
  constructor(entries: readonly JournalEntry[]) {
    this.entries = entries;
  }

  /** When the first run began, in milliseconds. A journal without it cannot be run. */
  get startedAt(): number {
    const first = this.entries.find((entry) => entry.type === 'now');
    if (!first) throw new Error('the journal has no first entry');
    return Date.parse(first.at);
  }

  /** People's answer at a place; the last round counts. */
  human(place: string): Extract<JournalEntry, { type: 'human' }> | undefined {
    return this.entries.findLast((entry) => entry.type === 'human' && entry.place === place) as
      | Extract<JournalEntry, { type: 'human' }>
      | undefined;
  }

  /** The session's state when the run began; absent in journals of gates that remembered nothing. */
  get session(): SessionEntry | undefined {
    return this.entries.find((entry) => entry.type === 'session');
  }

  /** The answer of a classifier, hook or model at a place. */
  answer<Type extends AnswerEntry['type']>(
    type: Type,
    place: string,
  ): Extract<AnswerEntry, { type: Type }> | undefined {
    return this.entries.find((entry) => entry.type === type && entry.place === place) as
      | Extract<AnswerEntry, { type: Type }>
      | undefined;
  }

  /** All answers of classifiers, hooks and models. */
  get answers(): readonly AnswerEntry[] {
    return this.entries.filter(isAnswer);
  }

  has({ type, place, round }: JournalEntry): boolean {
    return this.entries.some((entry) => entry.type === type && entry.place === place && entry.round === round);
  }

  with(entries: readonly JournalEntry[]): Journal {
    return new Journal([...this.entries, ...entries]);
  }

  /** Takes `secrets` out of all entries, because an answer may repeat the text of its question. */
  without(secrets: readonly string[]): Journal {
    return new Journal(scrubTexts(this.entries, secrets));
  }
}

const ANSWERS: Readonly<Record<AnswerEntry['type'], true>> = { classifier: true, hook: true, model: true };
const isAnswer = (entry: JournalEntry): entry is AnswerEntry => Object.hasOwn(ANSWERS, entry.type);
