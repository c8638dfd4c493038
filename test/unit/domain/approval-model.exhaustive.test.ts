/**
 * Every interleaving of up to four actors on one approval (G18). An actor reads the row, writes on the condition that it is still the one
 * read, reads the token and answers it; it may stop for good before any step, and may be delivered again. Checked over all states.
 */
import { expect, test } from 'vitest';
import type { Approval } from '../../../shared/contract/index.ts';
import { cancel, castVote, expire, isTerminal, type Transition } from '../../../shared/domain/approval.ts';
import { ASKED, ballot, HOUR, voter, waiting } from './rows.ts';

type Act = (row: Approval) => Transition;
const ACTS: Readonly<Record<string, Act>> = {
  approve: (row) => castVote(row, voter('ALICE'), ballot('approve'), ASKED + 1),
  reject: (row) => castVote(row, voter('BOB'), ballot('reject'), ASKED + 1),
  expire: (row) => expire(row, ASKED + HOUR),
  cancel: (row) => cancel(row, ASKED + 1),
};

interface Actor {
  readonly act: string;
  /** `gone`: it stopped for good, at whatever step. */
  readonly step: 'read' | 'write' | 'wake' | 'done' | 'gone';
  readonly seen?: Approval | undefined;
  readonly deliveries: number;
}

interface World {
  readonly row: Approval;
  /** Decisive writes so far, and answers that the workflow took. */
  readonly ends: number;
  readonly tokenAnswered: number;
  /** How many more actors may stop, which keeps the number of states within bounds. */
  readonly stops: number;
  readonly actors: readonly Actor[];
}

/** All that can happen next: a step of an actor, its end, or its message delivered again. */
function* next(world: World): Generator<World> {
  for (const [index, actor] of world.actors.entries()) {
    const put = (changed: Partial<Actor>, more: Partial<World> = {}): World => ({
      ...world,
      ...more,
      actors: world.actors.map((other, at) => (at === index ? { ...actor, ...changed } : other)),
    });
    if (world.stops && actor.step !== 'gone' && actor.step !== 'done')
      yield put({ step: 'gone' }, { stops: world.stops - 1 });
    switch (actor.step) {
      case 'read':
        yield put({ step: 'write', seen: world.row });
        break;
      case 'write': {
        const seen = actor.seen ?? world.row;
        const result = ACTS[actor.act]?.(seen);
        // Refused: somebody ended it. Whoever finds an ended row wakes the workflow again, it may be asleep.
        if (!result?.ok) yield put({ step: isTerminal(seen.status) ? 'wake' : 'done' });
        else if (seen.version !== world.row.version) yield put({ step: 'read' });
        else {
          if (isTerminal(world.row.status)) throw new Error('a row that ended was written again');
          yield put(
            { step: 'wake' },
            { row: result.next, ends: world.ends + (isTerminal(result.next.status) ? 1 : 0) },
          );
        }
        break;
      }
      case 'wake':
        yield put({ step: 'done' }, { tokenAnswered: Math.min(1, world.tokenAnswered + 1) });
        break;
      case 'gone':
        if (actor.deliveries < 2) yield put({ step: 'read', seen: undefined, deliveries: actor.deliveries + 1 });
        break;
      case 'done':
        break;
      default:
        actor.step satisfies never;
    }
  }
}

function explore(acts: readonly string[], stops: number): { readonly states: number; readonly ends: Set<string> } {
  const start: World = {
    row: waiting(),
    ends: 0,
    tokenAnswered: 0,
    stops,
    actors: acts.map((act) => ({ act, step: 'read', deliveries: 1 })),
  };
  const key = ({ row, ends, tokenAnswered, stops: left, actors }: World) =>
    [
      row.version,
      row.status,
      ends,
      tokenAnswered,
      left,
      // Two actors that do the same are interchangeable.
      ...actors.map(({ act, step, seen, deliveries }) => `${act}${step}${seen?.version ?? ''}${deliveries}`).toSorted(),
    ].join();
  const seen = new Set([key(start)]);
  const ends = new Set<string>();
  const queue = [start];
  for (let world = queue.pop(); world; world = queue.pop()) {
    check(world);
    const followers = [...next(world)];
    if (!followers.length) ends.add(world.row.status);
    for (const follower of followers) {
      if (isTerminal(world.row.status) && follower.row !== world.row) throw new Error('an end was not final');
      const id = key(follower);
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(follower);
    }
  }
  return { states: seen.size, ends };
}

function check({ row, ends, tokenAnswered }: World): void {
  if (ends > 1) throw new Error('two decisive writes');
  if (isTerminal(row.status) !== (ends === 1)) throw new Error('an end that nobody wrote');
  if (tokenAnswered > 0 && ends === 0) throw new Error('the workflow was woken without an end');
}

/** All choices of `count` actors, in any number of each act. */
function choices(count: number, from: readonly string[] = Object.keys(ACTS)): string[][] {
  if (count === 0) return [[]];
  return from.flatMap((act, index) => choices(count - 1, from.slice(index)).map((rest) => [act, ...rest]));
}

test.each([
  { count: 1, stops: 2 },
  { count: 2, stops: 4 },
  { count: 3, stops: 2 },
  { count: 4, stops: 1 },
])(
  '$count actors, $stops of them stopped: one end, one effect on the workflow, in every interleaving',
  ({ count, stops }) => {
    let states = 0;
    for (const acts of choices(count)) {
      const found = explore(acts, stops);
      states += found.states;
      // Each actor may be the one that ends it. If all stop for good nobody does, and the reconciler takes over.
      const nobody = stops >= 2 * count ? ['pending'] : [];
      const word = { approve: 'approved', reject: 'rejected', expire: 'expired', cancel: 'cancelled' } as const;
      expect([...found.ends].toSorted()).toEqual(
        [...new Set([...nobody, ...acts.map((act) => word[act as keyof typeof word])])].toSorted(),
      );
    }
    expect(states).toBeGreaterThan(count);
  },
);
