/** Draws the App Home of those who looked at it today again, once new cards ask them something. */
import type { Person } from '../../../contract/index.ts';
import type { AskedGroup } from '../../../ports/audience.ts';
import type { Drawing } from './drawing.ts';
import { CardInLineError } from './errors.ts';

/** The Home of one person is drawn at most once in so long, however many cards come: one drawing reads all that waits for them. */
const EACH_MS = 60_000;
/** Somebody who looked longer ago draws their Home by opening it. */
export const LOOKED_MS = 24 * 60 * 60_000;
/** As many as a card mentions. */
const MAX_PEOPLE = 40;

/** Asks for the Homes of all whom a new card asks. A courtesy: what fails here holds up no card. */
export async function askForHomes(groups: readonly AskedGroup[], drawing: Drawing): Promise<void> {
  const people = groups.flatMap(({ people: named, members = [] }) => [
    ...named.map(({ person }) => person),
    ...members,
  ]);
  const now = drawing.clock.now();
  const at = (Math.floor(now / EACH_MS) + 1) * EACH_MS;
  await Promise.all(
    people.slice(0, MAX_PEOPLE).map(async (person) => {
      const looked = await drawing.history.lastLook(person).catch(() => undefined);
      if (looked === undefined || now - Date.parse(looked) > LOOKED_MS) return;
      await drawing.cards.home(person, at).catch(() => undefined);
    }),
  );
}

/** @throws CardInLineError before its time. */
export async function drawHomeAt(person: Person, at: number, { clock, drawHome }: Drawing): Promise<void> {
  const early = at - clock.now();
  if (early > 0) throw new CardInLineError(early / 1_000);
  await drawHome?.(person);
}
