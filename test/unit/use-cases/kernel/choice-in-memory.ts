/** Plays a choice of the gate as the same policy tree with its questions in memory (R0-004, A16). */
import fc from 'fast-check';
import { expect } from 'vitest';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import { buildPolicy } from '../../../../shared/policies/build.ts';
import type { StageRecord } from '../../../../shared/policies/index.ts';
import { outcomeOfChoice } from '../../../../shared/policies/outcome.ts';
import { seededRandom } from '../../../../shared/policies/random.ts';
import { scripts, snapshots, spaces, trees } from '../../policies/generators.ts';
import { type Ended, PID, placed, type Scripted, saying, type Waiting } from './choice-steps.ts';

export const scripted: fc.Arbitrary<Scripted> = fc.record({
  tree: trees,
  space: spaces,
  snapshot: snapshots,
  script: scripts,
});

export async function inMemory({ tree, space, snapshot, script }: Scripted) {
  let asked = 0;
  const answer = () => {
    const next = script[asked % script.length];
    asked += 1;
    if (!next) throw new Error('a script has an answer');
    return next;
  };
  const stages: StageRecord[] = [];
  const policy = buildPolicy(tree, {
    channel: () => ({ requestApproval: async () => placed(answer().person, space) }),
    client: () => ({ complete: (messages, model) => saying(answer()).complete(messages, model) }),
    random: (place) => seededRandom(PID, place),
  });
  const action = await policy.choose(space, snapshot, { observe: (record) => stages.push(record) });
  return { action, stages, asked };
}

export const isEnded = (state: Waiting | Ended): state is Ended => 'outcome' in state;

export async function expectSame(one: Scripted, ended: Ended): Promise<void> {
  const plain = await inMemory(one);
  // The gate's stages went through JSON.
  expect(JSON.parse(JSON.stringify(ended.stages))).toEqual(JSON.parse(JSON.stringify(plain.stages)));
  expect(ended.outcome).toBe(outcomeOfChoice(plain));
  expect(ended.digest).toBe(plain.action && choiceDigest(plain.action));
  expect(ended.answer).toEqual(plain.action);
  if (ended.answer !== null) expect(one.space.actions).toContainEqual(ended.answer);
}
