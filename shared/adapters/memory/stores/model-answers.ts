/** Remembers answers of the classifier's model in memory. */
import type { ModelAnswer, ModelAnswerStore } from '../../../ports/stores/model-answers.ts';
import { sharedOf, toCopy } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export function memoryModelAnswers(state: MemoryState): ModelAnswerStore {
  const current = (key: string, now: number): ModelAnswer | undefined => {
    const row = state.modelAnswers.get(key);
    return row && now < row.expiresAt ? (sharedOf(row.answer) as ModelAnswer) : undefined;
  };
  return {
    async read(keys, now) {
      const found = keys.map((key) => [key, current(key, now)] as const);
      return new Map(found.flatMap(([key, answer]) => (answer ? [[key, answer]] : [])));
    },
    async remember(key, answer, now, expiresAt) {
      const earlier = current(key, now);
      if (earlier) return earlier;
      state.modelAnswers.set(key, { answer: toCopy(answer), expiresAt });
      return answer;
    },
  };
}
