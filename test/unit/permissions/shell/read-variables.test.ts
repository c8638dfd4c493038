/** Checks variables that programs read: those of a loop, and those that lead to protected files. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule, SURE_TO_ALLOW } from '../support.ts';

const EVERYTHING: readonly Rule[] = [['allow', 'Bash']];

describe('a loop gives its variable a value as an assignment does', () => {
  test.each([
    'for PATH in ./x; do ls; done',
    'for HOME in ./x; do git log; done',
    'for GIT_PAGER in ./e; do git log; done',
    'for BASH_ENV in a b; do bash x.sh; done',
    'for PAGER in *; do man a; done',
    'select PATH in ./x; do ls; done',
    // zsh ties it to PATH.
    'for path in ./x; do ls; done',
    'for https_proxy in http://evil.test; do curl https://a.test; done',
    'for npm_config_script_shell in ./x; do npm test; done',
  ])('%s asks', (command) => expect(commandVerdict(command, EVERYTHING)).toBe('ask'));

  test.each([
    'for f in a b; do cat "$f"; done',
    'for env in dev prod; do echo "$env"; done',
    'for user in a b; do echo "$user"; done',
    'for node_version in 18 20; do echo "$node_version"; done',
    'for lines in 1 2; do echo "$lines"; done',
  ])('%s is covered', (command) => expect(commandVerdict(command, EVERYTHING)).toBe('allow'));

  test.each([
    'for ENV in dev prod; do echo $ENV; done',
    'ENV=prod; echo "$ENV"',
    'ENV=dev npm run build',
    'for ENV in dev staging; do ./deploy.sh $ENV; done',
  ])('%s names a stage', (command) => expect(commandVerdict(command, EVERYTHING)).toBe('allow'));

  test.each([
    'ENV=./x npm run build',
    'ENV=/tmp/x npm run build',
    "ENV='$(id)' npm run build",
    'for ENV in .x; do ls; done',
    'for ENV in dev*; do ls; done',
    'ENV=dev sh -i',
    'ENV=dev; bash --posix -i',
    'for ENV in dev; do env sh -i; done',
    'echo id > dev; ENV=dev; sh -i',
  ])('%s may lead a shell to a file', (command) => {
    for (const mode of ['default', 'bypass'] as const)
      expect(commandVerdict(command, EVERYTHING, { mode })).toBe('ask');
  });

  test.each([
    "echo 'rm x' > dev; ENV=dev screen",
    "echo 'rm x' > dev; ENV=dev; mytool",
    "cp a dev <<< 'rm x'; ENV=dev SH -i",
  ])('%s may run the file that it writes', (command) => {
    const rules: readonly Rule[] = [...EVERYTHING, ['allow', 'Edit'], ['deny', 'Bash(rm:*)']];
    expect(commandVerdict(command, rules)).not.toBe('allow');
    expect(commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' })).not.toBe('allow');
  });

  test('and deny rules read it as code', () =>
    expect(
      commandVerdict("for GIT_PAGER in 'rm x'; do git log; done", [['deny', 'Bash(rm:*)']], { mode: 'bypass' }),
    ).not.toBe('allow'));
});

describe('a variable that usually leads to a protected file', () => {
  const rules: readonly Rule[] = [
    ['allow', 'Bash(cat:*)'],
    ['allow', 'Bash(cp:*)'],
    ['allow', 'Bash(ls:*)'],
    ['allow', 'Bash(echo:*)'],
  ];
  test.each([
    'cat $KUBECONFIG',
    'cat "$GOOGLE_APPLICATION_CREDENTIALS"',
    'cat ${AWS_SHARED_CREDENTIALS_FILE}',
    'cat "$DOCKER_CONFIG/config.json"',
    'cat $CARGO_HOME/credentials.toml',
    'cat < $NETRC',
    'cp x $GIT_DIR/hooks/pre-commit',
    'cat $npm_config_userconfig',
  ])('%s asks in every mode', (command) => {
    expect(commandVerdict(command, rules)).toBe('ask');
    expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('ask');
    expect(commandVerdict(command, [], { mode: 'auto' }, { classifier: SURE_TO_ALLOW })).toBe('ask');
  });

  test.each(['cat $X', 'cat $CARGO_HOME/notes', 'echo $KUBECONFIG', 'KUBECONFIG=dev.yaml; cat $KUBECONFIG'])(
    '%s is covered',
    (command) => expect(commandVerdict(command, rules)).not.toBe('deny'),
  );

  test('prints no file where it is only printed', () =>
    expect(commandVerdict('echo $KUBECONFIG', rules)).toBe('allow'));

  test.each(['[ -n "$KUBECONFIG" ] && ls', 'if test -z "$GOOGLE_APPLICATION_CREDENTIALS"; then ls; fi'])(
    '%s opens no file',
    (command) => {
      expect(commandVerdict(command, rules)).toBe('allow');
      expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('allow');
    },
  );

  test.each(['[ "$(git branch --show-current)" = main ]', 'test "" != "$(git status --porcelain)"', '[ .env = "$X" ]'])(
    '%s compares texts',
    (command) => expect(commandVerdict(command, [['allow', 'Bash(git:*)']])).toBe('allow'),
  );

  test.each(['[ "$(cat .env)" = x ]', '[ x = y ] && [ -f .env ]', '[ a -nt .env ]', '[ -f "$(git ls-files)" ]'])(
    '%s does more',
    (command) => expect(commandVerdict(command, EVERYTHING)).not.toBe('allow'),
  );

  test.each(['[ -f "$KUBECONFIG" ]', 'test -n x -a -r $NETRC'])('%s asks about the file', (command) =>
    expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('ask'),
  );
});
