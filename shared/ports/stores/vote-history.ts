/**
 * Stores earlier votes, for the voters and for people with a similar question.
 *
 * Votes here are shown, never counted: a line that is lost costs nothing.
 */
import type { HumanChoice, Person } from '../../contract/index.ts';

/** One vote of a person. */
export interface VoteLine {
  readonly pid: string;
  readonly agent: string;
  /** The subject, in a few words. */
  readonly subject: string;
  readonly choice: HumanChoice;
  readonly at: string;
}

/** How an approval of one kind ended. */
export interface EndLine {
  readonly pid: string;
  readonly result: 'approved' | 'rejected';
  readonly at: string;
}

interface KindOfEnd {
  /** A digest of what makes two questions alike. */
  readonly kind: string;
  readonly line: EndLine;
}

export interface VoteHistory {
  /** Somebody looked at their Home. */
  noteLook(person: Person, at: string): Promise<void>;
  /** When they looked last. */
  lastLook(person: Person): Promise<string | undefined>;
  addVote(person: Person, line: VoteLine): Promise<void>;
  /** Newest first. */
  votesOf(person: Person, most: number): Promise<readonly VoteLine[]>;
  /** The same end added twice is one. */
  addEnds(ends: readonly KindOfEnd[]): Promise<void>;
  endsOf(kind: string, most: number): Promise<readonly EndLine[]>;
}
