/** Checks that the terminal shows exactly what would run, whatever agents write (G22, G48). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOfWaiting } from '../../../../shared/cli/support/print-approval.ts';
import { parseJson } from '../../../../shared/domain/raw-json.ts';
import { UNSEEN } from '../../../../shared/domain/text/invisible-characters.ts';
import { choiceSource, hostileCalls, hostileText, inputSource, sourceOf } from '../../adapters/slack/surfaces.ts';
import { NOW } from '../run-cli.ts';

const io = { now: () => NOW } as never;
const textOf = ({ approval, proposal }: ReturnType<typeof sourceOf>): Promise<string> =>
  textOfWaiting({ approval, proposal: JSON.stringify(proposal), cards: [], waiters: [] }, io);

/** Only our own line ends part the lines. */
const harmless = (text: string) => expect(text.replaceAll('\n', '').match(UNSEEN)).toBeNull();

/** The JSON values that begin a line, each up to the line that ends it. */
const valuesIn = (text: string): unknown[] =>
  [...text.matchAll(/^(?:\{\}|\{\n(?: .*\n)*\})$/gm)].map(([value]) => parseJson(value));

test('the arguments of every call parse back to what would run, and nothing takes effect', async () => {
  await fc.assert(
    fc.asyncProperty(hostileCalls, hostileText(200), hostileText(3_000), async (calls, title, description) => {
      const text = await textOf(sourceOf(calls, {}, { title, description }));
      harmless(text);
      expect(valuesIn(text)).toEqual(calls.map(({ input }) => input));
    }),
    { numRuns: 60 },
  );
});

test('so does a chosen action, and a question is text', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText(1_000), async (words) => {
      const source = choiceSource(1, words);
      const text = await textOf(source);
      harmless(text);
      if (source.proposal.kind !== 'action-choice') throw new Error('asks about no choice');
      expect(valuesIn(text)).toEqual([source.proposal.actionSpace.actions[0]]);
      harmless(await textOf(inputSource(words || '?', ['yes', words.slice(0, 75).toWellFormed() || 'no'])));
    }),
    { numRuns: 60 },
  );
});
