/** Declares the section `redaction`: secrets that only this deployment knows. */
import * as z from 'zod';
import { text } from '../../contract/primitives.ts';
import { section } from './common-fields.ts';

const pattern = section({
  kind: z
    .string()
    .regex(/^[a-z0-9][a-z0-9 _-]{0,39}$/, 'must be a few words in small letters')
    .describe('What stands in the mark that takes the place of the secret.'),
  pattern: text(200)
    .regex(/^[^\s*]{4,}/, 'must begin with at least four characters that are neither blank nor *')
    .regex(/^\S+$/, 'must hold no blank')
    .describe('A literal; `*` stands for a run of A-Z a-z 0-9 + - . / = _ ~. It is found anywhere in a text.'),
});

export const redaction = section({
  names: z
    .array(text(64).regex(/[A-Za-z]{2}/, 'must hold a word'))
    .default([])
    .describe(
      'Fields, options and variables whose values are secret, besides password, token, authorization and the like.',
    ),
  patterns: z.array(pattern).max(100).default([]).describe('Secrets that show by how they begin.'),
})
  .prefault({})
  .describe(
    'What is taken out of everything that is stored or shown, besides the secrets that every deployment knows.',
  );
