/** Checks how allow and deny rules read the commands of git and its forges. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  [
    'gh:*',
    [
      'gh repo clone a/b -- --upload-pack=./e',
      'gh config set pager CMD',
      'gh issue delete 1',
      'gh issue transfer 1 a/b',
      'gh pr lock 1',
      "gh alias set x '!id'",
      'gh cs ssh',
      'gh codespace ssh',
      'gh extension install a/b',
    ],
  ],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'gh cs ssh -- rm x',
      'gh codespace ssh -c n "rm x"',
      'git bisect run rm x',
      'git submodule foreach rm x',
      'git rebase -x "rm x" main',
      'git -c core.pager="rm x" log',
      "git -c alias.x='!rm x' x",
      'git difftool -x "rm x"',
      'git filter-branch --tree-filter "rm x"',
    ],
  ],
  ['gh pr merge:*', ['gh -R a/b pr merge 1', 'gh --repo a/b pr merge 1', 'gh pr -R a/b merge 1']],
  ['git push:*', ['git -C x push', 'git --git-dir=x push', 'git -c a.b=c push']],
];

describeFamily({ notCovered: NOT_COVERED, denied: DENIED });
