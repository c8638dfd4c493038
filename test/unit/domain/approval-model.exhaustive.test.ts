/**
 * Explores every interleaving of up to four actors on one approval (G18).
 *
 * Rounds and stages are part of it. Somebody who votes looks at the card, and the click that follows is about what it
 * showed, however late and often it is delivered. An actor reads the row, writes on the condition that it is still the
 * one read, and wakes the workflow; it may stop for good before any step, and be delivered again. `run` stands for the
 * workflow and the reconciler with a round that ended: they ask about the edited call, or decide. Checked over all
 * states.
 */
import { expect, test } from 'vitest';
import type { Approval, Question, Severity } from '../../../shared/contract/index.ts';
import {
  type Ballot,
  cancel,
  castVote,
  expire,
  isTerminal,
  nextRound,
} from '../../../shared/domain/approval/approval.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { ASKED, ballot, HOUR, voter, waiting } from './rows.ts';

const VOTES: Readonly<Record<string, (questionDigest: string) => readonly [string, Ballot]>> = {
  approve: (questionDigest) => ['ALICE', ballot('approve', { questionDigest })],
  'approve too': (questionDigest) => ['CAROL', ballot('approve', { questionDigest })],
  reject: (questionDigest) => ['BOB', ballot('reject', { questionDigest })],
  edit: (questionDigest) => {
    const change = { callId: 'call', input: { command: 'ls' }, actionDigest: sha256Hex('edited') } as const;
    return ['ALICE', { choice: 'edit', questionDigest, via: 'slack', ...change }];
  },
};
const ACTS = [...Object.keys(VOTES), 'expire', 'cancel', 'run'];

interface Shape {
  readonly name: string;
  readonly severity: Severity;
  readonly quorums: readonly number[];
}
const SHAPES: readonly Shape[] = [
  { name: 'one stage', severity: 'medium', quorums: [1] },
  { name: 'two stages', severity: 'medium', quorums: [1, 1] },
  { name: 'one stage of high severity', severity: 'high', quorums: [2] },
  { name: 'two stages of high severity', severity: 'high', quorums: [1, 1] },
];

function questionOf({ severity, quorums }: Shape, round: number): Question {
  const groups = ['platform', 'security'];
  const stages = quorums.map((quorum, at) => ({ group: groups[at] ?? '', quorum, team: 'T1', channel: `C${at}` }));
  return { ...waiting().question, severity, stages, digest: sha256Hex(`question ${round}`) };
}

const STEPS = ['look', 'read', 'write', 'wake', 'done', 'gone'] as const;
interface Actor {
  readonly act: string;
  /** `gone`: it stopped for good, at whatever step. */
  readonly step: (typeof STEPS)[number];
  /** Digest of the question that the card showed. */
  readonly shown: string;
  readonly seen?: Approval | undefined;
  readonly deliveries: number;
}

interface World {
  readonly row: Approval;
  readonly decided: boolean;
  readonly woken: boolean;
  /** How many more actors may stop, which keeps the number of states within bounds. */
  readonly stops: number;
  readonly actors: readonly Actor[];
}

/** An actor's write about the row that it saw; nothing: it is refused. */
type Wish = { readonly row: Approval } | 'decide';

class Model {
  readonly #shape: Shape;
  /** One object per state of the row, with its number. */
  readonly #rows = new Map<string, Approval>();
  readonly #numbers = new Map<Approval | string, number>();
  readonly #wishes = new Map<string, readonly Wish[]>();
  constructor(shape: Shape) {
    this.#shape = shape;
  }

  start(acts: readonly string[], stops: number): World {
    const row = this.#intern(waiting({ question: questionOf(this.#shape, 1) }));
    const mayAskAgain = acts.includes('edit') && acts.includes('run');
    const actors = acts.map((act): Actor => {
      // Where there is one round only it does not matter when somebody looked.
      const looks = mayAskAgain && act in VOTES;
      return { act, step: looks ? 'look' : 'read', shown: row.question.digest, deliveries: 1 };
    });
    return { row, decided: false, woken: false, stops, actors };
  }

  /** Numbers a row, or the digest of a question, from 1. */
  numberOf(one: Approval | string): number {
    const number = this.#numbers.get(one) ?? this.#numbers.size + 1;
    this.#numbers.set(one, number);
    return number;
  }

  /** All that can happen next: a step of an actor, its end, or its message delivered again. */
  *next(world: World): Generator<World> {
    for (const [index, actor] of world.actors.entries()) {
      const put = (changed: Partial<Actor>, more: Partial<World> = {}): World => ({
        ...world,
        ...more,
        actors: world.actors.map((other, at) => (at === index ? { ...actor, ...changed } : other)),
      });
      if (world.stops && actor.step !== 'gone' && actor.step !== 'done' && actor.step !== 'look')
        yield put({ step: 'gone', seen: undefined }, { stops: world.stops - 1 });
      switch (actor.step) {
        case 'look':
          yield put({ step: 'read', shown: world.row.question.digest });
          break;
        case 'read':
          yield put({ step: 'write', seen: world.row });
          break;
        case 'write': {
          const seen = actor.seen ?? world.row;
          const wishes = this.#wishesOf(actor, seen);
          // Refused: whoever finds a round that ended wakes the workflow again, it may be asleep.
          if (!wishes.length) yield put({ step: isTerminal(seen.status) ? 'wake' : 'done', seen: undefined });
          // The store's condition: the version that was read, and not decided.
          else if (seen.version !== world.row.version) yield put({ step: 'read', seen: undefined });
          else if (world.decided) yield put({ step: 'done', seen: undefined });
          else
            for (const wish of wishes) {
              const row = wish === 'decide' ? world.row : wish.row;
              const wakes = actor.act !== 'run' && isTerminal(row.status);
              if (wish !== 'decide') checkWrite(world.row, row, actor, this.#shape);
              yield put({ step: wakes ? 'wake' : 'done', seen: undefined }, { row, decided: wish === 'decide' });
            }
          break;
        }
        case 'wake':
          yield put({ step: 'done' }, { woken: world.woken || isTerminal(world.row.status) });
          break;
        case 'gone':
          if (actor.deliveries < 2) yield put({ step: 'read', deliveries: actor.deliveries + 1 });
          break;
        case 'done':
          break;
        default:
          actor.step satisfies never;
      }
    }
  }

  #wishesOf({ act, shown }: Actor, seen: Approval): readonly Wish[] {
    const key = `${act} ${this.numberOf(shown)} ${this.numberOf(seen)}`;
    const known = this.#wishes.get(key);
    if (known) return known;
    const wishes = this.#wish(act, shown, seen);
    this.#wishes.set(key, wishes);
    return wishes;
  }

  #wish(act: string, shown: string, seen: Approval): readonly Wish[] {
    const cast = VOTES[act]?.(shown);
    const now = act === 'expire' ? ASKED + HOUR : ASKED + 1;
    if (act === 'run') {
      if (!isTerminal(seen.status)) return [];
      const again = nextRound(seen, questionOf(this.#shape, seen.round + 1), now);
      // The call as edited may ask, or be allowed or denied by a rule.
      return [...(again.ok ? [{ row: this.#intern(again.next) }] : []), 'decide'];
    }
    const result = cast
      ? castVote(seen, voter(cast[0]), cast[1], now)
      : act === 'expire'
        ? expire(seen, now)
        : cancel(seen, now);
    return result.ok ? [{ row: this.#intern(result.next) }] : [];
  }

  #intern(row: Approval): Approval {
    const key = JSON.stringify(row);
    const known = this.#rows.get(key);
    if (known) return known;
    this.#rows.set(key, row);
    return row;
  }
}

/** Checks every single write, whoever made it. */
function checkWrite(before: Approval, after: Approval, { act, shown }: Actor, { severity, quorums }: Shape): void {
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${act}: ${what}: ${JSON.stringify([before, after])}`);
  };
  must(after.version === before.version + 1, 'the version does not grow by one');
  must(!(act in VOTES) || shown === before.question.digest, 'a vote about another question counted');
  if (isTerminal(before.status)) {
    const reopened = act === 'run' && before.status === 'edited' && !before.withdrawn;
    const isNext = after.round === before.round + 1 && after.status === 'pending' && !after.votes.length;
    const isWithdrawal = act === 'cancel' && after.withdrawn === true && after.status === before.status;
    must(reopened ? isNext : isWithdrawal, 'a round that ended was written again');
    return;
  }
  must(after.round === before.round && after.question === before.question, 'what is asked changed meanwhile');
  const voters = after.votes.map(({ by }) => by.user);
  must(new Set(voters).size === voters.length, 'a person voted twice');
  if (after.status !== 'approved') return;
  const yes = after.votes.filter(({ choice }) => choice === 'approve');
  must(
    quorums.every((quorum, stage) => yes.filter((vote) => vote.stage === stage).length >= quorum),
    'a stage was left out',
  );
  if (severity !== 'high') return;
  must(yes.length >= 2, 'fewer than two people approved what is of high severity');
  must(!after.editors?.some(({ user }) => voters.includes(user)), 'an editor approved what is of high severity');
}

function check({ row, decided, woken, actors }: World): void {
  if (decided && !isTerminal(row.status)) throw new Error('decided while people are asked');
  const ended = isTerminal(row.status) || row.round > 1;
  if (woken && !ended) throw new Error('the workflow was woken without an end');
  const withdrew = actors.some(({ act, step }) => act === 'cancel' && step === 'done');
  if (withdrew && !isTerminal(row.status)) throw new Error('somebody is asked about what the agent cancelled');
}

function explore(acts: readonly string[], stops: number, model: Model): Set<string> {
  const key = ({ row, decided, woken, stops: left, actors }: World) => {
    // Two actors that do the same are interchangeable.
    const each = actors.map(({ act, step, shown, seen, deliveries }) => {
      const where = (ACTS.indexOf(act) * STEPS.length + STEPS.indexOf(step)) * 3 + deliveries;
      return (where * 10_000 + model.numberOf(shown)) * 10_000 + (seen ? model.numberOf(seen) : 0);
    });
    const flags = (decided ? 2 : 0) + (woken ? 1 : 0) + left * 4;
    return `${model.numberOf(row)} ${flags} ${each.sort((a, b) => a - b).join(' ')}`;
  };
  const start = model.start(acts, stops);
  const seen = new Set([key(start)]);
  const ends = new Set<string>();
  const queue = [start];
  for (let world = queue.pop(); world; world = queue.pop()) {
    check(world);
    let isLast = true;
    for (const follower of model.next(world)) {
      isLast = false;
      // After the decision nothing is written, by anybody.
      if (world.decided && (follower.row !== world.row || !follower.decided))
        throw new Error('a decision was not final');
      const id = key(follower);
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(follower);
    }
    if (isLast) ends.add(world.row.status);
  }
  return ends;
}

/** All choices of `count` actors, in any number of each act. */
function choices(count: number, from: readonly string[] = ACTS): string[][] {
  if (count === 0) return [[]];
  return from.flatMap((act, index) => choices(count - 1, from.slice(index)).map((rest) => [act, ...rest]));
}

test.each(
  SHAPES.flatMap((shape) =>
    [
      { count: 1, stops: 2 },
      { count: 2, stops: 4 },
      { count: 3, stops: 1 },
      { count: 4, stops: 0 },
    ].map((bounds) => ({ ...shape, ...bounds, shape })),
  ),
)('$name: $count actors, $stops of them stopped: one end per round, one decision', ({ shape, count, stops }) => {
  const model = new Model(shape);
  const ends = new Set<string>();
  for (const acts of choices(count)) {
    for (const end of explore(acts, stops, model)) ends.add(end);
  }
  const people = Math.max(shape.quorums.length, ...shape.quorums);
  const reachable = ['rejected', 'edited', 'expired', 'cancelled', ...(count >= people ? ['approved'] : [])];
  for (const end of reachable) expect(ends).toContain(end);
  if (count < people) expect(ends).not.toContain('approved');
});
