/**
 * Checks that a text on which two independent readers disagree is in doubt.
 *
 * The second reader reads every shell text again.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyseCommand } from '../../../../shared/permissions/shell/analysis/analyse.ts';
import { READERS_DISAGREE, secondReading } from '../../../../shared/permissions/shell/second-reader/second-reader.ts';
import { WorkBudget } from '../../../../shared/permissions/shell/syntax/budget.ts';
import { plainTree } from '../../../../shared/permissions/shell/syntax/plain-tree.ts';
import { ShellWalk } from '../../../../shared/permissions/shell/walk/walk.ts';
import { runs, shellCommand } from '../properties/arbitraries.ts';
import { judge, shell } from '../support.ts';

const PLACE = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
/** By itself, whatever doubts the text is in besides. */
function readAgain(command: string): string | undefined {
  const tree = shell.parse(command);
  if (tree === undefined) throw new Error(`the first reader does not read ${command}`);
  return shell.secondReading(tree, new ShellWalk(tree, { ...PLACE, budget: new WorkBudget() }));
}
const doubtsOf = (command: string) => analyseCommand(command, shell, PLACE).doubts;
const ALLOW_ALL = [
  ['allow', 'Bash'],
  ['allow', 'Edit(//**)'],
  ['allow', 'Read(//**)'],
] as const;

describe('the readers agree', () => {
  test.each([
    'ls *.ts "a b"',
    "git commit -m 'it'\\''s done'",
    'git log --pretty=format:"%h - %an" | head -20',
    "find . -type f \\( -name '*.js' -o -name '*.ts' \\) | xargs wc -l",
    'find . -name "*.test.ts" -exec grep -l foo {} +',
    'grep -rnE "\\$\\{[A-Z_]+\\}" config/',
    "sed -i -e 's|/old|/new|' -e '/^$/d' f.txt",
    `awk -F: '$3 > 1000 { print $1 ":" $3 }' /etc/passwd`,
    'jq -r \'.[] | select(.name == "x") | "\\(.a) \\(.b)"\' f.json',
    'git show stash@{0} HEAD^ HEAD~1',
    'echo {1..5} {a,b}{c,d} [ab]* [$x]y ~ ~user',
    'echo a#b "# no comment" # a comment; rm x',
    "ls # it's\nls",
    'ls \\\n  -la \\\n  src',
    'a &&\nb |\nc',
    'export PATH="$HOME/bin:$PATH" A=b; unset X Y',
    `NODE_ENV=test FOO='a b' npx jest "$@"`,
    'a=(x "y z" $(ls)); a+=(d); a[1]=c; b=1 c=2',
    "alias ll='ls -la'; local x=$y",
    'time npm test; time -p ls | wc; ! grep -q x f; ! time a; time',
    'cmd 3>&1 1>&2 2>&3 >/dev/null &>>all.log; cmd >&2; exec 2>err.log',
    'cat <<< "hello $USER" | grep h',
    'cat <<EOF > f.txt\nhello $USER $(id)\nEOF\nls',
    "cat > f.ts <<'EOF'\nconst a = `x ${y}`;\nEOF",
    'cat <<-EOF | sort && ls\n\tindented\n\tEOF',
    `gh pr create --body "$(cat <<'EOF'\nit's \`good\`\nEOF\n)"`,
    'diff <(sort a.txt) <(sort b.txt) > >(tee c)',
    'for f in *.txt "$a" b; do echo "$f"; done; for i; do ls; done',
    'for ((i=$(wc -l < f); i<3; i++)); do echo $i; done; for ((;;)) { ls; }',
    'for i in a b; { ls; }; select x in a b; do ls; done',
    'while read -r l; do echo "$l"; done < <(ls); until a; do b; done',
    'if [ -f a ]; then b; elif [[ -d c ]]; then d; else e; fi > f',
    '[ "$a" = b ] || [ ! -f c ] && [ -n "$d" -a "$e" != f ]',
    '[[ $x =~ ^[0-9]+$ && ( "$f" == *.ts || ! -e b ) ]]',
    'case "$1" in a|b) c ;; [0-9]*) d;; (e) f ;; *) g; esac',
    'f() { a; }; function g { b; }; h() ( c )',
    '(a; b) & { c; d; } | e & wait',
    'echo $((1 + $(id -u))) $((x<<2)); ((i++)); (( x > 5 )) && a',
    'echo "${x:-$(pwd)}" "${f%.ts}" "${f//\\//_}" "${f:1:3}" "${!a[@]}" ${#a}',
    'echo "$a  $b" " $c" "  " "$(ls)  $(pwd)" " `id`"',
    `echo $'a\\tb' $"c d" '' "" a"b"'c'$d`,
    'sh -c "ls | wc -l" && eval "$(ssh-agent -s)"',
  ])('on %j', (command) => expect(doubtsOf(command)).not.toContain(READERS_DISAGREE));
});

/** Real bash runs each otherwise than the first reader takes it, or refuses it. */
const TRAPS = [
  '[ x || rm ]',
  '[x || rm ]',
  '[ -f x && rm ]',
  '[ab]',
  '--file=rm',
  'rm {fd}>out a',
  'ls a 2>&- rm',
  'ls $ rm',
  'ls a\\\trm',
  '[[ a == ( b ) ]]',
  // The first reader reads no substitution in a pattern that is trimmed.
  'echo ${x%$(rm a)}',
  // The first reader takes a body that begins with a backslash for words of the command.
  'ls <<E\n\\$x rm\nE',
  // Here the second reader is wrong: `in` is reserved in loops and `case` only.
  'in x',
];

describe('the readers disagree', () => {
  test.each(TRAPS)('on %j', (command) => {
    expect(readAgain(command)).toBe(READERS_DISAGREE);
    expect(doubtsOf(command)).not.toEqual([]);
    expect(judge('Bash', { command }, ALLOW_ALL).verdict).toBe('ask');
    expect(doubtsOf(`echo $(${command}\n)`)).not.toEqual([]);
    expect(doubtsOf(`sh -c 'true; ${command}'`)).not.toEqual([]);
  });

  test.each(['[ x || rm ]', '[x || rm ]', 'rm {fd}>out a', 'sh -c "[ x || rm ]"'])(
    'and deny rules still see the words of %j',
    (command) => {
      const rules = [
        ['deny', 'Bash(rm:*)'],
        ['allow', 'Bash'],
      ] as const;
      for (const mode of ['default', 'acceptEdits', 'bypass', 'auto'] as const)
        expect(judge('Bash', { command }, rules, { mode }).verdict).toBe('deny');
    },
  );

  test('about what is nested too deep for the second one', () => {
    const nested = (depth: number) => `${'echo $('.repeat(depth)}id${')'.repeat(depth)}`;
    expect(doubtsOf(nested(10))).toEqual([]);
    expect(doubtsOf(nested(45))).toContain(READERS_DISAGREE);
  });
});

describe('for all generated commands', () => {
  test('a disagreement is never lost among other commands', () => {
    const joined = fc.constantFrom<(a: string, b: string) => string>(
      (a, b) => `${a}; ${b}`,
      (a, b) => `${b} && ${a}`,
      (a, b) => `${a} | ${b}`,
      (a, b) => `${a}\n${b}`,
      (a, b) => `( ${b}; ${a} )`,
      (a, b) => `${a}; echo "$(${b})"`,
      (a, b) => `if ${b}; then ${a}; fi`,
      (a, b) => `for i in 1 2; do ${b}; done; ${a}`,
    );
    fc.assert(
      fc.property(shellCommand, joined, fc.constantFrom(...TRAPS), (command, join, trap) => {
        expect(judge('Bash', { command: join(command, trap) }, ALLOW_ALL).verdict).not.toBe('allow');
      }),
      { numRuns: runs(400) },
    );
  });

  test('a text that is in no other doubt is read alike', () => {
    fc.assert(
      fc.property(shellCommand, (command) => {
        expect(doubtsOf(command)).not.toEqual([READERS_DISAGREE]);
      }),
      { numRuns: runs(600) },
    );
  });

  test('a text of plain words, which is not read again, would be read alike', () => {
    const word = fc.oneof(
      { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z0-9_./-]{1,8}$/) },
      { weight: 1, arbitrary: fc.stringMatching(/^[$]?[A-Za-z0-9_./*?=:,@%+-]{1,8}$/) },
      { weight: 1, arbitrary: fc.constantFrom('$x', '$x/a', '"$x"', '"$x/a"', '{}', '\\;', 'a=b', '*.ts', '**/x') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('in', 'do', 'time', 'coproc', 'esac', 'let', 'eval', 'alias', '""', '-p'),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 8 }).map((text) => `"${text}"`) },
      { weight: 1, arbitrary: fc.string({ maxLength: 8 }).map((text) => `'${text}'`) },
    );
    const operator = fc.constantFrom(' ', ' ', ' ', ' | ', ' && ', '||', '; ', ';');
    let compared = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(word, operator), { minLength: 1, maxLength: 8 }), word, (parts, last) => {
        const text = parts.map(([each, by]) => each + by).join('') + last;
        const tree = plainTree(text);
        if (tree === undefined) return;
        compared += 1;
        const walk = new ShellWalk(tree, { ...PLACE, budget: new WorkBudget() });
        const { root, broken } = tree;
        expect(secondReading({ text, root, broken }, walk), text).toBeUndefined();
        expect(shell.secondReading(tree, walk)).toBeUndefined();
      }),
      { numRuns: runs(2000) },
    );
    expect(compared).toBeGreaterThan(300);
  });
});
