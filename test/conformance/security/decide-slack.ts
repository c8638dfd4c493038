/** Decides the cases of the area slack that are data: a click, or a card. */
import { type Fields, fieldsOf } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import { compare, type Outcome, type SecurityCase, type Verdict } from './cases.ts';
import { click, clickHolds } from './slack.ts';
import { cardHolds, draw, sound } from './slack-card.ts';

const KNOWN = new Set('mode rules toolName input cwd projectRoot home now scenario'.split(' '));

interface Decided {
  readonly verdict: Verdict;
  readonly why: string;
  readonly wrong: readonly string[];
  readonly read: number;
}

async function decided(one: SecurityCase): Promise<Decided> {
  const assertions = one.assert ?? [];
  const judged = (holds: (assertion: string) => boolean | undefined) => ({
    wrong: assertions.filter((assertion) => holds(assertion) === false),
    read: assertions.filter((assertion) => holds(assertion) !== undefined).length,
  });
  if ('render' in fieldsOf(one.given['scenario'])) {
    const seen = await draw(one);
    const { wrong, read } = judged((assertion) => cardHolds(assertion, seen));
    return { verdict: seen.verdict, why: seen.why, wrong: [...wrong, ...sound(seen)], read };
  }
  const seen = await click(one);
  const inOrder = { verdict: seen.verdict, why: seen.why, ...judged((assertion) => clickHolds(assertion, seen)) };
  const reversed = reversedRace(one);
  if (reversed === undefined) return inOrder;
  // Both orders are tried: the assertions hold in either.
  const other = await click(reversed);
  return { ...inOrder, wrong: [...inOrder.wrong, ...judged((assertion) => clickHolds(assertion, other)).wrong] };
}

function reversedRace(one: SecurityCase): SecurityCase | undefined {
  const scenario = fieldsOf(one.given['scenario']);
  const { race } = scenario;
  if (!Array.isArray(race)) return undefined;
  return { ...one, given: { ...one.given, scenario: { ...scenario, race: race.toReversed() } } };
}

/** A case that cannot be interpreted has failed. */
export async function decideSlack(one: SecurityCase): Promise<Outcome> {
  const expected = `${one.match} ${one.expect}${one.assert === undefined ? '' : ` with ${one.assert.join('; ')}`}`;
  try {
    known(one.given);
    const { verdict, why, wrong, read } = await decided(one);
    if (one.kind === 'property' && read === 0) throw new Uninterpretable('no assertion of this property can be read');
    const passed = compare(one, verdict) && wrong.length === 0;
    return { passed, expected, got: `${verdict} (${why})${wrong.length ? `, not: ${wrong.join('; ')}` : ''}` };
  } catch (error) {
    return { passed: false, expected, got: String(error) };
  }
}

function known(given: Fields): void {
  const unread = Object.keys(given).filter((key) => !KNOWN.has(key));
  if (unread.length) throw new Uninterpretable(unread.join(', '));
}
