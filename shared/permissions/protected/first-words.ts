/** Lists the words that protected names begin with, as many other files of a project do. */

/**
 * By the name: `auth*` means `auth.ts`, and `user*` means `user.py`. A glob in a folder of the project that says no more of the name means
 * those. Names of private keys and names with a leading dot have no such word.
 */
export const FIRST_WORDS: ReadonlyMap<string, string> = new Map([
  ['authorized_keys', 'authorized'],
  ['countersign.yaml', 'counter'],
  ['lefthook*.y*ml', 'left'],
  ['opencode.json', 'open'],
  ['sitecustomize.py', 'site'],
  ['usercustomize.py', 'user'],
]);
