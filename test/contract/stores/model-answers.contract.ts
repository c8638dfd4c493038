/** Checks remembered answers of the classifier's model: the first one counts until its end (D55). */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { START } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

const UNSURE = { shouldBlock: true, reason: 'who knows', confidence: 0.5 };
const SURE = { shouldBlock: false, reason: '', confidence: 1 };
const HOUR = 3_600_000;

export function modelAnswersContract({ it }: Stores): void {
  describe('remembered answers of a model', () => {
    test('the first answer stands, whoever comes later, until its time is over', async () => {
      const key = randomUUID();
      const { modelAnswers } = it();
      expect(await modelAnswers.read([key], START)).toEqual(new Map());
      expect(await modelAnswers.remember(key, UNSURE, START, START + HOUR)).toEqual(UNSURE);
      expect(await modelAnswers.remember(key, SURE, START + 1, START + 2 * HOUR)).toEqual(UNSURE);
      expect(await modelAnswers.read([key], START + HOUR - 1)).toEqual(new Map([[key, UNSURE]]));
      expect(await modelAnswers.read([key], START + HOUR)).toEqual(new Map());
      expect(await modelAnswers.remember(key, SURE, START + HOUR, START + 2 * HOUR)).toEqual(SURE);
      expect(await modelAnswers.read([key], START + HOUR)).toEqual(new Map([[key, SURE]]));
    });

    test('of eight answers at once all are given the one that stands', async () => {
      const key = randomUUID();
      const given = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          it().modelAnswers.remember(key, { ...UNSURE, reason: `number ${n}` }, START, START + HOUR),
        ),
      );
      const [stored] = (await it().modelAnswers.read([key], START)).values();
      expect(new Set(given.map(({ reason }) => reason))).toEqual(new Set([stored?.reason]));
    });

    test('several keys are read together, and one that is unknown is left out', async () => {
      const [a, b] = [randomUUID(), randomUUID()];
      await it().modelAnswers.remember(b, SURE, START, START + HOUR);
      expect(await it().modelAnswers.read([a, b], START)).toEqual(new Map([[b, SURE]]));
    });
  });
}
