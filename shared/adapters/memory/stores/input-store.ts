/** Stores large inputs in memory, once under their digest, and checks them on reading. */
import { sha256Hex } from '../../../domain/digest.ts';
import { InputGoneError, type InputStore } from '../../../ports/stores/input-store.ts';

export function memoryInputStore(): InputStore {
  const texts = new Map<string, string>();
  return {
    async put(digest, text, kind = 'input') {
      if (!texts.has(`${kind}/${digest}`)) texts.set(`${kind}/${digest}`, text);
    },
    async get(digest, kind = 'input') {
      const text = texts.get(`${kind}/${digest}`);
      if (text === undefined || sha256Hex(text) !== digest) throw new InputGoneError();
      return text;
    },
  };
}
