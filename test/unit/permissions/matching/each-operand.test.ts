/** Checks that a deny rule hears each thing that one command names, and packages in addresses. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (rule: string, command: string) =>
  commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

describe('a deny rule on the last of several operands hears', () => {
  test.each([
    ['kill 2', ['kill 1 2', 'kill 2 1', 'kill -9 1 2', 'kill -- 1 2']],
    ['kill -9 2', ['kill -9 1 2', 'kill -KILL 1 2', 'kill -s KILL 1 2']],
    ['kill 1:*', ['kill 2 1']],
    ['killall node', ['killall x node', 'killall -9 x node']],
    ['git branch -D b', ['git branch -D a b', 'git branch -D a b c', 'git branch --delete --force a b']],
    ['git branch -d b', ['git branch -d a b', 'git branch --delete a b', 'git branch -D b', 'git branch -D a b']],
    ['git tag -d b', ['git tag -d a b', 'git tag --delete b a']],
    ['git checkout -- b', ['git checkout -- a b']],
    ['git restore b', ['git restore a b', 'git restore --source=x a b', 'git restore -- a b']],
    ['git clean -f b', ['git clean -f a b']],
    ['git cherry-pick b', ['git cherry-pick a b']],
    ['git submodule deinit b', ['git submodule deinit a b']],
    ['kubectl scale deployment b', ['kubectl scale deployment a b --replicas=0']],
    ['kubectl annotate pod b', ['kubectl annotate pod a b x=y']],
    ['docker secret rm b', ['docker secret rm a b']],
    ['docker compose up b', ['docker compose up a b']],
    ['podman pod rm b', ['podman pod rm a b']],
    ['pm2 stop b', ['pm2 stop a b']],
    ['supervisorctl stop b', ['supervisorctl stop a b']],
    ['mytool delete b', ['mytool delete a b', 'mytool delete --force a b']],
    ['redis-cli del b', ['redis-cli DEL a b']],
    ['cdk deploy b', ['cdk deploy a b']],
    ['dpkg -r b', ['dpkg -r a b']],
    ['rpm -e b', ['rpm -e a b']],
    ['pacman -R b', ['pacman -R a b']],
    ['chmod 777 b', ['chmod 777 a b', 'chmod -R 777 a b', 'chmod 0777 a b']],
    ['chown root b', ['chown root a b']],
    ['mkdir b', ['mkdir a b']],
    ['mvn b', ['mvn a b']],
    ['aws ec2 terminate-instances --instance-ids b', ['aws ec2 terminate-instances --instance-ids a b --region x']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'deny']);
  });
});

describe('another name of a deletion is heard', () => {
  test.each([
    ['apt-get remove b', 'apt-get purge a b'],
    ['apt-get remove b', 'apt autoremove b'],
    ['dnf remove b', 'dnf erase a b'],
    ['zypper remove b', 'zypper rm a b'],
    ['gh secret delete b', 'gh secret remove b'],
    ['ip link delete b', 'ip link del b'],
    ['rustup toolchain uninstall b', 'rustup toolchain remove a b'],
    ['dotnet add package Evil', 'dotnet add P.csproj package Evil'],
    ['dotnet add package Evil', 'dotnet add P package evil -v 1'],
    ['dotnet add package Evil', 'dotnet package add Evil --project P'],
    ['dotnet remove package Good', 'dotnet remove P package Good'],
  ])('%s: %s', (rule, command) => {
    expect(verdict(rule, command)).toBe('deny');
  });
});

describe('a deny rule on a package hears it in an address or a file', () => {
  test.each([
    [
      'npm install evil',
      [
        'npm install https://packages.example.test/evil/-/evil-1.0.0.tgz',
        'npm install git+https://github.com/x/evil.git#main',
        'npm install github:x/evil',
        'npm install x/evil',
        'npm install git@github.com:x/evil.git',
        'npm install ./evil.tgz',
        'npm i https://codeload.github.com/x/evil/tar.gz/main',
        'npm i https://unpkg.com/evil@1.0/x.tgz',
      ],
    ],
    [
      'pip install evil',
      [
        'pip install git+https://github.com/x/evil@main',
        'pip install git+https://github.com/x/y#egg=evil',
        'pip install https://x.test/evil-1.0-py3-none-any.whl',
        'pip install ./evil-1.0.tar.gz',
      ],
    ],
    ['gem install evil', ['gem install ./evil-1.0.gem']],
    ['brew install evil', ['brew install x/y/evil']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'deny']);
  });
});

describe('a deny rule leaves alone', () => {
  test.each([
    ['kill 2', ['kill 1', 'kill 22', 'kill 1 3', 'kill -0 1']],
    ['git branch -D b', ['git branch -d b', 'git branch -D a', 'git branch b', 'git branch -m b c']],
    ['git tag -d b', ['git tag b', 'git tag -d a', 'git tag -l b']],
    ['git checkout main', ['git checkout x', 'git checkout HEAD main', 'git checkout main -- x']],
    ['git restore b', ['git restore a', 'git restore bb']],
    ['npm run b', ['npm run a b']],
    ['npm install evil', ['npm install good', 'npm install @acme/evil', 'npm install https://evil.test/good']],
    ['docker pull evil', ['docker pull x/evil', 'docker pull ghcr.io/x/evil:1']],
    ['mkdir b', ['mkdir a', 'mkdir a/b']],
    ['chmod 777 b', ['chmod 755 a b', 'chmod 777 a']],
    ['dotnet add package Evil', ['dotnet add package Good', 'dotnet add P reference Evil']],
    ['apt-get remove b', ['apt-get install b', 'apt-get remove a']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'allow']);
  });
});
