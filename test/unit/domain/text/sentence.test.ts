/** Tests where a text of somebody else gets a full stop. */
import { expect, test } from 'vitest';
import { asSentence } from '../../../../shared/domain/text/sentence.ts';

test.each([
  ['not like this', 'not like this.'],
  ['Not like this, please.', 'Not like this, please.'],
  ['Which branch?', 'Which branch?'],
  ['Stop!', 'Stop!'],
  ['cut off…', 'cut off…'],
])('%s', (text, sentence) => expect(asSentence(text)).toBe(sentence));
