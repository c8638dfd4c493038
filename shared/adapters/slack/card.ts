/** The card of an approval, drawn from its row as it is. What the agent says is text and nothing else. */
import type { ContextBlock, KnownBlock } from '@slack/types';
import type { Approval, Decision } from '../../contract/index.ts';
import { currentStage, samePerson } from '../../domain/approval.ts';
import { canQuestionBeJudged } from '../../domain/redaction/judgeable.ts';
import { header, line, quoted, small, smallMarkup } from './blocks.ts';
import { buttonsOf } from './card-buttons.ts';
import { askedBlocks, isWhole, type Room, subjectOf } from './card-question.ts';
import type { CardSource, Extent } from './card-source.ts';
import { endingBlocks, STATUS_WORDS, standing } from './card-votes.ts';
import { earlierText } from './earlier.ts';
import { escaped, shortened, slackDate, visible } from './text.ts';
import { readable } from './view-all.ts';

export interface RenderedCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** Whether everything that would run is on the card. */
  readonly whole: boolean;
  /** Whether it is, or can be read in full behind View all: only then is Approve offered. */
  readonly approvable: boolean;
}

/** How much a card shows, and how much when that is more than Slack takes. Slack's limit is 3,000 characters a text object. */
const FULL: Room = { calls: 10, argument: 2_900, why: 1_000, says: 1_500, ending: 3_000, perCall: true };
const UNITED: Room = { ...FULL, perCall: false };
const BRIEF: Room = { calls: 10, argument: 250, why: 150, says: 200, ending: 1_000, perCall: false };
const TINY: Room = { calls: 4, argument: 60, why: 100, says: 100, ending: 500, perCall: false };
/** All blocks of a message as JSON: above 13,200 characters Slack refuses it (`msg_blocks_too_long`). */
const MAX_LENGTH = 12_500;
const MAX_BLOCKS = 50;

/** Read from the top: what would run, why it is asked, what the agent says for it, who and until when, what can be answered. */
export function renderCard(source: CardSource): RenderedCard {
  const title = titleOf(source.approval, source.decision);
  const text = escaped(title);
  const judgeable = canQuestionBeJudged(source.approval.question, source.proposal);
  for (const room of judgeable && isWhole(source, FULL) ? [FULL, UNITED] : []) {
    const blocks = blocksOf(source, title, 'whole', room);
    if (fitsSlack(blocks)) return { text, blocks, whole: true, approvable: true };
  }
  const approvable = judgeable && readable(source);
  const extent = approvable ? 'rest behind View all' : judgeable ? 'unreadable' : 'redacted';
  const [roomy = [], brief = []] = [extent === 'redacted' ? UNITED : BRIEF, BRIEF].map((room) =>
    blocksOf(source, title, extent, room),
  );
  const blocks = fitsSlack(roomy) ? roomy : fitsSlack(brief) ? brief : blocksOf(source, title, extent, TINY);
  return { text, blocks, whole: false, approvable };
}

const fitsSlack = (blocks: readonly KnownBlock[]): boolean =>
  blocks.length <= MAX_BLOCKS && JSON.stringify(blocks).length <= MAX_LENGTH;

function blocksOf(source: CardSource, title: string, extent: Extent, room: Room): KnownBlock[] {
  const { approval, decision, earlier } = source;
  const pending = approval.status === 'pending';
  return [
    header(title),
    ...askedBlocks(source, room),
    ...(pending ? notes(extent) : []),
    ...agentSays(source, room.says),
    ...(earlier ? [small(earlierText(earlier))] : []),
    facts(approval),
    ...(pending ? standing(approval, room.ending) : endingBlocks(approval, decision, room.ending)),
    ...(pending ? buttonsOf(source, extent) : []),
    footer(approval),
  ];
}

function titleOf(approval: Approval, decision: Decision | undefined): string {
  const { agent, status, question } = approval;
  const went = status === 'approved' || status === 'edited' || status === 'substituted';
  const overruled = went && decision && decision.outcome !== 'approved' && decision.outcome !== 'answered';
  const asks = question.kind === 'input' ? 'Answer needed' : STATUS_WORDS.pending;
  const said = status === 'pending' ? asks : STATUS_WORDS[status];
  const words = overruled ? `${STATUS_WORDS[status]}, then ${decision.outcome}` : said;
  return shortened(`${words}: ${subjectOf(question)} ${question.kind === 'input' ? 'of' : 'for'} ${agent}`, 150);
}

function facts(approval: Approval): ContextBlock {
  const { agent, owner, requester = owner, expiresAt, status, question } = approval;
  const words = [`Agent *${escaped(agent)}*`, `owner <@${owner.user}>`];
  if (!samePerson(requester, owner)) words.push(`in the name of <@${requester.user}>`);
  words.push(`severity *${question.severity}*`);
  if (status === 'pending') {
    words.push(`asked of *${escaped(currentStage(approval).group)}*`, `answer until *${slackDate(expiresAt)}*`);
  }
  return smallMarkup(words.join(' · '));
}

/** The agent's own words, marked as such; never the basis of a decision. */
function agentSays({ proposal: { title, description, reason } }: CardSource, most: number): KnownBlock[] {
  const said = [title, description, reason].filter((text) => text?.trim()).join('\n');
  return said ? [quoted('The agent says:', shortened(visible(said), most))] : [];
}

function notes(extent: Extent): KnownBlock[] {
  if (extent === 'whole') return [];
  if (extent === 'redacted')
    return [
      line(
        'A secret stands where a command, a path, a host or another place may be: this cannot be judged, so not approved.',
      ),
    ];
  return extent === 'unreadable'
    ? [line('This is not all that would run. It is too long for people to read, so it cannot be approved.')]
    : [line('This is not all that would run. Read the rest with View all before you approve.')];
}

const footer = ({ pid, policyVersion, requestedAt }: Approval): ContextBlock =>
  smallMarkup(`Approval ${pid.slice(0, 12)} · policy ${policyVersion.slice(0, 12)} · asked ${slackDate(requestedAt)}`);
