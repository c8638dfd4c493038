/** Tells a person directly of a question, where they can answer and want to be told so. */
import type { Person } from '../../../contract/index.ts';
import { isShownIn, samePerson } from '../../../domain/approval/approval.ts';
import type { Answerer } from '../../../ports/audience.ts';
import { pushText } from '../cards/card.ts';
import { asksNow, type Drawing, sourceFor } from './drawing.ts';
import { listText } from './list-draw.ts';
import { LIST_KEY } from './list-news.ts';
import { sourceOn } from './source-on.ts';

/** A list is told of once, for all of its calls. Nothing for who cannot answer any more. */
export async function messagePerson(pid: string, person: Person, key: string, drawing: Drawing): Promise<void> {
  const view = await drawing.approvals.read(pid);
  if (!view || !asksNow(view, drawing)) return;
  const source = await sourceFor(view, drawing);
  const group = source.audience?.find(({ people }) => people.some((one) => isDirect(one, person)));
  if (!group) return;
  const about = key.startsWith(LIST_KEY) ? '' : `${pid}#`;
  const told = { key: `rate#cards-direct#${about}${person.user}#${key}`, ratePerSecond: ONCE_IN_A_DAY, burst: 1 };
  if (!(await drawing.rates.take(told)).admitted) return;
  try {
    const card = view.cards.find(({ channel, gone }) => !gone && isShownIn(group.channel, [channel]));
    const list = about === '' && card?.list !== undefined ? await listText(card.list, drawing) : undefined;
    const now = { ...sourceOn(source, card, drawing), postedAt: drawing.clock.now() };
    await drawing.poster.message(person.user, list ?? pushText(now, group.channel), card);
  } catch (error) {
    await drawing.rates.refund(told);
    throw error;
  }
}

const ONCE_IN_A_DAY = 1 / 86_400;

const isDirect = ({ person, notify }: Answerer, other: Person): boolean => notify === 'dm' && samePerson(person, other);
