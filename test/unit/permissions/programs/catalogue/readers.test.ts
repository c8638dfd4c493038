/** Checks how the readers of the catalogue take options, places and commands within a command. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule } from '../../support.ts';

/** The verdict where only rules with these words allow. */
const verdictUnder = (command: string, words: readonly string[]): string =>
  commandVerdict(
    command,
    words.map((each): Rule => ['allow', `Bash(${each})`]),
  );

describe('what an allow rule covers', () => {
  test.each([
    ['xargs with its mark as a word of its own', 'ls src | xargs -I {} cat {}', ['ls:*', 'cat:*']],
    ['xargs with its mark attached', 'ls src | xargs -I{} cat {}', ['ls:*', 'cat:*']],
    ['an address behind harmless options', 'curl -s https://api.test/x', ['curl https://api.test/x:*']],
    ['a program behind harmless options of its runner', 'npx --no-install jest', ['npx jest:*']],
    ['a sub-command behind a folder of the project', 'git -C sub log', ['git log:*']],
    ['popd alone', 'popd', ['x:*']],
  ])('%s', (_what, command, rules) => {
    expect(verdictUnder(command, rules)).toBe('allow');
  });
});

describe('what no allow rule covers', () => {
  test.each([
    ['a program by its path in the folder of each file', 'find . -execdir ./run {} +', ['find:*', './run:*']],
    ['a runner with an option that is not known', 'npx --foo jest', ['npx jest:*']],
    ['a folder outside of the project before the sub-command', 'git -C /etc log', ['git log:*']],
    ['an option before the sub-command that is not harmless', 'git -c core.pager=x log', ['git log:*']],
    ['popd with a word', 'popd +1', ['x:*']],
  ])('%s', (_what, command, rules) => {
    expect(verdictUnder(command, rules)).toBe('ask');
  });
});

describe('an edit in place by sed, under rules for sed and for edits', () => {
  const underEdits = (command: string) =>
    commandVerdict(command, [
      ['allow', 'Bash(sed:*)'],
      ['allow', 'Edit'],
    ]);

  test('is covered where no other file is written', () => {
    expect(underEdits('sed -i s/a/b/ notes.txt')).toBe('allow');
    expect(underEdits('sed -ni s/a/b/p notes.txt')).toBe('allow');
  });

  test.each([
    ['sed -i.bak s/a/b/ notes.txt'],
    ['sed -i/etc/cron.d/ s/a/b/ notes.txt'],
    ['sed -ni.bak s/a/b/ notes.txt'],
    ['sed --in-place=.bak s/a/b/ notes.txt'],
  ])('is not with a backup: %s', (command) => {
    expect(underEdits(command)).toBe('ask');
  });
});

describe('what a deny rule sees', () => {
  test.each([
    ['the place behind an option, with a wildcard', 'foo -v deploy x now', 'foo deploy * now'],
    ['the place behind an option and its value', 'foo -v x deploy y now', 'foo deploy * now'],
    ['the sub-command behind an option', 'foo -v deploy', 'foo deploy:*'],
  ])('%s', (_what, command, words) => {
    expect(
      commandVerdict(command, [
        ['allow', 'Bash'],
        ['deny', `Bash(${words})`],
      ]),
    ).toBe('deny');
  });
});

/** Under a rule with the program's name. */
const judged = (command: string, mode = 'default') =>
  judge('Bash', { command }, [['allow', `Bash(${command.split(' ')[0]}:*)`]], { mode });

describe('a word that names no file', () => {
  test.each([
    ['find . -not -path "*/.git/*"'],
    ['find . ! -path "*/.git/*"'],
    ['find . -path "*/.git/*" -prune -o -print'],
    ['rg --glob "!.env" x'],
    ['rg --glob=!.env x'],
    ['grep .env src'],
    ['grep -- .env src'],
    ['grep -n -e .env src'],
    ['grep -rnie .env src'],
    ['git commit -am .env'],
    ['grep -m1e .env src'],
    ['grep --line-number .env src'],
    ['rg "--sort=.en*" x src'],
    ['grep "--color=.en*" x src'],
    ['sed -es=.env=b= src/a'],
    ['grep -ne .env src'],
    ['grep -e.env src'],
    ['grep --regexp .env src'],
    ['grep --regexp=.env src'],
    ['grep --exclude .env x src'],
    ['sed -e s/.env/b/ src/a'],
    ['sed -es/.env/b/ src/a'],
    ['sed --expression=s/.env/b/ src/a'],
  ])('%s', (command) => {
    expect(judged(command).verdict).toBe('allow');
  });
});

describe('a word that names a file', () => {
  test.each([
    ['find . -path "*/.git/*"'],
    ['rg --glob .env x'],
    ['rg --glob=.env x'],
    ['rg -g.env x'],
    ['grep x .env'],
    ['grep - .env'],
    ['grep -- x .env'],
    ['grep -e x .env'],
    ['grep -e x -- .env'],
    ['grep --regexp=x .env'],
    ['grep -nex .env'],
    ['grep -ee .env'],
    ['grep -fe .env'],
    ['grep -nfe .env src'],
    ['egrep -hex .env'],
    ['rg -nex .env'],
    ['rg -ee .env'],
    ['sed -nep .env'],
    ['sed -fe .env'],
    ['git commit -Fm .env'],
    ['git grep -nex .env'],
    ['git grep -ee .env'],
    ['grep -f .env src'],
    ['grep -f -e .env src'],
    ['grep --file -e .env src'],
    ['grep -nf -e .env src'],
    ['sed -n -e 1p .env'],
    ['git commit -m x -- .env'],
    ['git commit -F -m .env'],
    ['git log -- .env'],
    ['git commit -m x -- -m.env'],
    ['grep -- -e .env'],
    ['grep -- x -e .env'],
    ['git add ".e*"'],
  ])('%s', (command) => {
    expect(judged(command).verdict).toBe('deny');
  });
});

test('a dash that is a pattern names no file', () => {
  const verdict = (command: string) =>
    commandVerdict(command, [
      ['allow', 'Bash(grep:*)'],
      ['deny', 'Read(-)'],
    ]);
  expect(verdict('grep - src')).toBe('allow');
  expect(verdict('grep x -')).toBe('deny');
});

describe('words that are not certain', () => {
  test.each([['git l?g'], ['git "$x" log']])('a sub-command, in any mode: %s', (command) => {
    expect(judged(command, 'bypass')).toMatchObject({
      verdict: 'ask',
      message: 'The command is not fully understood: a sub-command that is not literal.',
    });
  });

  test.each([['kubectl -n "$NS" get pods'], ['kubectl -n d* get pods']])(
    'the value of an option before a sub-command: %s',
    (command) => {
      expect(judged(command).message).toContain('the value of -n of kubectl');
      expect(judged('kubectl -n dev get pods').verdict).toBe('allow');
    },
  );

  test.each([['npx "$x" jest'], ['npx je*'], ['npx'], ['npx --yes']])('the program of a runner: %s', (command) => {
    expect(judged(command)).toMatchObject({
      verdict: 'ask',
      message: expect.stringContaining('npx runs a program that is not literal'),
    });
  });

  test.each([
    ['foo --a"$x"', 'an option that is not literal'],
    ['foo "--conf"*', 'the option --conf*'],
    ['foo *', 'a word that may become an option'],
    ['foo "$x"', 'a word that may become an option'],
    ['tar tf *', 'a word that may become several'],
  ])('an option of any program: %s', (command, says) => {
    expect(judged(command)).toMatchObject({ verdict: 'ask', message: expect.stringContaining(says) });
  });

  test.each([['foo "--conf*"'], ['foo x"$x"'], ['foo --a="$x"']])('and no option where it is none: %s', (command) => {
    expect(judged(command).verdict).toBe('allow');
  });
});

describe('a program that nobody has described', () => {
  test.each([
    ['foo -o x'],
    ['foo -ox'],
    ['foo --rc'],
    ['foo --a "x y"'],
    ['foo --a="x y"'],
    ['foo "-cx y"'],
    ['foo "-c x y=1"'],
    ['foo --a "-b x y"'],
  ])('asks with an option that may write, load or hold a text: %s', (command) => {
    expect(judged(command).verdict).toBe('ask');
  });

  test.each([['foo --o'], ['foo -x'], ['foo --a x'], ['foo "x y"']])('and with no other: %s', (command) => {
    expect(judged(command).verdict).toBe('allow');
  });
});

describe('options before and behind a sub-command', () => {
  test('a toolchain is no sub-command, and of programs that have none the word is one', () => {
    expect(judged('cargo +nightly test').verdict).toBe('allow');
    expect(judged('cargo +./x test').message).toContain('the option +./x of cargo');
    expect(judged('git +x status').message).toContain('a rule has to name git +x');
  });

  test.each([
    ['docker compose -f sub/x.yml ps', 'docker compose ps', 'allow'],
    ['docker compose --file=sub/x.yml ps', 'docker compose ps', 'allow'],
    ['docker compose -f /etc/x.yml ps', 'docker compose ps', 'ask'],
    ['docker compose --file=/etc/x.yml ps', 'docker compose ps', 'ask'],
    ['go test -count=1 ./...', 'go test', 'allow'],
    ['go test -exec=./x ./...', 'go test', 'ask'],
    ['deno task build', 'deno task', 'allow'],
    ['deno task --eval x', 'deno task', 'ask'],
    ['python -m pytest', 'python -m', 'ask'],
    ['npx npx jest', 'npx npx jest', 'allow'],
    ['npx npx jest', 'npx npx', 'ask'],
    ['kubectl --namespace=/x get pods', 'kubectl get', 'allow'],
    ['yarn run --silent node x', 'yarn run', 'ask'],
    ['uv --directory /etc run pytest', 'uv --directory /etc run pytest', 'ask'],
    ['npx --foo jest', 'npx --foo jest', 'ask'],
    ['uv run foo --config x', 'uv run foo', 'ask'],
    ['python3 x.py --config y', 'python3', 'allow'],
    ['deno run x.ts --config y', 'deno run', 'allow'],
    ['jest --foo="x y"', 'jest', 'ask'],
    ['terraform validate -json=true', 'terraform validate', 'allow'],
    ['find . -maxdepth=1', 'find', 'allow'],
  ])('%s under %s', (command, words, verdict) => {
    expect(verdictUnder(command, [`${words}:*`])).toBe(verdict);
  });

  test.each([['sort -o HEAD a'], ['sort -oHEAD a'], ['sort --output=HEAD a']])(
    'a file that an option writes is written: %s',
    (command) => {
      expect(judged(command).message).toContain('A file named HEAD');
    },
  );

  test.each([
    ['git version', 'version', 'allow'],
    ['python3 x.py rm', 'rm', 'allow'],
    ['grep rm src', 'rm', 'allow'],
    ['foo rm', 'rm', 'ask'],
  ])('%s, where %s is denied: only of an unknown program it may be what runs', (command, denied, verdict) => {
    const [program] = command.split(' ');
    const rules: Rule[] = [
      ['allow', `Bash(${program}:*)`],
      ['deny', `Bash(${denied}:*)`],
    ];
    expect(commandVerdict(command, rules)).toBe(verdict);
  });

  test('a rule for a module within a runner is said with both', () => {
    const { message } = judge('Bash', { command: 'uv run python -m pytest' }, [['allow', 'Bash(uv run python:*)']]);
    expect(message).toContain('Bash(uv run python -m pytest:*)');
  });

  test.each([['eval --version'], ['sudo --version']])('who runs anything is not asked for a version: %s', (command) => {
    expect(judged(command).verdict).toBe('ask');
  });
});
