/**
 * Checks that the gate's choice, suspended at each question, is the choice in memory.
 *
 * For every tree, space and script of answers (R0-004, A16).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { expectSame, isEnded, scripted } from './choice-in-memory.ts';
import { choicePolicyText, type Ended, step, type Waiting } from './choice-steps.ts';

test('suspended at every question and rebuilt from its journal, it is what it is in memory', async () => {
  await fc.assert(
    fc.asyncProperty(scripted, async (one) => {
      let state: Waiting | Ended = { scripted: one, journal: [] };
      while (!isEnded(state)) state = await step(state);
      await expectSame(one, state);
    }),
    { numRuns: 300 },
  );
});

test('what a rule denies is never chosen, whoever chose it', async () => {
  const denying = compilePolicy(loadPolicy(choicePolicyText("'Flow(a)'"), 'countersign.yaml'));
  await fc.assert(
    fc.asyncProperty(scripted, async (one) => {
      let state: Waiting | Ended = { scripted: one, journal: [] };
      while (!isEnded(state)) state = await step(state, denying);
      if (state.answer !== null) expect(one.space.actions).toContainEqual(state.answer);
      expect(state.answer).not.toMatchObject({ flow_id: 'a' });
    }),
    { numRuns: 150 },
  );
});
