/** Declares the `lint` section: findings of `policy lint` that a policy file accepts, with reasons. */
import * as z from 'zod';
import { text } from '../../contract/primitives.ts';
import { section } from './common-fields.ts';

const ignored = section({
  code: text(60)
    .regex(/^[a-z][a-z_]*$/, 'must be the code of a finding, as in no_edits')
    .describe('The code that stands at the end of the finding.'),
  where: text(1000)
    .min(1)
    .optional()
    .describe('The rule or the key that the finding names, as in tools.Pay; default: wherever the code is found.'),
  reason: text(300).min(1).describe('Why this deployment wants it so.'),
});

/** Absent where nothing is accepted, so that the version of such a file does not depend on this section. */
export const lint = section({
  ignore: z
    .array(ignored)
    .default([])
    .describe('Findings that are not reported. One that is never found is reported itself.'),
})
  .optional()
  .describe('What `countersign policy lint` reports of this file. Nothing here changes a verdict.');

export type IgnoredFinding = z.infer<typeof ignored>;
