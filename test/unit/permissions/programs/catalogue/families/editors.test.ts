/** Checks how allow and deny rules read the commands of editors and terminals. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  [
    'vim:*',
    ['vim -c id x', 'vim --cmd id x', 'vim +id x', 'vim -S e x', 'vim -u e x', 'vim -s e x', 'vim -es x', 'vim -W f x'],
  ],
  ['nano:*', ['nano x']],
  ['emacs:*', ['emacs --batch --eval x']],
  ['code:*', ['code --install-extension x']],
  ['ed:*', ['ed x']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [['rm:*', ["vim -c '!rm x'", "vim +'!rm x'", "vim -c ':!rm x'", "nvim --cmd '!rm x'"]]];

describeFamily({ notCovered: NOT_COVERED, denied: DENIED });
