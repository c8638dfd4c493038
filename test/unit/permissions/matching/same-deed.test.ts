/** Checks that a deny rule in `bypass` hears the same deed under another name. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

const verdict = (rule: string, command: string) =>
  commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

describe('denied is the same command', () => {
  test.each([
    ['rsync --delete:*', ['rsync a b --delete-after', 'rsync -a --delete-excluded a b', 'rsync --del a b']],
    ['nomad job stop:*', ['nomad stop x', 'nomad stop -purge x']],
    ['nomad stop:*', ['nomad job stop x']],
    ['iptables -F:*', ['iptables --flush', 'iptables -t nat --flush']],
    ['dpkg --remove:*', ['dpkg -r x']],
    ['chown -R root:*', ['chown -R root:root x', 'chown -R 0 x', 'chown 0:0 -R x', 'chown --recursive root.root x']],
    ['chown 0:*', ['chown root x', 'chown root:staff x']],
    ['ansible-playbook prod.yml:*', ['ansible-playbook a.yml prod.yml', 'ansible-playbook -i x prod.yml a.yml']],
    ['firebase deploy:*', ['npx firebase-tools deploy', 'npx firebase-tools@13 deploy --only a']],
    ['cdk destroy:*', ['npx aws-cdk destroy x']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'deny']);
  });
});

describe('a person is asked about another one that does the same', () => {
  test.each([
    ['useradd:*', 'adduser x'],
    ['userdel:*', 'deluser x'],
    ['passwd:*', 'chpasswd < x'],
    ['passwd:*', 'usermod -p x y'],
    ['rails db:drop:*', 'rake db:drop'],
    ['rails db:drop:*', 'rails db:drop:all'],
    ['rake db:migrate:*', 'rails db:migrate'],
    ['vault delete:*', 'vault kv delete secret/x'],
    ['vault write:*', 'vault kv put secret/x a=b'],
    ['apt-get remove:*', 'dpkg -r x'],
    ['git push origin main:*', 'git push git@github.com:o/r main'],
    ['git push origin main:*', 'git push https://github.com/o/r x:main'],
    ['git push origin main:*', 'git push . HEAD:main'],
    ['git push origin main', 'git push ../other --all'],
  ])('%s: %s', (rule, command) => expect(verdict(rule, command)).toBe('ask'));
});

describe('a deny rule leaves alone', () => {
  test.each([
    ['rsync --delete:*', ['rsync -a a b', 'rsync --exclude x a b']],
    ['nomad job stop:*', ['nomad status', 'nomad job run x']],
    ['iptables -F:*', ['iptables -L', 'iptables --list']],
    ['chown -R root:*', ['chown -R ann:root x', 'chown -R 1000 x', 'chown root x']],
    ['git push origin main:*', ['git push git@github.com:o/r feature', 'git push https://github.com/o/r a:b']],
    ['git push origin main:*', ['git push upstream main', 'git push origin feature']],
    ['ansible-playbook prod.yml:*', ['ansible-playbook dev.yml']],
    ['rails db:drop:*', ['rails db:migrate', 'rake db:seed', 'rails server']],
    ['passwd:*', ['usermod -aG docker ann']],
  ])('%s: %j', (rule, commands) => {
    for (const command of commands) expect([command, verdict(rule, command)]).toEqual([command, 'allow']);
  });
});
