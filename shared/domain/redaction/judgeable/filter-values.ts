/** Says of a mark in a command of jq or yq whether it stands for a value of the filter. */
import { commandOf } from '../readers/command-words.ts';
import { isSecretName } from '../tables/names.ts';
import { ENDS, starts } from './command-values.ts';
import { isInWordOf } from './quoted-values.ts';

const FILTERS = ['jq', 'yq', 'gojq', 'jaq'];

/** `jq '.a.token |= "‹…›"'`, and `jq --arg token ‹…›`. `before`: all of the text before the mark. */
export const isValueOfFilter = (before: string, after: string): boolean =>
  isSet(before, after) || isGiven(before, after);

/** All of a text of the filter. */
const isSet = (before: string, after: string): boolean =>
  after === '"' &&
  /[A-Za-z0-9_\]][ \t]{0,4}\|?=[ \t]{0,4}"$/.test(before) &&
  FILTERS.some((program) => isInWordOf(before.slice(0, -1), program));

function isGiven(all: string, after: string): boolean {
  // A bound, because each of many marks would look through all of the text.
  const before = all.slice(-600);
  const words = commandOf(before.replace(/["']$/, ''));
  return (
    ENDS.test(after) &&
    /[ \t]["']?$/.test(before) &&
    /^--arg(?:json)?$/.test(words.at(-2) ?? '') &&
    isSecretName(words.at(-1) ?? '') &&
    FILTERS.some((program) => starts(before, program))
  );
}
