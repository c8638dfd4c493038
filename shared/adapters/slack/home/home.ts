/** Draws App Home as one person's inbox: waiting and ended approvals, and grants to take back. */
import type { Button, HomeView, KnownBlock } from '@slack/types';
import type { Delegation } from '../../../contract/delegation.ts';
import type { Approval, Person } from '../../../contract/index.ts';
import { askedChannelsOf, currentStage, rejectionsSoFar, samePerson } from '../../../domain/approval/approval.ts';
import { shownSince } from '../../../domain/approval/shown.ts';
import { nameOfApproval, type ToolNames } from '../../../domain/proposal/call-name.ts';
import type { ActiveGrant } from '../../../domain/session.ts';
import type { Inbox, InboxEntry } from '../../../ports/inbox.ts';
import { isYesToPolicy, nextOf } from '../cards/card-deadline.ts';
import { ACTIONS } from '../elements/actions.ts';
import { asCode, codeOf, header, line, smallMarkup } from '../elements/blocks.ts';
import { inMarkup, shortened, slackWhen, visible, visibleName } from '../elements/text.ts';
import { HOME } from '../texts/home.ts';
import { endWords } from './decision-ends.ts';

const MAX_OTHERS = 5;
const MAX_DECIDED = 10;
const MAX_GIVEN = 10;
const MAX_DELEGATIONS = 5;
const MAX_NAME = 120;
const MAX_PERSON = 80;

/** Sources of names: the policy file's titles of tools, people by their Slack id, and the address of the workspace. */
export interface HomeNames {
  readonly tools: ToolNames;
  readonly people: ReadonlyMap<string, string>;
  /** The address of the workspace, for links to cards; undefined if it cannot be found out now. */
  readonly address: string | undefined;
}

interface HomeSource {
  readonly person: Person;
  readonly inbox: Inbox;
  /** Grants that the person may take back. */
  readonly given: readonly ActiveGrant[];
  /** Delegations from the person, and to the person. */
  readonly delegations: readonly Delegation[];
  readonly names: HomeNames;
  /** When it was read, an instant. */
  readonly at: string;
  /** The result of the person's latest action here. */
  readonly notice?: string;
}

/** At most 10 entries of two blocks, 5, 10 and 5 of one, and 10 of two: far from the 100 blocks that Slack takes in a view. */
export function homeView(source: HomeSource): HomeView {
  const { inbox, notice, names, at } = source;
  const others = inbox.forOthers.slice(0, MAX_OTHERS);
  return {
    type: 'home',
    blocks: [
      ...(notice === undefined ? [] : [line(notice), DIVIDER]),
      ...waitingBlocks(inbox, names),
      ...turnPages(inbox),
      ...(others.length ? [DIVIDER, header(HOME.forOthers)] : []),
      ...others.map((entry) => otherBlock(entry, names)),
      DIVIDER,
      header(HOME.decided),
      ...(inbox.decided.length ? decidedBlocks(inbox, names) : [line(HOME.nothingDecided)]),
      DIVIDER,
      header(HOME.forLater),
      ...grantBlocks(source.given, names),
      DIVIDER,
      ...delegationLines(source),
      { type: 'actions', block_id: 'countersign_home', elements: homeButtons(source) },
      smallMarkup(slackWhen(at, `${HOME.asOf} `)),
    ],
  };
}

/** The same rows as an answer to `/countersign pending`. */
export const pendingBlocks = (inbox: Inbox, names: HomeNames): KnownBlock[] => [
  ...waitingBlocks(inbox, names),
  ...(inbox.pages > 1 ? [smallMarkup(HOME.othersInHome)] : []),
];

const DIVIDER: KnownBlock = { type: 'divider' };

export const waitingText = ({ waiting, isUnsure }: Inbox): string =>
  isUnsure && !waiting.length ? HOME.notKnown : HOME.waiting(waiting.length);

function waitingBlocks(inbox: Inbox, names: HomeNames): KnownBlock[] {
  const { waiting, shown, page, pages, hasMore, isUnsure } = inbox;
  return [
    header(waitingText(inbox)),
    ...(isUnsure ? [smallMarkup(HOME.unsure)] : []),
    ...(hasMore && waiting.length ? [smallMarkup(HOME.more)] : []),
    ...shown.flatMap((entry) => entryBlocks(entry, names)),
    ...(pages > 1 ? [smallMarkup(HOME.page(page + 1, pages))] : []),
  ];
}

function entryBlocks(entry: InboxEntry, names: HomeNames): KnownBlock[] {
  const { approval } = entry.view;
  const name = nameOf(entry, names);
  const url = linkOf(entry, names);
  const severity = HOME.severity[approval.question.severity];
  const asks = approval.question.kind === 'input' ? HOME.questionOf(approval.agent) : approval.agent;
  // A confirmation is asked of one person, in their conversation with the app.
  const channels = askedChannelsOf(approval).flatMap((channel) => (/^[CG]/.test(channel) ? `<#${channel}>` : []));
  const where = channels.length ? [channels.join(', ')] : [];
  const facts = [inMarkup(visible(asks)), ...neededOf(approval, names), untilOf(entry), ...where];
  return [
    {
      ...asCode(severity ? `*${severity}* · ` : '', severity ? `${severity} · ` : '', name),
      ...(url === undefined ? {} : { accessory: openButton(url, name) }),
    },
    smallMarkup([...facts, ...(url === undefined ? [HOME.noCard] : [])].join(' · ')),
  ];
}

/** No note beside it tells of look-alike letters, as one on the card does: they are escaped whatever the name is. */
const nameOf = ({ view, proposal }: InboxEntry, { tools }: HomeNames): string =>
  shortened(visibleName(nameOfApproval(view.approval, proposal, tools)), MAX_NAME);

/** A link to the newest card that is asked of somebody now. */
function linkOf({ view }: InboxEntry, { address }: HomeNames): string | undefined {
  const asked = askedChannelsOf(view.approval);
  const live = view.cards.filter(({ gone }) => !gone);
  const card = live.find(({ channel }) => asked.includes(channel)) ?? live.at(-1);
  if (card === undefined || address === undefined) return undefined;
  return `${address.replace(/\/$/, '')}/archives/${card.channel}/p${card.ts.replace('.', '')}`;
}

const openButton = (url: string, name: string): Button => ({
  type: 'button',
  action_id: ACTIONS.openCard,
  text: { type: 'plain_text', text: HOME.open, emoji: false },
  url,
  accessibility_label: shortened(HOME.openLabel(name), 75),
});

/** How many of whom, and who has voted already. */
function neededOf(approval: Approval, names: HomeNames): string[] {
  const { question, stage = 0, votes } = approval;
  const { by, quorum } = currentStage(approval);
  const group = groupsNow(approval);
  const against = rejectionsSoFar(approval);
  const cast = votes.filter(isForIt(approval));
  const who = by === 'requester' ? HOME.confirm : quorum === 1 ? HOME.oneOf(group) : HOME.ofGroup(quorum, group);
  const soFar = cast.length ? HOME.soFar(listed(cast, names)) : quorum > 1 ? HOME.noneYet : '';
  return [
    [inMarkup(who), soFar, ...(against.length ? [HOME.against(listed(against, names))] : [])]
      .filter(Boolean)
      .join(', '),
    ...(question.stages.length > 1 ? [HOME.stage(stage + 1, question.stages.length)] : []),
  ];
}

/** Names the group that is asked now, and both groups after an escalation. */
function groupsNow(approval: Approval): string {
  const { group, escalateTo } = currentStage(approval);
  return approval.escalated && escalateTo ? HOME.bothGroups(group, escalateTo.group) : group;
}

/** Markup of ours: people's names format nothing in it. */
const listed = (votes: Approval['votes'], names: HomeNames): string =>
  [...new Set(votes.map(({ by }) => named(by, names)))].join(', ');

/** Slack shows its own name of somebody whom the policy file does not name; a mention in App Home notifies nobody. */
function named({ user }: Person, { people }: HomeNames): string {
  const name = people.get(user);
  return name === undefined ? `<@${user}>` : inMarkup(shortened(visible(name), MAX_PERSON));
}

function untilOf({ view: { approval, cards }, proposal }: InboxEntry): string {
  const { at, next } = nextOf({ approval, proposal, shownSince: shownSince(approval, cards) });
  const then =
    next.kind === 'escalates'
      ? `, ${inMarkup(HOME.thenAlso(next.to))}`
      : next.kind === 'approves'
        ? `, ${isYesToPolicy(approval) ? HOME.thenYes : HOME.thenRuns}`
        : '';
  const when = slackWhen(new Date(at).toISOString(), `${HOME.until} `);
  return `${when}${then}`;
}

function otherBlock(entry: Inbox['forOthers'][number], names: HomeNames): KnownBlock {
  const { line: vote, view } = entry;
  const now = HOME.nowWith(
    inMarkup(groupsNow(view.approval)),
    listed(view.approval.votes.filter(isForIt(view.approval)), names),
  );
  return smallMarkup(
    `${codeOf(nameOf(entry, names))} · ${slackWhen(vote.at, `${HOME.you[vote.choice]} `)} · ${now} · ${untilOf(entry)}`,
  );
}

const isForIt =
  (approval: Approval) =>
  (vote: Approval['votes'][number]): boolean =>
    vote.stage === (approval.stage ?? 0) && !rejectionsSoFar(approval).includes(vote);

function decidedBlocks({ decided }: Inbox, names: HomeNames): KnownBlock[] {
  return decided.slice(0, MAX_DECIDED).map(({ line: vote, entry }) => {
    const name = entry ? nameOf(entry, names) : shortened(visibleName(vote.subject), MAX_NAME);
    const ended = entry ? endWords(entry.view, vote) : { mark: '', text: '' };
    const words = [`${HOME.did[vote.choice]} ${codeOf(name)}`, ended.text, slackWhen(vote.at)];
    return smallMarkup(`${ended.mark} ${words.filter(Boolean).join(' · ')}`.trim());
  });
}

function grantBlocks(given: readonly ActiveGrant[], names: HomeNames): KnownBlock[] {
  if (!given.length) return [line(HOME.nothingForLater)];
  const more = given.length - MAX_GIVEN;
  return [
    ...given.slice(0, MAX_GIVEN).flatMap((one, index): KnownBlock[] => {
      const { id, agent, sessionId, by, givenBy, expiresAt } = one;
      const givers = givenBy.map((person) => named(person, names)).join(HOME.and);
      const scope = scopeOf(one);
      const until = expiresAt === undefined ? [] : [slackWhen(expiresAt, `${HOME.until} `)];
      const facts = [
        inMarkup(visible(HOME.given(agent, sessionId))),
        ...until,
        HOME.by(givers || inMarkup(shortened(visible(by), 100))),
        `\`${id}\``,
      ];
      return [
        { ...line(scope), block_id: `countersign_given_${index}`, accessory: takeBack(id, scope) },
        smallMarkup(facts.join(' · ')),
      ];
    }),
    ...(more > 0 ? [line(HOME.moreForLater(more))] : []),
  ];
}

function scopeOf({ what, toolName, pattern }: ActiveGrant): string {
  return what === 'rule'
    ? HOME.scope.rule(shortened(visibleName(pattern ?? ''), MAX_NAME))
    : HOME.scope[what](shortened(visibleName(toolName), 80));
}

const takeBack = (id: string, scope: string): Button => ({
  type: 'button',
  action_id: ACTIONS.takeBack,
  text: { type: 'plain_text', text: HOME.takeBack, emoji: false },
  value: id,
  style: 'danger',
  accessibility_label: shortened(`${HOME.takeBack}: ${scope}`, 75),
  confirm: {
    title: { type: 'plain_text', text: HOME.takeBackConfirm.title, emoji: false },
    text: { type: 'plain_text', text: shortened(HOME.takeBackConfirm.text(scope), 300), emoji: false },
    confirm: { type: 'plain_text', text: HOME.takeBackConfirm.yes, emoji: false },
    deny: { type: 'plain_text', text: HOME.takeBackConfirm.no, emoji: false },
    style: 'danger',
  },
});

function delegationLines({ person, delegations, names, at }: HomeSource): KnownBlock[] {
  const shown = delegations.slice(0, MAX_DELEGATIONS).map(({ person: away, to, from, until }) => {
    const text = samePerson(away, person) ? HOME.votesForYou(named(to, names)) : HOME.youVoteFor(named(away, names));
    const begins = from !== undefined && Date.parse(from) > Date.parse(at) ? [slackWhen(from, `${HOME.from} `)] : [];
    return smallMarkup([text, ...begins, slackWhen(until, `${HOME.until} `)].join(' '));
  });
  const more = delegations.length - shown.length;
  return [...shown, ...(more > 0 ? [line(HOME.moreDelegations(more))] : [])];
}

function homeButtons({ person, delegations, inbox: { page } }: HomeSource): Button[] {
  const isAway = delegations.some((one) => samePerson(one.person, person));
  return [
    plainButton(HOME.away, ACTIONS.away),
    ...(isAway ? [plainButton(HOME.back, ACTIONS.back)] : []),
    plainButton(HOME.refresh, ACTIONS.refresh, page),
  ];
}

function turnPages({ page, pages }: Inbox): KnownBlock[] {
  const elements = [
    ...(page > 0 ? [plainButton(HOME.previous, ACTIONS.previousPage, page - 1)] : []),
    ...(page < pages - 1 ? [plainButton(HOME.next, ACTIONS.nextPage, page + 1)] : []),
  ];
  return elements.length ? [{ type: 'actions', block_id: 'countersign_home_pages', elements }] : [];
}

const plainButton = (text: string, action_id: string, page?: number): Button => ({
  type: 'button',
  action_id,
  text: { type: 'plain_text', text, emoji: false },
  ...(page === undefined ? {} : { value: String(page) }),
});
