/**
 * Makes bursts of one agent for the tests of lists.
 *
 * Holds the calls, the messages of a channel, and whom they mention.
 */
import type { RenderedCard } from '../../../../../shared/adapters/slack/cards/card.ts';
import { bash, type World } from '../../world.ts';

export const MINUTE = 60_000;
export const CHANNEL = 'C0APPROVALS';
export const MANY = '{ approvers: platform, timeout: 1h, newCards: { burst: 100, perMinute: 100 } }';
export const AGENT = { agents: '  coder: { owner: olga, maxWaiting: 200 }' };

export const cards = (world: World, channel = CHANNEL): RenderedCard[] =>
  [...world.slack.cards].flatMap(([at, card]) => (at.startsWith(channel) ? [card] : []));
export const isList = ({ blocks }: RenderedCard): boolean => JSON.stringify(blocks).includes('Read, then decide');
export const lists = (world: World, channel = CHANNEL): RenderedCard[] => cards(world, channel).filter(isList);
export const last = (world: World): RenderedCard => cards(world).at(-1) as RenderedCard;
export const textOf = ({ blocks }: RenderedCard): string => {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('\n');
};
export const mentionsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/<@(U[A-Z0-9]+)>/g)].map(([, user = '']) => user).toSorted();

export async function ask(world: World, from: number, to: number, more: Record<string, unknown> = {}): Promise<void> {
  for (let at = from; at <= to; at++) await world.send(bash(`p${at}`, `git push ${at}`, more));
  await world.clock.advance(20_000);
}

export const MANY_WAIT = { perAgent: 200, perGroup: 400, inlineBytes: 8_192 };
