/**
 * Checks that late, double and unordered operations loosen nothing (A5, A18).
 *
 * For all deliveries, nothing is looser than after one delivery of each in their order.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../permissions/properties/arbitraries.ts';
import { World } from '../world.ts';
import { deliver, type Wire } from './operation-deliveries.ts';

const START = new World().clock.now();
const HOUR = 3_600_000;
const ends = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const untilOf = (end: number | undefined) =>
  end === undefined ? {} : { until: new Date(START + end * HOUR).toISOString() };
const endOf = (until: string | undefined): number => (until === undefined ? Number.MAX_VALUE : Date.parse(until));

/** Sent in the order of the list; the deliveries name them by their index. */
const playOf = (operation: fc.Arbitrary<Wire>) =>
  fc.array(operation, { minLength: 1, maxLength: 7 }).chain((operations) =>
    fc.record({
      operations: fc.constant(operations),
      deliveries: fc.array(fc.nat({ max: operations.length - 1 }), { minLength: 1, maxLength: 14 }),
    }),
  );

/** Delivers them and compares after each what holds with what the same operations do once and in their order. */
async function play<State>(
  { operations, deliveries }: { readonly operations: readonly Wire[]; readonly deliveries: readonly number[] },
  inOrder: (operations: readonly Wire[]) => State,
  read: (world: World) => Promise<State>,
  compare: (is: State, should: State, isInOrder: boolean) => void,
): Promise<void> {
  const world = new World();
  const seen = new Set<number>();
  let isInOrder = true;
  for (const index of deliveries) {
    // A copy of one that was delivered changes no order.
    if (!seen.has(index) && [...seen].some((other) => other > index)) isInOrder = false;
    seen.add(index);
    await deliver(world, index + 1, operations[index] ?? {});
    const taken = [...seen].toSorted((a, b) => a - b).map((one) => operations[one] ?? {});
    compare(await read(world), inOrder(taken), isInOrder);
  }
}

const SCOPES = [{ all: true }, { agent: 'coder' }, { tool: 'Bash' }] as const;
const pauses: fc.Arbitrary<Wire> = fc
  .record({ scope: fc.constantFrom(...SCOPES), effect: fc.constantFrom('deny', 'ask', 'lift'), end: ends })
  .map(({ end, ...pause }) => ({ kind: 'pause', ...pause, ...untilOf(pause.effect === 'lift' ? undefined : end) }));
const MOMENTS = [0, 1.5, 2.5, 100].map((hours) => START + hours * HOUR);
const STRENGTH = { lift: 0, ask: 1, deny: 2 } as const;

/** By scope and moment: how much is stopped. */
type Stopped = Readonly<Record<string, readonly number[]>>;
const stoppedBy = (pause: { readonly effect: string; readonly end: number } | undefined): number[] =>
  MOMENTS.map((moment) => (pause && moment < pause.end ? STRENGTH[pause.effect as keyof typeof STRENGTH] : 0));

test('pauses', async () => {
  const inOrder = (operations: readonly Wire[]): Stopped =>
    Object.fromEntries(
      SCOPES.map((scope) => {
        const last = operations.findLast((one) => JSON.stringify(one['scope']) === JSON.stringify(scope));
        const pause = last && { effect: String(last['effect']), end: endOf(last['until'] as string | undefined) };
        return [JSON.stringify(scope), stoppedBy(pause)];
      }),
    );
  const read = async (world: World): Promise<Stopped> => {
    const { pauses: held } = await world.look.control.read();
    return Object.fromEntries(
      SCOPES.map((scope) => {
        const found = held.find((one) => JSON.stringify(one.scope) === JSON.stringify(scope));
        return [
          JSON.stringify(scope),
          stoppedBy(found && { effect: found.effect, end: found.until ?? Number.MAX_VALUE }),
        ];
      }),
    );
  };
  const compare = (is: Stopped, should: Stopped, isInOrder: boolean) => {
    if (isInOrder) return expect(is).toEqual(should);
    for (const [scope, strengths] of Object.entries(should))
      for (const [moment, strength] of strengths.entries())
        expect(is[scope]?.[moment]).toBeGreaterThanOrEqual(strength);
  };
  await fc.assert(
    fc.asyncProperty(playOf(pauses), (chosen) => play(chosen, inOrder, read, compare)),
    { numRuns: runs(300) },
  );
});

const RULES = ['allow', 'deny'].flatMap((effect) =>
  ['Bash(make:*)', 'Bash(ls:*)'].map((pattern) => ({ effect, pattern })),
);
const main = { agent: 'coder', session: 'main' };
const changes: fc.Arbitrary<Wire> = fc.oneof(
  fc
    .constantFrom('default', 'plan', 'dontAsk', 'acceptEdits', 'agent')
    .map((mode) => ({ kind: 'set-mode', ...main, mode })),
  fc
    .record({ rule: fc.constantFrom(...RULES), end: ends })
    .map(({ rule, end }) => ({ kind: 'add-rule', ...main, ...rule, ...untilOf(end) })),
  fc.constantFrom(...RULES).map((rule) => ({ kind: 'remove-rule', ...main, ...rule })),
  fc.constant({ kind: 'revoke', ...main }),
);

interface Settings {
  readonly mode: string | undefined;
  /** By rule: when it ends. */
  readonly rules: Readonly<Record<string, number>>;
}

test('modes and rules of a session', async () => {
  const inOrder = (operations: readonly Wire[]): Settings => {
    let mode: string | undefined;
    const rules: Record<string, number> = {};
    for (const one of operations) {
      const key = `${one['effect']} ${one['pattern']}`;
      if (one['kind'] === 'set-mode') mode = one['mode'] === 'agent' ? undefined : String(one['mode']);
      else if (one['kind'] === 'add-rule') rules[key] = endOf(one['until'] as string | undefined);
      else if (one['kind'] === 'remove-rule') delete rules[key];
      else for (const name of Object.keys(rules)) if (name.startsWith('allow')) delete rules[name];
    }
    return { mode, rules };
  };
  const read = async (world: World): Promise<Settings> => {
    const row = await world.gate.parts.sessions.read('coder', 'main');
    const rules = (row?.rules ?? []).map((one) => [`${one.effect} ${one.pattern}`, endOf(one.expiresAt)]);
    return { mode: row?.mode, rules: Object.fromEntries(rules) };
  };
  // Two modes of one strength do not take each other's turn. The policy file says `default`.
  const strength = (mode = 'default'): number => ({ acceptEdits: 0, default: 1 })[mode] ?? 2;
  const compare = (is: Settings, should: Settings, isInOrder: boolean) => {
    if (isInOrder) return expect(is).toEqual(should);
    if ((is.mode ?? 'default') !== (should.mode ?? 'default'))
      expect(strength(is.mode)).toBeGreaterThan(strength(should.mode));
    for (const { effect, pattern } of RULES) {
      const key = `${effect} ${pattern}`;
      const [end, other] = [is.rules[key] ?? 0, should.rules[key] ?? 0];
      if (effect === 'allow') expect(end).toBeLessThanOrEqual(other);
      else expect(end).toBeGreaterThanOrEqual(other);
    }
  };
  await fc.assert(
    fc.asyncProperty(playOf(changes), (chosen) => play(chosen, inOrder, read, compare)),
    { numRuns: runs(400) },
  );
});

const places: fc.Arbitrary<Wire> = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((end) => ({ kind: 'delegate', person: 'alice', to: 'olga', ...untilOf(end) })),
  fc.constant({ kind: 'undelegate', person: 'alice' }),
);

test('the latest delegation holds, in whichever order they come', async () => {
  const inOrder = (operations: readonly Wire[]): number =>
    endOf((operations.at(-1)?.['until'] as string) ?? new Date(0).toISOString());
  const read = async (world: World): Promise<number> => {
    const { delegations } = await world.gate.parts.delegations.read();
    return endOf(delegations[0]?.until ?? new Date(0).toISOString());
  };
  const compare = (is: number, should: number, isInOrder: boolean) =>
    isInOrder ? expect(is).toBe(should) : expect(is).toBeLessThanOrEqual(should);
  await fc.assert(
    fc.asyncProperty(playOf(places), (chosen) => play(chosen, inOrder, read, compare)),
    { numRuns: runs(100) },
  );
});
