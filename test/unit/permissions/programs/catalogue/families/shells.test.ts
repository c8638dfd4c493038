/** Checks how allow and deny rules read the commands of shells and built-ins. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  ['sh:*', ['sh -c id', 'sh -s']],
  [
    'bash:*',
    [
      'bash -c id',
      'bash --rcfile e',
      'bash -i x.sh',
      'bash -l x.sh',
      'bash -O expand_aliases x.sh',
      'bash --init-file e x.sh',
      'bash -ec id',
      'bash',
    ],
  ],
  ['zsh:*', ['zsh -c id']],
  ['fish:*', ['fish -C id x.fish']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'ksh93 -c "rm x"',
      'lksh -c "rm x"',
      'bash-static -c "rm x"',
      'hush -c "rm x"',
      'fish -c "rm x"',
      'fish --command="rm x"',
      'nu -c "rm x"',
      'pwsh -Command "rm x"',
      'echo "rm x" | sh',
      'sh <<< "rm x"',
      'zsh-5.9 -c "rm x"',
      'command rm x',
      'builtin command rm x',
      'exec rm x',
      'eval "rm x"',
      'trap "rm x" EXIT',
      'coproc rm x',
    ],
  ],
];

describeFamily({ notCovered: NOT_COVERED, denied: DENIED });
