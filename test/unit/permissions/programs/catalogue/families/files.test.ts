/** Checks how allow and deny rules read the commands of tools for files and search. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  ['diff3:*', ['diff3 --diff-program=./e a b c']],
  ['xxd:*', ['xxd -r a f']],
  ['iconv:*', ['iconv -o f a']],
  ['sdiff:*', ['sdiff -o f a b']],
  ['split:*', ['split a f']],
  ['unzip:*', ['unzip x -d /etc', 'unzip -d /etc x']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      "less '+!rm x' f",
      'man -P "rm x" ls',
      'find . -exec rm {} +',
      'fd -x rm',
      'fd --exec rm',
      'fd -X rm',
      'tar xf a --to-command="rm x"',
      'tar cf a . --checkpoint-action=exec="rm x"',
      'tar -I "rm x" -xf a',
      'sort --compress-program=rm x',
      'split --filter="rm x" a',
      'zip -TT "rm x" a b',
      'diff3 --diff-program=rm a b c',
      'rg --pre rm x',
    ],
  ],
];

describeFamily({ notCovered: NOT_COVERED, denied: DENIED });
