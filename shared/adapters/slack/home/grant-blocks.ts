/** Draws grants and delegations, as the answers of `/countersign grants` and `delegate`. */
import type { KnownBlock } from '@slack/types';
import type { Delegation } from '../../../contract/delegation.ts';
import type { ActiveGrant } from '../../../domain/session.ts';
import { dateOf, line, words } from '../elements/blocks.ts';
import { shortened, visible } from '../elements/text.ts';
import { COMMAND } from '../words/command.ts';

/** Slack takes 50 blocks in a message. */
const MAX_SHOWN = 40;

export function grantBlocks(given: readonly ActiveGrant[]): KnownBlock[] {
  if (!given.length) return [line(COMMAND.nothingGiven)];
  const more = given.length - MAX_SHOWN;
  return [
    line(COMMAND.takeBack),
    ...given.slice(0, MAX_SHOWN).map(givenBlock),
    ...(more > 0 ? [line(COMMAND.more(more))] : []),
  ];
}

function givenBlock(one: ActiveGrant): KnownBlock {
  const { id, agent, sessionId, by, expiresAt } = one;
  const where = sessionId === undefined ? COMMAND.everySession : COMMAND.session(sessionId);
  const text = COMMAND.grant(scopeText(one), agent, where, shortened(visible(by), 80));
  const until =
    expiresAt === undefined ? [] : [{ type: 'text' as const, text: `,${COMMAND.until}` }, dateOf(expiresAt)];
  return {
    type: 'rich_text',
    elements: [words([{ type: 'text', text: id, style: { code: true } }, { type: 'text', text }, ...until])],
  };
}

/** The scope in words, as the form worded it before the grant. */
export function scopeText({ what, toolName, pattern }: ActiveGrant): string {
  const tool = shortened(visible(toolName), 80);
  switch (what) {
    case 'call':
      return COMMAND.scope.call(tool);
    case 'tool':
      return COMMAND.scope.tool(tool);
    case 'rule':
      return COMMAND.scope.rule(shortened(visible(pattern ?? ''), 120));
    default:
      return what satisfies never;
  }
}

export function delegationBlocks(about: readonly Delegation[]): KnownBlock[] {
  if (!about.length) return [line(COMMAND.noDelegations)];
  return about.slice(0, MAX_SHOWN).map(({ person, to, from, until }) => ({
    type: 'rich_text',
    elements: [
      words([
        { type: 'user', user_id: to.user },
        { type: 'text', text: COMMAND.votesFor },
        { type: 'user', user_id: person.user },
        ...(from === undefined ? [] : [{ type: 'text' as const, text: COMMAND.from }, dateOf(from)]),
        { type: 'text', text: COMMAND.until },
        dateOf(until),
      ]),
    ],
  }));
}
