/** Checks that texts which programs may run do not hide a denied command in bypass or auto mode (G8). */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule, SURE_TO_ALLOW } from '../support.ts';

const RULES: readonly Rule[] = [
  ['deny', 'Bash(rm:*)'],
  ['deny', 'Bash(git push:*)'],
];
const bypass = (command: string): string => commandVerdict(command, RULES, { mode: 'bypass' });

describe('a phrase with the words of a deny rule, for a program that may run it, is not allowed', () => {
  test.each([
    // Options and operands that no prefix covers.
    'emacs --batch --eval \'(shell-command "rm x")\'',
    "apt-get -o APT::Update::Pre-Invoke::='git push' update",
    'latexmk -e \'system("rm x")\'',
    "git clone -u 'rm x' a b",
    "git clone --config core.sshCommand='rm x' a b",
    "git -c protocol.ext.allow=always clone 'ext::git push'",
    "ssh -o 'ProxyCommand rm x' h",
    'cargo run --config \'target.x.runner="rm x"\'',
    "cmake --build . -- SHELL='rm x'",
    "gh alias set x '!rm x'",
    "wget --use-askpass='rm x' u",
    "tcpdump -z 'rm x' -w f",
    "lftp -c '!rm x'",
    "pip install x --config-settings='rm x'",
    "npm pkg set scripts.x='rm x' && npm run x",
    "frob --no-title 'rm x'",
    "frob --title=x 'rm x'",
    "frob --exec-message 'rm x'",
    "sh -c 'eval \"$1\"' _ 'rm x'",
    'sh -c \'make SHELL="rm x"\'',
    'sh -c "python3 -c \'import os; os.system(\\"rm x\\")\'"',
    "mispipe 'rm x' ls",
    'python3 -m timeit \'import os; os.system("rm x")\'',
    // Scripts that are not harmless, with the values of their variables.
    "awk -v x='rm x' 'BEGIN{system(x)}'",
    "sed -n '1erm x' f",
    // Variables that programs read.
    "TAR_OPTIONS='--to-command=rm x' tar xf a",
    "SHELL='rm x' make",
    "export TAR_OPTIONS='--to-command=rm x'; tar xf a",
    "env TAR_OPTIONS='--to-command=rm x' tar xf a",
    "sudo TAR_OPTIONS='--to-command=rm x' tar xf a",
    'CC=rm make',
    "PS1='$(git push)'; bash -i",
    "NODE_OPTIONS='--import=data:text/javascript,rm x' node x",
    // The input, or the output of another command.
    "make -f - <<< 'x: ; rm x'",
    "printf 'a:\\n\\trm x\\n' | make -f -",
    "make -f <(printf 'a:\\n\\trm x')",
    'awk -f <(echo \'BEGIN{system("rm x")}\')',
    'python3 -m asyncio <<< \'import os; os.system("rm x")\'',
    "logrotate -f <(echo 'postrotate rm x')",
    "sed e f <<< 'rm x'",
    // Files that the text writes and runs.
    "echo 'rm x' > x.sh; sh x.sh",
    "echo 'rm x' > a/x.sh && bash ./a/x.sh",
    "echo 'git push' > x.sh; . ./x.sh",
    "echo 'rm x' > x; chmod +x x; ./x",
    "echo 'rm x' | tee x.sh; sh x.sh",
    "echo 'rm x' >> x.sh; sh < x.sh",
    "cat > x.sh <<'E'\nrm x\nE\nsh x.sh",
    'echo \'run("rm x")\' > x.js; node x.js',
    'sh -c \'echo "rm x" > x.sh; bash --rcfile x.sh -ic true\'',
    "mkdir d; echo 'rm x' > d/a; run-parts d",
    "echo 'rm x' > d/__main__.py; python3 d",
    "install -m 755 <(echo 'rm x') x; ./x",
    "echo 'rm x' > x; cp x y; sh y",
    "echo 'rm x' > x; ln x y; sh y",
    "echo 'rm x' > x; sh *",
    "echo 'rm x' > x; find . -name x -exec sh {} \\;",
    // Arguments of code that reads them, and files that perl opens.
    "perl -e 'system($ARGV[0])' 'rm x'",
    "perl -e 'system(shift)' -- 'rm x'",
    "node -e 'run(process.argv[1])' 'rm x'",
    "perl -pe 1 'rm x |'",
    "perl -wne print 'rm x|'",
  ])('%s', (command) => {
    expect(bypass(command)).not.toBe('allow');
    const auto = judge('Bash', { command }, RULES, { mode: 'auto' }, { classifier: SURE_TO_ALLOW });
    expect(auto.verdict).not.toBe('allow');
  });
});

test('a word may be attached to an option', () =>
  expect(bypass(`echo "git grep -O'r''m' x" > x.sh; sh x.sh`)).toBe('ask'));

describe('words that are spelt otherwise for a shell that the program starts', () => {
  test.each([
    ...[`awk 'BEGIN{system("r\\"\\"m x")}'`, `awk 'BEGIN{system("r\\\\m x")}'`, `awk 'BEGIN{system("r$@m x")}'`],
    ...[`node -e 'run("r\${E}m x")'`, `node -e 'run("\\x72m x")'`, `node -e 'run("\\u{72}m x")'`],
    ...[`python3 - <<'E'\nrun("r''m x")\nE`, `make -f - <<'E'\na:\n\tr''m x\nE`, `sed -f - f <<'E'\n1e r\\m x\nE`],
    ...[`awk 'BEGIN{"true\\nr\\\\m x"|getline}'`, `TAR_OPTIONS='--to-command=r\\$\\{E\\}m x' tar xf a`],
    ...[`echo "\\$'\\\\162'm x" > x.sh; . ./x.sh`, `echo "git grep -O'r\\\${E}m x'" > x.sh; sh x.sh`],
  ])('%s', (command) => expect(bypass(command)).not.toBe('allow'));
});

describe('a file that a text writes and runs is no more covered by a rule', () => {
  const allowed = ['echo', 'bash', 'mkdir', 'nice', 'node', 'python3'].map(
    (name): Rule => ['allow', `Bash(${name}:*)`],
  );
  const rules: readonly Rule[] = [...RULES, ...allowed, ['allow', 'Edit'], ['allow', 'Read']];
  test.each([
    ["echo 'rm x' > x.sh; bash x.sh", 'ask'],
    ["echo 'cat .env' > x.sh; bash x.sh", 'ask'],
    ["echo 'ls x' > x.sh; bash x.sh", 'allow'],
    ["echo 'rm x' > notes; bash x.sh", 'allow'],
    ["echo 'rm x' > d/x.sh; nice bash d/x.sh", 'ask'],
    ["echo 'rm x' > d/__main__.py; python3 d", 'ask'],
    ["echo 'rm x' > x.js; node --test a.js x.js", 'ask'],
    // Arguments of a script, and its input, are data.
    ["echo 'rm x' > notes; bash x.sh notes", 'allow'],
    ["echo 'rm x' > notes; python3 x.py *.md < notes", 'allow'],
    ["echo 'rm x' > src/notes; node lint.js --dir src", 'allow'],
    // A folder that is called like a program.
    ["mkdir -p docs/node; echo 'rm x' > docs/node/notes; node x.js", 'allow'],
  ])('%s', (command, verdict) => expect(commandVerdict(command, rules)).toBe(verdict));

  test('an exact rule covers that very text', () => {
    const command = "echo 'rm x' > x.sh; bash x.sh";
    expect(commandVerdict(command, [...rules, ['allow', `Bash(${command})`]])).toBe('allow');
    expect(commandVerdict(`${command} y`, [...rules, ['allow', `Bash(${command})`]])).toBe('ask');
  });
});

describe('in bypass', () => {
  test.each([
    ["mkdir -p docs/git; echo 'rm x' > docs/git/notes; git add docs", 'allow'],
    ["echo 'rm x' > src/notes; node lint.js src", 'allow'],
    ["echo 'rm x' > x.sh; node run.js x.sh", 'ask'],
    ["echo 'rm x' > x; mkdir -p x/y; sh x", 'ask'],
    // The name of an option, and the value of one.
    ['node -e \'run("docker run --rm x")\'', 'allow'],
    ["ssh h 'docker run --rm x'", 'allow'],
    ["make ARGS='-it --rm' run", 'allow'],
    ["make ARGS='-it -Orm' run", 'ask'],
  ])('%s', (command, verdict) => expect(bypass(command)).toBe(verdict));
});

describe('a shell that takes commands from its words or its input is read', () => {
  test.each([
    "echo 'rm x' | su",
    "echo 'rm x' | su - root",
    "env --s='rm x'",
    "env -S '-i rm x'",
    "env -S 'rm\\_x'",
    "su --comm='rm x'",
    "echo 'rm x' | script",
    "echo 'rm x' | parallel",
    "newgrp - root <<< 'rm x'",
    "parallel ::: 'rm x' ls",
    "parallel ::: ls 'rm x'",
    'parallel sh -c ::: "rm x"',
    'git for-each-repo --config=k push origin',
    'arch -x86_64 rm x',
    'setarch -R rm x',
  ])('%s', (command) => expect(bypass(command)).toBe('deny'));

  test.each(["bash --rcfile <(echo 'rm x') -i", "bash --init-file <(echo 'rm x')"])('%s', (command) =>
    expect(bypass(command)).toBe('ask'),
  );
});

describe('a message, a pattern or a note with such words is allowed', () => {
  test.each([
    "git commit -m 'remove rm x'",
    "git commit -F - <<'E'\nrm x\nE",
    "timeout 5 git commit -m 'rm x'",
    "git log --grep='rm x'",
    "git stash push -m 'git push'",
    "gh pr create --title x --body 'uses rm x'",
    "gh api repos/a/b/issues -f body='rm x'",
    "grep -rn 'rm x' src",
    "sed 's/rm x/rm y/' src/a",
    "find . -name 'rm x'",
    "npm test -- -t 'rm x removes'",
    "pytest -k 'rm and x'",
    "echo 'run rm x' >> README.md",
    "cat > docs/a.md <<'E'\nrm x\nE\ngit add docs/a.md",
    "echo 'rm x' | grep rm",
    "printf 'rm x\\n' | tee docs/x",
    "MESSAGE='rm x'; echo $MESSAGE",
    "export MESSAGE='rm x'; echo $MESSAGE",
    "env NODE_ENV=test git commit -m 'a=rm x'",
    "python3 a.py 'rm x'",
    "gh release create v1 --notes 'rm x' --title='git push'",
    "glab mr create --title 'rm x' --description 'git push'",
    "hg commit --message 'rm x'",
    "aws sns publish --topic-arn t --message 'rm x'",
    'sh -c \'echo "rm x"\'',
    'bash -c "cd src && git commit -m \'rm x\'"',
  ])('%s', (command) => expect(bypass(command)).toBe('allow'));
});

describe('a bare allow does not cover a program that nobody described, given such a phrase', () => {
  test.each(["mispipe 'rm x' ls", "pssh -h f 'git push'"])('%s', (command) =>
    expect(commandVerdict(command, [...RULES, ['allow', 'Bash']])).toBe('ask'),
  );
});
