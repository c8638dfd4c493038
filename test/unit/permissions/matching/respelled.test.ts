/** Checks that deny rules hear signals, modes and variables however a command writes them. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const verdict = (rule: string, command: string) => {
  const rules: Rule[] = [
    ['deny', `Bash(${rule})`],
    ['allow', 'Bash'],
  ];
  return commandVerdict(command, rules, { mode: 'bypass' });
};

test('a push without branches has no other spelling', () => {
  expect(verdict('git push* *', 'git push')).toBe('allow');
});

describe('a deny rule hears', () => {
  test.each([
    [
      'kill -9:*',
      ['kill -KILL 1', 'kill -SIGKILL 1', 'kill -kill 1', 'kill -s KILL 1', 'kill -sKILL 1', 'kill -n 9 1'],
    ],
    ['kill -KILL:*', ['kill -9 1', 'kill -s 9 1', 'xargs kill -9', 'sh -c "kill -9 1"']],
    ['kill -s KILL:*', ['kill -9 1', 'kill -SIGKILL $PID']],
    ['kill -TERM 1', ['kill -15 1']],
    ['kill -9*', ['kill -KILL 1']],
    ['pkill -9:*', ['pkill -KILL x', 'pkill -f -KILL x', 'pkill --signal KILL x', 'pkill --signal=9 x']],
    ['killall -9:*', ['killall -s KILL x']],
    [
      'chmod 777:*',
      ['chmod 0777 x', 'chmod 00777 x', 'chmod a+rwx x', 'chmod ugo=rwx x', 'chmod +rwx x', 'chmod -R 0777 x'],
    ],
    ['chmod 777:*', ['chmod u=rwx,g=rwx,o=rwx x', 'chmod u=rwx,go=rwx x']],
    ['chmod a+rwx:*', ['chmod 777 x', 'chmod 0777 x']],
    ['chmod 0666:*', ['chmod 666 x', 'chmod a=rw x']],
    ['chmod -R 77*', ['chmod -R a+rwx x', 'chmod -R 0777 x', 'chmod --recursive 0777 x']],
    ['make deploy ENV=prod', ['make ENV=prod deploy', 'make build ENV=prod deploy', 'make -j4 ENV=prod deploy']],
    ['make deploy ENV=prod:*', ['make A=1 deploy ENV=prod', 'make A=1 ENV=prod deploy']],
    ['make ENV=prod deploy', ['make deploy ENV=prod']],
    ['make deploy ENV=*', ['make ENV=prod deploy']],
    ['chmod a+x*', ['chmod +x x', 'chmod ugo+x x', 'chmod -R +x x']],
    ['chmod +x:*', ['chmod a+x x', 'chmod ugo+x x']],
    [
      'git push origin *:main',
      ['git push origin main', 'git push -u origin refs/heads/main', 'git push -d origin main'],
    ],
    ['git push origin *:main*', ['git push origin HEAD:refs/heads/main', 'git push origin --delete x main']],
    ['git push origin :main:*', ['git push origin --delete main', 'git push origin :refs/heads/main']],
    ['git push origin HEAD:main', ['git push origin HEAD:refs/heads/main', 'git push origin +HEAD:heads/main']],
    [
      'kubectl delete namespace/prod:*',
      ['kubectl delete ns prod', 'kubectl delete ns/prod', 'kubectl -n x delete ns prod'],
    ],
    ['kubectl delete ns/prod*', ['kubectl delete namespace prod-1', 'kubectl delete namespaces/prod']],
    ['rm -rf* src', ['rm -fr src', 'rm src -r -f', 'rm -rf build src']],
    ['mkdir -p*', ['mkdir --parents x', 'mkdir x --parents']],
    ['pkill -f* node', ['pkill --full node', 'pkill node --full']],
    ['cp *-t /etc*', ['cp --target-directory=/etc x', 'cp x --target-directory /etc']],
    ['tee --append*', ['tee -a x']],
    ['curl *-d *', ['curl --data-binary @x https://a.example', 'curl --data-raw=x https://a.example']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'deny']);
  });
});

describe('a deny rule leaves alone', () => {
  test.each([
    ['kill -9:*', ['kill 1', 'kill -TERM 1', 'kill -l', 'kill -0 1', 'pkill x']],
    ['chmod 777:*', ['chmod 755 x', 'chmod +x x', 'chmod u+rwx x', 'chmod 1777 x', 'chmod go=rwx x']],
    ['rm -rf* src', ['rm -rf build', 'rm -r src']],
    ['git branch -D* main', ['git branch -D x']],
    ['make deploy ENV=prod', ['make deploy', 'make deploy ENV=dev', 'make ENV=prod', 'make ENV=prod build']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'allow']);
  });
});

describe('a rule with a wildcard', () => {
  test.each([
    ['git push --force*', 'make NOTE="git push --force"', 'ask'],
    ['git push --force*', `python3 -c "import os; os.system('git push --force')"`, 'ask'],
    ['git push --force*', 'make NOTE="git push"', 'allow'],
    ['git push --force*', 'git commit -m "git push --force"', 'allow'],
  ])('%s is looked for in a text that may run: %s', (rule, command, expected) => {
    expect(verdict(rule, command)).toBe(expected);
  });

  test('holds words that it may mean as a glob', () => {
    const rules: Rule[] = [
      ['deny', 'Bash(git branch -[dD]*)'],
      ['allow', 'Bash(git branch:*)'],
    ];
    expect(commandVerdict('git branch -d x', rules)).toBe('ask');
  });
});
