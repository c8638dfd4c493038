/**
 * Fails every call of every port and of the model during a choice (A16, A18b).
 *
 * Each fails before and after its effect. A choice comes to one decision, a model is called once more at most, and no
 * two different answers to one question are ever used.
 */
import { describe, expect, test } from 'vitest';
import { memoryJournalStore } from '../../../../shared/adapters/memory/stores/journal-store.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import type { LlmClient } from '../../../../shared/ports/llm-client.ts';
import { vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { choice, choicePolicy, choiceWorld, flow, picks } from '../choice-world.ts';
import { Failing, type Failure, isAsBeforeNext } from '../crashes.ts';
import { PEOPLE, type World } from '../world.ts';

const SHORT = choicePolicy({ approvals: '{ approvers: platform, timeout: 12m }' });

/** Says something else each time it is asked, so that a second answer would show. */
class FickleModel implements LlmClient {
  calls = 0;
  readonly #flows: readonly string[];
  constructor(flows: readonly string[]) {
    this.#flows = flows;
  }
  async complete() {
    const text = picks(this.#flows[this.calls % this.#flows.length] ?? '');
    this.calls += 1;
    return { text, usage: { inputTokens: this.calls, outputTokens: 1 } };
  }
}

interface Scenario {
  readonly policy: string;
  readonly flows: readonly string[];
  readonly people: readonly (keyof typeof PEOPLE)[];
  /** Questions for the model without a failure. */
  readonly questions: number;
}

const SCENARIOS: readonly Scenario[] = [
  { policy: 'model', flows: ['update_status', 'cancel_order', 'release_escrow'], people: [], questions: 1 },
  { policy: 'judged', flows: ['update_status'], people: ['alice', 'bob'], questions: 1 },
];

async function played({ policy, flows, people }: Scenario, failure: Failure | undefined) {
  const clockOf: { world?: World } = {};
  const failing = new Failing(failure, () => {
    if (!clockOf.world) throw new Error('no world yet');
    return clockOf.world.clock;
  });
  const model = new FickleModel(flows);
  const { world } = choiceWorld([], SHORT, { wrap: failing.wrap, llm: failing.wrap('llm', model) });
  clockOf.world = world;
  await world.send(choice('c1', policy));
  for (const [index, who] of people.entries()) {
    await world.clock.advance(130_000);
    for (let attempt = 0; attempt < 3; attempt++) {
      const view = await world.look.approvals.read(world.pid('c1'));
      if (!view || view.approval.round !== index + 1 || view.approval.status !== 'pending') break;
      const { approval, cards } = view;
      const ballot = { choice: 'approve', questionDigest: approval.question.digest, via: 'slack' } as const;
      const from = { card: cards[0] ?? { channel: 'C0APPROVALS', ts: '1.1' }, isOwn: () => true };
      const click = { pid: approval.pid, person: PEOPLE[who], isBot: false, ballot, from };
      await vote({ ...click, requestId: `${index}.${attempt}` }, world.gate.parts).catch(() => undefined);
      await world.clock.advance(5_000);
    }
  }
  await world.clock.advance(16 * 60_000);
  return { world, failing, model };
}

describe.each(SCENARIOS)('$policy', (scenario) => {
  test('comes to one decision, whatever fails', async () => {
    const plain = await played(scenario, undefined);
    expect(await plain.world.decided('c1')).toMatchObject({ outcome: 'answered' });
    expect(plain.model.calls).toBe(scenario.questions);
    const { calls, instants } = plain.failing;
    expect(calls).toBeGreaterThan(10);
    for (let at = 1; at <= calls; at++) {
      for (const when of ['before', 'after'] as const) {
        for (const kind of ['fault', 'crash'] as const) {
          const failure: Failure = { at, when, kind };
          if (isAsBeforeNext(failure, instants)) continue;
          const { world, failing, model } = await played(scenario, failure);
          const name = `${scenario.policy}, call ${at}: ${failing.hit}`;
          const decision = await world.decision('c1');
          expect(decision, name).toBeDefined();
          expect(model.calls, name).toBeLessThanOrEqual(scenario.questions + 1);
          const journal = await memoryJournalStore(world.gate.parts.state).read(world.pid('c1'));
          const texts = journal.flatMap((entry) =>
            entry.type === 'model' && entry.result.ok ? [entry.result.text] : [],
          );
          expect(texts.length, name).toBeLessThanOrEqual(scenario.questions);
          if (scenario.policy !== 'model' || !decision?.answer) continue;
          // The decision follows the journal, and not the answer of a second call.
          const flows = scenario.flows.filter((id) => texts.includes(picks(id)));
          expect(
            flows.map((id) => choiceDigest(flow(id))),
            name,
          ).toEqual([decision.actionDigest]);
        }
      }
    }
  });
});
