/** Draws grants and delegations, as the answers of `/countersign grants` and `delegate`. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Delegation } from '../../../contract/delegation.ts';
import type { ActiveGrant } from '../../../domain/session.ts';
import { dateOf, line, words } from '../elements/blocks.ts';
import { shortened, visible, visibleName } from '../elements/text.ts';
import { COMMAND } from '../texts/command.ts';

/** Slack takes 50 blocks in a message. */
const MAX_SHOWN = 40;
const MAX_NAME = 80;

/** @param people names of the policy file, by Slack id */
export function grantBlocks(given: readonly ActiveGrant[], people: ReadonlyMap<string, string>): KnownBlock[] {
  if (!given.length) return [line(COMMAND.nothingGiven)];
  const more = given.length - MAX_SHOWN;
  return [
    line(COMMAND.takeBack),
    ...given.slice(0, MAX_SHOWN).map((one) => givenBlock(one, people)),
    ...(more > 0 ? [line(COMMAND.more(more))] : []),
  ];
}

function givenBlock(one: ActiveGrant, people: ReadonlyMap<string, string>): KnownBlock {
  const { id, agent, sessionId, expiresAt } = one;
  const where = sessionId === undefined ? COMMAND.everySession : COMMAND.session(sessionId);
  const text = COMMAND.grant(scopeText(one), agent, where);
  const until =
    expiresAt === undefined ? [] : [{ type: 'text' as const, text: `,${COMMAND.until}` }, dateOf(expiresAt)];
  return {
    type: 'rich_text',
    elements: [
      words([
        { type: 'text', text: id, style: { code: true } },
        { type: 'text', text },
        ...givers(one, people),
        ...until,
      ]),
    ],
  };
}

/** Slack shows its own name of somebody whom the policy file does not name. Rules name the operator who gave them. */
function givers({ by, givenBy }: ActiveGrant, people: ReadonlyMap<string, string>): RichTextElement[] {
  const text = (words: string): RichTextElement => ({ type: 'text', text: words });
  if (!givenBy.length) return [text(shortened(visible(by), MAX_NAME))];
  return givenBy.flatMap(({ user }, index): RichTextElement[] => {
    const name = people.get(user);
    const one: RichTextElement =
      name === undefined ? { type: 'user', user_id: user } : text(shortened(visible(name), MAX_NAME));
    return index ? [text(COMMAND.and), one] : [one];
  });
}

/** The scope in words, as the form worded it before the grant. */
function scopeText({ what, toolName, pattern }: ActiveGrant): string {
  const tool = shortened(visibleName(toolName), 80);
  switch (what) {
    case 'call':
      return COMMAND.scope.call(tool);
    case 'tool':
      return COMMAND.scope.tool(tool);
    case 'rule':
      return COMMAND.scope.rule(shortened(visibleName(pattern ?? ''), 120));
    default:
      return what satisfies never;
  }
}

export function delegationBlocks(about: readonly Delegation[]): KnownBlock[] {
  if (!about.length) return [line(COMMAND.noDelegations)];
  const more = about.length - MAX_SHOWN;
  return [...about.slice(0, MAX_SHOWN).map(delegationBlock), ...(more > 0 ? [line(COMMAND.more(more))] : [])];
}

function delegationBlock({ person, to, from, until }: Delegation): KnownBlock {
  return {
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
  };
}
