/** Declares the facts about the sender and the moment that are read before a run of the kernel. */
import type { AgentSettings } from '../../config/schema/policy-file.ts';
import type {
  AnswerEntry,
  ChainEnd,
  JournalEntry,
  LevelFacts,
  Mode,
  Person,
  PossibleParent,
  SessionEntry,
} from '../../contract/index.ts';
import { scrubTexts } from '../../domain/redaction/redact.ts';
import { type Control, type Pause, pauseHolds } from '../../ports/control.ts';
import type { Lineage } from './lineage.ts';

/** A session and those above it that it escalates to, its own first. */
export interface Chain {
  readonly levels: readonly LevelFacts[];
  readonly end: ChainEnd;
  /** Where nobody started the last of these sessions: what may be above it. Only its denials are heard. */
  readonly possible?: readonly PossibleParent[] | undefined;
}

/** The mode that is shown and recorded of a session that has two: the one that overrules no rules. */
export function modeOf({ levels: [own] }: Pick<Chain, 'levels'>, otherwise: Mode): Mode {
  if (!own) return otherwise;
  return own.mode === 'bypass' ? (own.agentMode ?? own.mode) : own.mode;
}

export interface Session {
  readonly pid: string;
  /** The approval whose card asked, if it was not this one's. */
  readonly askedAs?: string | undefined;
  readonly agent: string;
  readonly settings: AgentSettings;
  readonly sessionId: string;
  /** In whose name the agent asks: may not approve it, and confirms it where a stage says so. Absent: its owner. */
  readonly requester?: Person | undefined;
  readonly mode: Mode;
  readonly control: Control;
  /** For whom it works, today. Absent: for its own agent alone. */
  readonly lineage?: Lineage | undefined;
  /** The session's memory as it is now. Beside a journal with the memory of an earlier run, it can only tighten. */
  readonly chain?: Chain;
  /** Calls whose commands hold secrets: they are not printed, because decisions are recorded. */
  readonly unprinted?: ReadonlySet<string> | undefined;
}

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

  /** The answer of people to the question of a path; the last round counts. */
  human(place: string): Extract<JournalEntry, { type: 'human' }> | undefined {
    return this.entries.findLast((entry) => entry.type === 'human' && entry.place === place) as
      | Extract<JournalEntry, { type: 'human' }>
      | undefined;
  }

  /** The memory of the session when the run began; absent in journals of gates that remembered nothing. */
  get session(): SessionEntry | undefined {
    return this.entries.find((entry) => entry.type === 'session');
  }

  /** The answer from outside to the question of a path. */
  answer<Type extends AnswerEntry['type']>(
    type: Type,
    place: string,
  ): Extract<AnswerEntry, { type: Type }> | undefined {
    return this.entries.find((entry) => entry.type === type && entry.place === place) as
      | Extract<AnswerEntry, { type: Type }>
      | undefined;
  }

  /** All that the outside answered. */
  get answers(): readonly AnswerEntry[] {
    return this.entries.filter(isAnswer);
  }

  has({ type, place, round }: JournalEntry): boolean {
    return this.entries.some((entry) => entry.type === type && entry.place === place && entry.round === round);
  }

  with(entries: readonly JournalEntry[]): Journal {
    return new Journal([...this.entries, ...entries]);
  }

  /** Removes secrets that an answer repeats from its question. */
  without(secrets: readonly string[]): Journal {
    return new Journal(scrubTexts(this.entries, secrets));
  }
}

const ANSWERS: Readonly<Record<AnswerEntry['type'], true>> = { classifier: true, hook: true, model: true };
const isAnswer = (entry: JournalEntry): entry is AnswerEntry => Object.hasOwn(ANSWERS, entry.type);

/** The strongest pause that holds for a call now. */
export function pauseFor(control: Control, agent: string, tool: string, now: number): Pause | undefined {
  const holding = control.pauses.filter(
    ({ scope, until }) =>
      pauseHolds({ until }, now) &&
      ('all' in scope || ('agent' in scope ? scope.agent === agent : scope.tool === tool)),
  );
  return holding.find((pause) => pause.effect === 'deny') ?? holding[0];
}
