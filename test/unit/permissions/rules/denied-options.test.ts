/** Checks that a rule which names options hears them in any order and spelling, and no others. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

type Rows = readonly (readonly [rule: string, commands: readonly string[]])[];

const oneByOne = (rows: Rows) => rows.flatMap(([rule, commands]) => commands.map((each) => [rule, each] as const));

const DENIED: Rows = [
  [
    'git push --force:*',
    [
      'git push origin main --force',
      'git push -u origin x --force',
      'git push -f',
      'git push origin main -f',
      'git push -uf origin x',
      'git push origin +main',
      'git push --forc',
      'git push --force=true',
      'git -c a=b push origin x -f',
      'bash -c "git push origin main -f"',
    ],
  ],
  ['git push -f:*', ['git push --force', 'git push origin x --force']],
  ['git branch -D:*', ['git branch x -D', 'git branch -qD x', 'git branch --delete --force x', 'git branch -d -f x']],
  ['git commit --no-verify:*', ['git commit -n -m x', 'git commit -anm x', 'git commit -m x --no-veri']],
  ['git reset --hard:*', ['git reset HEAD~1 --hard', 'git reset --har']],
  ['git clean -fd:*', ['git clean -df', 'git clean -fdx', 'git clean -f -d', 'git clean --force -d']],
  ['rm -rf:*', ['rm -fr x', 'rm -r -f x', 'rm x -rf', 'rm --recursive --force x', 'rm -rfv x', 'rm -Rf x']],
  ['docker system prune -a:*', ['docker system prune --all', 'docker system prune -af', 'docker system prune -f -a']],
  ['docker run --privileged:*', ['docker run -it --privileged x', 'docker run --rm -v a:b --privileged=true x']],
  ['npm install -g:*', ['npm install x -g', 'npm i --global x', 'npm -g install x']],
  ['terraform apply -auto-approve:*', ['terraform apply --auto-approve', 'terraform apply x -auto-approve']],
  ['kubectl delete -f:*', ['kubectl delete pod --filename x', 'kubectl delete --wait -f x']],
  ['curl -X POST:*', ['curl x -X POST', 'curl -XPOST x', 'curl --request=POST x', 'curl -s --request POST x']],
  ['sed -i:*', ['sed s/a/b/ -i f', 'sed -i.bak s/a/b/ f', 'sed --in-place s/a/b/ f', 'sed -Ei s/a/b/ f']],
  ['tar -x:*', ['tar xf f', 'tar -zxf f', 'tar --extract f', 'tar f a --get']],
  ['ls -la', ['ls -al', 'ls -l -a']],
  [
    'ssh -i:*',
    ['ssh -vi k h', 'ssh -ik h', 'ssh h -i k', 'ssh -p 22 h -i k ls', 'ssh -W a:1 -i k h', 'ssh -Z h ls -i k'],
  ],
];

const OTHERS: Rows = [
  [
    'git push --force:*',
    ['git push', 'git push --force-with-lease', 'git push -u origin feature/force', 'git fetch -f'],
  ],
  ['git branch -D:*', ['git branch -d x', 'git branch -dr x']],
  [
    'git commit --no-verify:*',
    ['git commit -m x', 'git commit -am "-n"', 'git commit -m "$MSG"', 'git commit -m --no-verify'],
  ],
  ['git clean -fd:*', ['git clean -nd', 'git clean -f']],
  ['rm -rf:*', ['rm -r x', 'rm -f x', 'rm x']],
  ['docker rm -f:*', ['docker logs -f x', 'docker rm -v x']],
  ['docker run --privileged:*', ['docker run --privileged=false x']],
  ['kubectl delete --force:*', ['kubectl delete -f x.yaml']],
  ['curl -X POST:*', ['curl -X GET x', 'curl -XDELETE x', 'curl x/POST']],
  ['sed -i:*', ['sed -n 1p f', 'sed -e s/i/x/ f']],
  ['ssh -i:*', ['ssh h ls -i', 'ssh -4p 22 h ls -i', 'ssh h -p 22 grep -i x f']],
  ['tar -x:*', ['tar tf f', 'tar -cf x.tar y']],
  ['python -c:*', ['python x.py -c y', 'python x.py']],
  ['node -e:*', ['node x.js -e production']],
  ['sudo -i:*', ['sudo -u x ls -i']],
  ['find . -delete', ['find . -name delete', 'find src -delete']],
  ['ls -la', ['ls -l', 'ls -la src']],
  ['chmod -R:*', ['chmod -r x', 'chmod 644 x']],
];

describe('is denied', () => {
  test.each(oneByOne(DENIED))('%s: %s', (rule, command) => {
    expect(commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' })).toBe('deny');
    const rules = [
      ['allow', 'Bash'],
      ['ask', `Bash(${rule})`],
    ] as const;
    expect(commandVerdict(command, rules)).toBe('ask');
  });
});

describe('is another command', () => {
  test.each(oneByOne(OTHERS))('%s: %s', (rule, command) => {
    expect(commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' })).toBe('allow');
  });
});

describe('may be denied', () => {
  test.each([
    ['git push --force:*', 'git push origin $FLAGS'],
    ['git push --force:*', 'git push origin "$1"$2'],
    ['git branch -D:*', 'git branch $x topic'],
    ['git commit --no-verify:*', 'git commit -m $MSG'],
    ['git commit --no-verify:*', 'git commit -am $(cat msg)'],
    ['curl -X POST:*', 'curl -o $OUT https://a.example'],
    ['make deploy:*', 'make -f $X all'],
    // Most programs force by -f, and nobody knows of this one.
    ['mytool deploy --force:*', 'mytool deploy -f config.yml'],
  ])('%s: %s', (rule, command) => {
    expect(commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' })).toBe('ask');
  });
});
