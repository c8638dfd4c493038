/** App Home: what waits for one person, what they said before, and what they may take back. */
import type { HomeView, KnownBlock } from '@slack/types';
import type { Approval, HumanChoice } from '../../contract/index.ts';
import { channelsOf } from '../../domain/approval.ts';
import type { Given } from '../../domain/session.ts';
import type { VoteLine } from '../../ports/vote-history.ts';
import { dateOf, header, line, smallMarkup, words } from './blocks.ts';
import { subjectOf } from './card-question.ts';
import { givenHomeBlocks } from './given-blocks.ts';
import { shortened, slackDate, visible } from './text.ts';

/** Slack takes 100 blocks in a view. */
const MAX_WAITING = 20;
const MAX_GIVEN = 10;
export const MAX_SAID = 20;

export interface InboxView {
  /** The oldest first. */
  readonly waiting: readonly Approval[];
  /** The newest first. */
  readonly said: readonly VoteLine[];
  /** What they may take back. */
  readonly given: readonly Given[];
  /** What came of what they just did here. */
  readonly notice?: string;
}

export function homeView({ waiting, said, given, notice }: InboxView): HomeView {
  const more = waiting.length - MAX_WAITING;
  return {
    type: 'home',
    blocks: [
      ...(notice === undefined ? [] : [line(notice)]),
      header(waiting.length ? `Waiting for you: ${waiting.length}` : 'Nothing waits for you'),
      ...waiting.slice(0, MAX_WAITING).flatMap(waitingBlocks),
      ...(more > 0 ? [line(`And ${more} more.`)] : []),
      { type: 'divider' },
      header('What you decided'),
      ...(said.length ? said.slice(0, MAX_SAID).flatMap(saidBlocks) : [line('Nothing yet.')]),
      { type: 'divider' },
      ...givenHomeBlocks(given, MAX_GIVEN),
    ],
  };
}

function waitingBlocks(approval: Approval): KnownBlock[] {
  const { question, agent, expiresAt } = approval;
  const channels = channelsOf(approval).map((channel) => `<#${channel}>`);
  return [
    line(`${shortened(subjectOf(question), 120)} for ${agent} · severity ${question.severity}`),
    smallMarkup(`Answer in ${channels.join(' or ')} until ${slackDate(expiresAt)}`),
  ];
}

const saidBlocks = ({ agent, subject, choice, at }: VoteLine): KnownBlock[] => [
  {
    type: 'rich_text',
    elements: [
      words([
        { type: 'text', text: DID[choice], style: { bold: true } },
        { type: 'text', text: ` · ${shortened(visible(subject), 120)} for ${agent} · ` },
        dateOf(at),
      ]),
    ],
  },
];

const DID: Readonly<Record<HumanChoice, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  edit: 'Edited',
  substitute: 'Substituted',
  respond: 'Answered',
};

/** The same as an answer to `/countersign pending`. */
export function pendingBlocks(waiting: readonly Approval[]): KnownBlock[] {
  const more = waiting.length - MAX_WAITING;
  if (!waiting.length) return [line('Nothing waits for you.')];
  return [
    line(`Waiting for you: ${waiting.length}`),
    ...waiting.slice(0, MAX_WAITING).flatMap(waitingBlocks),
    ...(more > 0 ? [line(`And ${more} more.`)] : []),
  ];
}
