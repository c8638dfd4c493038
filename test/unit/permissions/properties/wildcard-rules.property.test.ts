/** Checks that a deny rule with a wildcard holds for every spelling of a command. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';
import { runs } from './arbitraries.ts';

/** An option in each of its spellings, each as its words; the first stands in the rule. */
type Option = readonly string[];

interface Written {
  readonly start: string;
  readonly options: readonly Option[];
  readonly operands: readonly string[];
}

const COMMANDS: readonly Written[] = [
  {
    start: 'git push',
    options: [
      ['--force', '-f', '--forc'],
      ['-u', '--set-upstream', '--set-up'],
    ],
    operands: ['origin', 'main'],
  },
  { start: 'git push', options: [['-f', '--force'], ['--tags']], operands: ['origin'] },
  {
    start: 'git commit',
    options: [
      ['--amend', '--am', '--ame'],
      ['-m fix', '--message=fix', '--message fix', '-mfix'],
    ],
    operands: [],
  },
  {
    start: 'git commit',
    options: [
      ['--no-verify', '-n', '--no-ver'],
      ['-a', '--all'],
    ],
    operands: [],
  },
  {
    start: 'git reset',
    options: [
      ['--hard', '--har', '--ha'],
      ['-q', '--quiet'],
    ],
    operands: ['v1'],
  },
  { start: 'git clean', options: [['-f', '--force'], ['-d'], ['-x']], operands: [] },
  { start: 'git branch', options: [['-D', '--delete --force', '-d -f', '-df']], operands: ['old'] },
  {
    start: 'rm',
    options: [
      ['-r', '-R', '--recursive', '--rec'],
      ['-f', '--force'],
    ],
    operands: ['build'],
  },
  { start: 'rm', options: [['-rf', '-fr', '-r -f', '--recursive --force', '-Rf']], operands: ['/etc/x'] },
  {
    start: 'kubectl delete',
    options: [['-n prod', '--namespace prod', '--namespace=prod', '-nprod', '-n=prod']],
    operands: ['pod', 'web'],
  },
  { start: 'kubectl delete', options: [['--all'], ['-A', '--all-namespaces']], operands: ['pods'] },
  { start: 'helm uninstall', options: [['-n prod', '--namespace prod', '--namespace=prod']], operands: ['web'] },
  {
    start: 'curl',
    options: [
      ['-X POST', '--request POST', '--request=POST', '-XPOST'],
      ['-s', '--silent'],
    ],
    operands: ['https://a.example/x'],
  },
  {
    start: 'docker system prune',
    options: [
      ['-a', '--all'],
      ['-f', '--force'],
    ],
    operands: [],
  },
  { start: 'npm install', options: [['-g', '--global']], operands: ['left-pad'] },
  {
    start: 'terraform apply',
    options: [['-auto-approve', '--auto-approve', '-auto-approve=true']],
    operands: ['plan'],
  },
  { start: 'gh pr merge', options: [['--admin'], ['-s', '--squash']], operands: ['1'] },
  {
    start: 'aws s3 rm',
    options: [
      ['--recursive', '--recurs'],
      ['--profile prod', '--profile=prod', '--prof prod'],
    ],
    operands: ['s3://b/x'],
  },
  {
    start: 'psql',
    options: [
      ['-c drop', '--command=drop', '--command drop', '-cdrop'],
      ['-d app', '--dbname=app'],
    ],
    operands: [],
  },
];

const quoted = fc.constantFrom<(word: string) => string>(
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `${word.slice(0, -1)}\\${word.slice(-1)}`,
);

/** Two options of one letter in one word. */
const clustered = (words: readonly string[]): readonly string[] => {
  const at = words.findIndex((word, index) => isLetter(word) && isLetter(words[index + 1] ?? ''));
  return at < 0 ? words : [...words.slice(0, at), `${words[at]}${words[at + 1]?.slice(1)}`, ...words.slice(at + 2)];
};
const isLetter = (word: string): boolean => /^-[a-z]$/i.test(word);

const spelling = ({ start, options, operands }: Written) =>
  fc
    .record({
      chosen: fc.tuple(...options.map((each) => fc.constantFrom(...each))),
      order: fc.shuffledSubarray([...options.keys()], { minLength: options.length, maxLength: options.length }),
      behind: fc.boolean(),
      joins: fc.boolean(),
      quotes: fc.array(quoted, { minLength: 12, maxLength: 12 }),
    })
    .map(({ chosen, order, behind, joins, quotes }) => {
      const given = order.map((at) => chosen[at] as string);
      const parts = behind ? [...operands, ...given] : [...given, ...operands];
      const words = parts.flatMap((part) => part.split(' '));
      const written = (joins ? clustered(words) : words).map((word, at) =>
        (quotes[at] as (text: string) => string)(word),
      );
      return [start, ...written].join(' ');
    });

test('G8: no spelling of a command is allowed under a rule that a * in one of its words makes', () => {
  const cases = fc.constantFrom(...COMMANDS).chain((command) => {
    const words = [command.start, ...command.options.map(([first]) => first), ...command.operands].join(' ').split(' ');
    return fc.record({
      words: fc.constant(words),
      at: fc.nat({ max: words.length - 1 }),
      cut: fc.nat(),
      spelled: spelling(command),
    });
  });
  const setting = fc.record({
    effect: fc.constantFrom('deny' as const, 'ask' as const),
    mode: fc.constantFrom('default' as const, 'bypass' as const),
  });
  fc.assert(
    fc.property(cases, setting, ({ words, at, cut, spelled }, { effect, mode }) => {
      const word = words[at] as string;
      const kept = word.slice(0, Math.min(word.length - 1, 1 + (cut % word.length)));
      // `:*` at the end is another notation.
      fc.pre(!kept.endsWith(':'));
      const rule = words.map((each, index) => (index === at ? `${kept}*` : each)).join(' ');
      const allowed = ['Bash', ...[1, 2, 3].map((count) => `Bash(${words.slice(0, count).join(' ')}:*)`)];
      const rules: Rule[] = [[effect, `Bash(${rule})`], ...allowed.map((each) => ['allow', each] as const)];
      const verdict = commandVerdict(spelled, rules, { mode });
      expect([rule, spelled, verdict]).not.toEqual([rule, spelled, 'allow']);
    }),
    { numRuns: runs(1500) },
  );
});
