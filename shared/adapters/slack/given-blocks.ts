/** Draws grants and delegations, as the answers of `/countersign grants` and `delegate`. */
import type { KnownBlock } from '@slack/types';
import type { Delegation } from '../../contract/delegation.ts';
import type { Given } from '../../domain/session.ts';
import { dateOf, line, words } from './blocks.ts';
import { shortened, visible } from './text.ts';

/** Slack takes 50 blocks in a message. */
const MOST = 40;

export function givenBlocks(given: readonly Given[]): KnownBlock[] {
  if (!given.length) return [line('Nothing was given for later that you may take back.')];
  const more = given.length - MOST;
  return [
    line('Given for later, and yours to take back with /countersign revoke ID:'),
    ...given.slice(0, MOST).map(givenBlock),
    ...(more > 0 ? [line(`And ${more} more.`)] : []),
  ];
}

function givenBlock(one: Given): KnownBlock {
  const { id, agent, sessionId, by, expiresAt } = one;
  const where = sessionId === undefined ? 'every session' : `session ${sessionId}`;
  const text = `  ${scopeText(one)}, for ${agent}, ${where}, by ${shortened(visible(by), 80)}`;
  const until = expiresAt === undefined ? [] : [{ type: 'text' as const, text: ', until ' }, dateOf(expiresAt)];
  return {
    type: 'rich_text',
    elements: [words([{ type: 'text', text: id, style: { code: true } }, { type: 'text', text }, ...until])],
  };
}

/** The scope in words, as the form worded it before the grant. */
export function scopeText({ what, toolName, pattern }: Given): string {
  const tool = shortened(visible(toolName), 80);
  switch (what) {
    case 'call':
      return `exactly one call of ${tool}`;
    case 'tool':
      return `every call of ${tool}`;
    case 'rule':
      return `whatever ${shortened(visible(pattern ?? ''), 120)} covers`;
    default:
      return what satisfies never;
  }
}

export function delegationBlocks(about: readonly Delegation[]): KnownBlock[] {
  if (!about.length) return [line('Nobody votes in your place, and you vote in nobody’s.')];
  return about.slice(0, MOST).map(({ person, to, from, until }) => ({
    type: 'rich_text',
    elements: [
      words([
        { type: 'user', user_id: to.user },
        { type: 'text', text: ' votes in the place of ' },
        { type: 'user', user_id: person.user },
        ...(from === undefined ? [] : [{ type: 'text' as const, text: ' from ' }, dateOf(from)]),
        { type: 'text', text: ' until ' },
        dateOf(until),
      ]),
    ],
  }));
}
