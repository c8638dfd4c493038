/** Declares the source of a card and its forms, and names people and calls for both. */
import type { CardNames } from '../../../config/readers/card-names.ts';
import type { Approval, DecidableProposal, Decision, Person, Vote } from '../../../contract/index.ts';
import { samePerson } from '../../../domain/approval/approval.ts';
import { ownValue } from '../../../domain/own.ts';
import { questionAsEdited } from '../../../domain/proposal/asked-call.ts';
import { type CallName, namesOfQuestion } from '../../../domain/proposal/call-name.ts';
import type { Audience } from '../../../ports/audience.ts';
import type { Ran } from '../../../ports/stores/outbox.ts';
import { visible, visibleName } from '../elements/text.ts';
import { listed } from '../texts/card.ts';
import type { Earlier } from './earlier-decisions.ts';

export interface CardSource {
  readonly approval: Approval;
  readonly proposal: DecidableProposal;
  readonly decision?: Decision | undefined;
  /** Whether secrets were taken out of the proposal: then it cannot be edited, because what is shown is not what would run. */
  readonly sealed?: boolean;
  readonly earlier?: Earlier | undefined;
  /** How the policy file calls things; without it people are called as Slack knew them, and calls by their tools. */
  readonly names?: CardNames | undefined;
  /** People who can answer now; absent once nobody is asked. */
  readonly audience?: Audience | undefined;
  /** Numbers of the reminders that threads were told of the current stage: one that came late skips some. */
  readonly reminded?: readonly number[] | undefined;
  /** Number of identical calls that take the answer of this one (A24). */
  readonly followers?: number | undefined;
  /** When its message was posted, or is posted now; in milliseconds. */
  readonly postedAt?: number | undefined;
  /** Since when its message shows this question; in milliseconds. */
  readonly shownSince?: number | undefined;
  /** Results of the calls that ran. */
  readonly ran?: readonly Ran[] | undefined;
}

/** How much of what would run the card itself shows. */
export type Extent = 'whole' | 'rest behind View all' | 'unreadable' | 'redacted';

/** Safe to show in plain text. A person whom nothing names is called by their id. */
export function personName(person: Person, { names, approval }: Pick<CardSource, 'names' | 'approval'>): string {
  const known = [...approval.votes, ...(approval.passed ?? [])];
  // Rows of earlier releases hold the name.
  const stored = known.find(({ by }) => samePerson(by, person))?.name;
  return visible(names?.personName(person) ?? stored ?? person.user).replaceAll('\n', ' ');
}

/** A text of the gate, which calls people by their ids. */
export function withNames(text: string, source: Pick<CardSource, 'names' | 'approval'>): string {
  const { votes, editors = [] } = source.approval;
  const people = new Map([...votes.map(({ by }) => by), ...editors].map((person) => [person.user, person]));
  return text.replaceAll(/\w+/g, (word) => {
    const person = people.get(word);
    return person ? personName(person, source) : word;
  });
}

/** Everybody whose changes the arguments hold: an earlier round's, and this one's. Undefined if nobody changed any. */
export function editorNames(source: Pick<CardSource, 'names' | 'approval'>): string | undefined {
  const { editors = [], votes } = source.approval;
  const people = [...editors, ...votes.flatMap(({ choice, by }) => (choice === 'edit' ? [by] : []))];
  return people.length ? listed([...new Set(people.map((person) => personName(person, source)))]) : undefined;
}

export const voterName = (vote: Vote, source: Pick<CardSource, 'names' | 'approval'>): string =>
  visible(source.names?.personName(vote.by) ?? vote.name ?? vote.by.user).replaceAll('\n', ' ');

/** Names of the calls or the action in question, each in one line that is safe to show in plain text. */
export const namesOf = ({ approval, proposal, names }: CardSource): CallName[] =>
  namesOfQuestion(questionAsEdited(approval), proposal, names?.tools).map(({ text, kind }) => ({
    text: kind === 'tool' ? visibleName(text) : visible(text),
    kind,
  }));

/** The fields that a call of the tool is about, where the policy file names them. */
export const subjectOf = (toolName: string, { names }: Pick<CardSource, 'names'>): readonly string[] | undefined =>
  ownValue(names?.tools ?? {}, toolName)?.subject;

/** Begins the keys of news about the current stage: a further round, stage or escalation has news of its own. */
export const stageKey = ({ round, stage = 0, escalated }: Approval): string =>
  `${round}-${stage}-${escalated ? 'escalated' : 'asked'}`;

export const reminderKey = (approval: Approval, number: number | ''): string =>
  `${stageKey(approval)}-reminder-${number}`;
