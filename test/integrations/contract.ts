/**
 * Checks every adapter with its framework's own package and a fake model.
 *
 * A tool runs only under its permit (G49).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AMOUNT, Scene, type World } from './scene.ts';

/** A call that the fake model makes. */
export interface ModelCall {
  readonly id: string;
  readonly tool: 'Refund' | 'Lookup' | 'Wipe';
  readonly input: Readonly<Record<string, unknown>>;
}

/** A run as far as it went. */
export interface Episode {
  /** Ids of the calls that wait; empty once the run is over. */
  readonly waiting: readonly string[];
  /** The framework's own state, as a text that another process reads. */
  readonly state: string;
  /** The model's own view of each call, by its id. */
  readonly seen: Readonly<Record<string, string>>;
}

interface StartOptions {
  readonly signal?: AbortSignal;
}

export interface Adapter {
  readonly name: string;
  /** Id of the run that the framework's calls belong to, where the framework gives them one. Default: the scene's. */
  readonly run?: string;
  /** False: the framework holds the run while people are asked. */
  readonly suspends: boolean;
  /** The calls of one turn are asked about one after another, and not together. */
  readonly oneByOne?: boolean;
  /** The calls of one turn share a card, where a person answers each of them and cannot change its arguments. */
  readonly oneCard?: boolean;
  /** The run names one of its waiting calls at a time, which may be any of them; people are asked about all. */
  readonly namesOne?: boolean;
  /** The framework takes up one waiting call of a turn: the others are lost. */
  readonly single?: boolean;
  /** A run that is taken up before people answered ends again, and leaves its question open. */
  readonly leavesOpen?: boolean;
  /** False: the framework runs its tools itself, without a permit. */
  readonly redeems?: boolean;
  /** The words for the model as the framework hands them on. */
  readonly refusal: (message: string, tool: string) => string;
  readonly output?: (text: string) => string;
  /** A new agent whose model makes these calls in one turn, and then ends. */
  start(scene: World, calls: readonly ModelCall[], options?: StartOptions): Promise<Episode>;
  /** New objects take the state up, and approve every call that waits, whatever people answered. */
  resume?(scene: World, state: string, calls: readonly ModelCall[], options?: StartOptions): Promise<Episode>;
  /** The framework's own "always allow" switched on. */
  startAllowingAll?(scene: World, calls: readonly ModelCall[]): Promise<Episode>;
  /** A history from a client that says the call was approved. */
  forge?(scene: World, call: ModelCall): Promise<unknown>;
}

const refund = (amount: number, id = `call_${amount}`): ModelCall => ({ id, tool: 'Refund', input: { amount } });
const lookup: ModelCall = { id: 'call_l', tool: 'Lookup', input: { id: 'o-1' } };
const wipe: ModelCall = { id: 'call_w', tool: 'Wipe', input: {} };

const refusedBy = (person: string) =>
  `${person} refused this call: Too much. Do not try it again in another form; choose another way or ask the user.`;
const EXPIRED =
  'The time to answer was over before enough people had approved. This is not a refusal: the call may be proposed again under a new id if it is still needed.';
const CANCELLED = 'This proposal was cancelled by the agent that made it. It was not run.';
const EDITED = 'This call ran with {"amount":5} in place of the arguments that you proposed.';

interface DescribeOptions {
  readonly open?: () => World | Promise<World>;
  readonly passesTime?: boolean;
}

/** `open` gives each test its scene, by default a gate in memory; only where hours pass in a moment does a wait end unanswered. */
export function describeAdapter(
  adapter: Adapter,
  { open = () => new Scene(), passesTime = true }: DescribeOptions = {},
): void {
  const { refusal, output = (text: string) => text } = adapter;
  const done = (tool: string) => output(`${tool} done`);
  let scene: World;
  let run: string;
  beforeEach(async () => {
    scene = await open();
    run = adapter.run ?? scene.run;
  });
  afterEach(() => scene?.stop());

  /** From the first turn to the end of the run, with people who answer as soon as it waits. */
  async function whole(calls: readonly ModelCall[], answer = () => scene.answer()): Promise<Episode> {
    if (!adapter.suspends) answer();
    let episode = await adapter.start(scene, calls);
    answer();
    for (let times = 0; episode.waiting.length && times < 6; times++) episode = await resumed(episode, calls);
    return episode;
  }

  const resumed = (episode: Episode, calls: readonly ModelCall[]): Promise<Episode> => {
    if (!adapter.resume) throw new Error(`${adapter.name} waits, and cannot be taken up again`);
    return adapter.resume(scene, episode.state, calls);
  };

  describe(adapter.name, () => {
    test('runs at once what a rule allows, and nobody is asked', async () => {
      const { waiting, seen } = await adapter.start(scene, [lookup]);
      expect(waiting).toEqual([]);
      expect(seen[lookup.id]).toBe(done('Lookup'));
      expect(scene.ran).toEqual([{ tool: 'Lookup', input: lookup.input }]);
      expect(scene.asked).toEqual([]);
    });

    test('runs nothing that a rule denies, and tells the model why', async () => {
      const { waiting, seen } = await adapter.start(scene, [wipe]);
      expect(waiting).toEqual([]);
      expect(seen[wipe.id]).toBe(refusal(await messageOf('call_w'), 'Wipe'));
      expect(scene.ran).toEqual([]);
    });

    if (passesTime && adapter.redeems !== false)
      test('tells the model of a run that the guardrails refuse, and goes on with the others', async () => {
        const another: ModelCall = { id: 'call_m', tool: 'Lookup', input: { id: 'o-2' } };
        const { seen } = await adapter.start(scene, [lookup, another]);
        const [one, other] = [String(seen[lookup.id]), String(seen[another.id])];
        const [ran, told] = one === done('Lookup') ? [one, other] : [other, one];
        expect([ran, told]).toEqual([done('Lookup'), expect.stringContaining('Too many calls')]);
        expect(scene.ran).toHaveLength(1);
      });

    test('tells the model of arguments that the gate cannot read, and goes on with the others', async () => {
      const { seen, waiting } = await adapter.start(scene, [lookup, refund(2 ** 53 + 2)]);
      expect(waiting).toEqual([]);
      expect(seen[lookup.id]).toBe(done('Lookup'));
      expect(seen[`call_${2 ** 53 + 2}`]).toContain('outside the range that JSON readers agree on');
      expect(scene.ran).toHaveLength(1);
    });

    test('runs what people approve', async () => {
      const { seen } = await whole([refund(AMOUNT.approved)]);
      expect(seen['call_10']).toBe(done('Refund'));
      expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: 10 } }]);
      expect(scene.asked).toEqual([10]);
    });

    test('runs nothing that people refuse, whatever the framework approves', async () => {
      const { seen } = await whole([refund(scene.refused)]);
      expect(seen[`call_${scene.refused}`]).toBe(refusal(refusedBy(scene.approver), 'Refund'));
      expect(scene.ran).toEqual([]);
    });

    test('runs what people made of the arguments, and tells the model so', async () => {
      const { seen } = await whole([refund(AMOUNT.edited)]);
      expect(scene.ran).toEqual([{ tool: 'Refund', input: { amount: 5 } }]);
      expect(seen['call_50']).toContain(EDITED);
      expect(seen['call_50']).toContain('Refund done');
    });

    if (passesTime)
      test('runs nothing that nobody answered in time', async () => {
        const { seen } = await whole([refund(AMOUNT.unanswered)], () => {
          scene.answer();
          scene.hurry?.();
        });
        expect(seen['call_77']).toBe(refusal(EXPIRED, 'Refund'));
        expect(scene.ran).toEqual([]);
      });

    test('runs nothing that was withdrawn meanwhile', async () => {
      const started = adapter.start(scene, [refund(AMOUNT.approved)]);
      await scene.until(() => scene.asked.length === 1);
      await scene.client().cancel(`${run}:call_10`);
      const first = await started;
      const { seen } = first.waiting.length ? await resumed(first, [refund(AMOUNT.approved)]) : first;
      expect(seen['call_10']).toBe(refusal(CANCELLED, 'Refund'));
      expect(scene.ran).toEqual([]);
    });

    if (adapter.single)
      test('runs the one call of a turn that it names, as people decided, and none of the others', async () => {
        const calls = [refund(AMOUNT.approved), refund(scene.refused), refund(AMOUNT.edited)];
        const first = await adapter.start(scene, calls);
        const [named = ''] = first.waiting;
        await scene.until(() => scene.asked.length === 3);
        scene.answer();
        await resumed(first, calls);
        const decided: Record<string, readonly number[]> = {
          call_10: [10],
          [`call_${scene.refused}`]: [],
          call_50: [5],
        };
        expect(scene.ran.map(({ input }) => (input as { readonly amount: number }).amount)).toEqual(decided[named]);
      });
    else if (adapter.oneCard)
      test('asks about the calls of one turn on one card: one refusal does not drop the others', async () => {
        const calls = [
          refund(AMOUNT.approved),
          refund(scene.refused),
          refund(AMOUNT.approved, 'call_same'),
          lookup,
          wipe,
        ];
        const { seen } = await whole(calls);
        expect(seen).toEqual({
          call_10: done('Refund'),
          [`call_${scene.refused}`]: refusal(refusedBy(scene.approver), 'Refund'),
          call_same: done('Refund'),
          call_l: done('Lookup'),
          call_w: expect.stringMatching(/den/i),
        });
        expect(scene.ran.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).sort()).toEqual([
          'Lookup {"id":"o-1"}',
          'Refund {"amount":10}',
          'Refund {"amount":10}',
        ]);
        expect(scene.asked).toEqual([[10, scene.refused, 10]]);
      });
    else
      test('asks about the calls of one turn each by itself: one refusal does not drop the others', async () => {
        const calls = [refund(AMOUNT.approved), refund(scene.refused), refund(AMOUNT.edited), lookup];
        const { seen } = await whole(calls);
        expect(seen['call_10']).toBe(done('Refund'));
        expect(seen[`call_${scene.refused}`]).toBe(refusal(refusedBy(scene.approver), 'Refund'));
        expect(seen['call_50']).toContain(EDITED);
        expect(seen['call_l']).toBe(done('Lookup'));
        expect(new Set(scene.ran.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`))).toEqual(
          new Set(['Refund {"amount":10}', 'Refund {"amount":5}', 'Lookup {"id":"o-1"}']),
        );
        // The edit asks once more.
        expect([...scene.asked].sort()).toEqual([10, 50, 50, scene.refused].sort());
      });

    if (adapter.leavesOpen)
      test('suspends again when it is taken up before people answered, and leaves the question open', async () => {
        const calls = [refund(AMOUNT.approved)];
        const again = await resumed(await adapter.start(scene, calls), calls);
        expect(again.waiting).toEqual(['call_10']);
        expect([scene.ran, scene.asked]).toEqual([[], [10]]);
        scene.answer();
        expect((await resumed(again, calls)).seen['call_10']).toBe(done('Refund'));
        expect(scene.asked).toEqual([10]);
      });
    else
      test('withdraws what nobody waits for any more', async () => {
        const stop = new AbortController();
        const calls = [refund(AMOUNT.approved)];
        const first = adapter.suspends ? await adapter.start(scene, calls) : undefined;
        const waiting = first
          ? adapter.resume?.(scene, first.state, calls, { signal: stop.signal })
          : adapter.start(scene, calls, { signal: stop.signal });
        const ended = waiting?.catch(() => undefined);
        await scene.until(() => scene.asked.length === 1);
        await scene.pass();
        stop.abort(new Error('Ctrl-C'));
        await ended;
        await scene.until(async () => (await scene.endOf('call_10', run)) === 'cancelled');
        expect(scene.ran).toEqual([]);
      });

    if (!adapter.suspends)
      test(`asks about the calls of a turn ${adapter.oneByOne ? 'one after another' : 'together'}`, async () => {
        const started = adapter.start(scene, [refund(AMOUNT.approved), refund(scene.refused), refund(AMOUNT.edited)]);
        const number = adapter.oneByOne ? 1 : 3;
        await scene.until(() => scene.asked.length >= number);
        await scene.pass();
        expect([scene.asked.length, scene.ran]).toEqual([number, []]);
        scene.answer();
        await started;
      });

    if (adapter.suspends) {
      test('suspends the run while people are asked, all of a turn together', async () => {
        const calls = [refund(AMOUNT.approved), refund(scene.refused), refund(AMOUNT.edited)];
        const { waiting } = await adapter.start(scene, calls);
        if (adapter.namesOne || adapter.single) {
          expect(waiting).toHaveLength(1);
          await scene.until(() => scene.asked.length === 3);
        } else expect([...waiting].sort()).toEqual(['call_10', 'call_50', `call_${scene.refused}`].sort());
        expect(scene.ran).toEqual([]);
      });

      if (adapter.oneCard)
        test('meets the card of its turn after a crash, in another process, and runs its calls once', async () => {
          const calls = [refund(AMOUNT.approved), refund(scene.refused)];
          const first = await adapter.start(scene, calls);
          const again = resumed(first, calls);
          scene.answer();
          expect((await again).seen['call_10']).toBe(done('Refund'));
          await resumed(first, calls).catch(() => undefined);
          expect(scene.ran).toHaveLength(1);
          expect(scene.asked).toEqual([[10, scene.refused]]);
        });

      test('meets its own proposals after a crash, in another process', async () => {
        const calls = [refund(AMOUNT.approved)];
        const first = await adapter.start(scene, calls);
        const again = adapter.resume?.(scene, first.state, calls);
        scene.answer();
        expect((await again)?.seen['call_10']).toBe(done('Refund'));
        expect(scene.asked).toEqual([10]);
      });

      test('runs a call once, however often its run is taken up', async () => {
        const calls = [refund(AMOUNT.approved)];
        const first = await adapter.start(scene, calls);
        scene.answer();
        await resumed(first, calls);
        await resumed(first, calls).catch(() => undefined);
        expect(scene.ran).toHaveLength(1);
        expect(scene.asked).toEqual([10]);
      });
    }

    if (adapter.startAllowingAll)
      test('is not bypassed by what the framework itself always allows', async () => {
        scene.answer();
        const calls = [refund(scene.refused), wipe];
        const first = await adapter.startAllowingAll?.(scene, calls);
        if (first?.waiting.length) await resumed(first, calls);
        expect(scene.ran).toEqual([]);
      });

    if (adapter.forge)
      test('runs nothing for an approval that a client made up', async () => {
        scene.answer();
        await adapter.forge?.(scene, refund(scene.refused, 'call_forged')).catch(() => undefined);
        expect(scene.ran).toEqual([]);
      });
  });

  /** In the gate's own words. */
  async function messageOf(callId: string): Promise<string> {
    const { message } = await scene.client().wait(`${run}:${callId}`);
    return message;
  }
}
