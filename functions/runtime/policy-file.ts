/**
 * Reads the policy file that synthesis put beside the code, and the names in it.
 * In a file of its own: a function that judges no call is loaded without what compiles rules.
 */
import { readFileSync } from 'node:fs';
import type { PolicyDocument } from '../../shared/config/document.ts';
import { cardNamesOf } from '../../shared/config/readers/card-names.ts';
import { peopleOf } from '../../shared/config/readers/people-of.ts';
import { withoutPrototypes } from '../../shared/domain/own.ts';
import { lazy } from './lazy.ts';

export const policyFile = /* @__PURE__ */ lazy(
  () => JSON.parse(readFileSync(new URL('./policy.json', import.meta.url), 'utf8')) as PolicyDocument,
);

/** How the policy calls people, tools and rules, and who is in which group: for a function that decides nothing. */
export const policyNames = /* @__PURE__ */ lazy(() => {
  const settings = withoutPrototypes(policyFile().policy);
  return { names: cardNamesOf({ ...policyFile(), policy: settings }), people: peopleOf(settings) };
});
