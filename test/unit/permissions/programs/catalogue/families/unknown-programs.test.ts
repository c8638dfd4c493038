/** Checks how allow and deny rules read the commands of programs without a record. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  ['rm:*', ['unknownprog -c "rm x"']],
  ['unk sub:*', ['unk -v sub', 'unk --x y sub', 'unk -C y sub', 'unk --x=y sub']],
  ['unk sub two:*', ['unk --x y sub -v two']],
];

describeFamily({ denied: DENIED });
