/** Makes the schema of a section of the policy file; unknown keys are refused with those it has. */
import * as z from 'zod';
import { orNearest } from './text/nearest.ts';

/** An object whose unknown keys are refused together with the keys that are allowed there. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const free = allowed.filter((key) => !Object.hasOwn(Object(issue.input), key));
      const nearest = orNearest(issue.keys[0] ?? '', free);
      return `unknown key ${issue.keys.join(', ')}; allowed here: ${allowed.join(', ')}${nearest}`;
    },
  });
}
