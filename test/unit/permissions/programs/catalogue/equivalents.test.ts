/** Checks that rules hear commands that do the same: denied where that is certain, asked elsewhere. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';

type Row = readonly [rule: string, denied: readonly string[], asked: readonly string[], allowed: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'git push',
    [
      'git subtree push --prefix=dist origin gh-pages',
      'git -C x subtree -P d push o b',
      'git send-pack origin main',
      'git lfs push origin main',
      'git svn dcommit',
      'git p4 submit',
    ],
    ['gh repo create a/b --source=. --push'],
    ['git subtree pull -P d o b', 'git lfs pull', 'git svn fetch', 'gh repo create a/b', 'git stash push'],
  ],
  ['git push origin gh-pages', ['git subtree push -P dist origin gh-pages'], [], ['git subtree push -P dist origin x']],
  [
    'git reset --hard',
    ['git checkout -f', 'git switch --discard-changes main'],
    [],
    ['git checkout main', 'git switch -c x'],
  ],
  [
    'npm publish',
    ['npm stage publish'],
    ['pnpm publish -r', 'bun publish', 'npx lerna publish', 'changeset publish'],
    ['pnpm install', 'yarn build', 'npm pack'],
  ],
  [
    'npm run deploy',
    ['npm rum deploy'],
    ['yarn deploy', 'yarn run deploy', 'pnpm run deploy', 'pnpm -s deploy', 'bun run deploy', 'node --run deploy'],
    ['yarn build', 'pnpm install', 'node deploy.js', 'npm run build'],
  ],
  ['npm run', [], [], ['pnpm run build', 'yarn build']],
  ['npm', [], [], ['pnpm publish', 'yarn publish']],
  [
    'docker push',
    [
      'docker image push a',
      'docker build --push -t a .',
      'docker buildx build -t a --push .',
      'docker buildx bake --push',
      'docker compose push',
      'docker-compose push',
      'docker build -o type=registry .',
    ],
    [
      'podman push a',
      'nerdctl push a',
      'buildah push a',
      'skopeo copy docker-daemon:a docker://r/a',
      'crane push x r/a',
    ],
    [
      'docker build -t a .',
      'docker compose build',
      'docker pull a',
      'podman pull a',
      'skopeo copy docker://r/a dir:out',
      'skopeo copy docker://r/a docker-archive:a.tar',
    ],
  ],
  ['docker', [], [], ['podman push a']],
  [
    'docker exec',
    ['docker container exec x ls'],
    ['docker compose exec x ls', 'podman exec x ls'],
    ['docker compose ps'],
  ],
  [
    'kubectl delete',
    ['kubectl replace --force -f x.yaml', 'kubectl apply --prune -f x -l a=b'],
    ['oc delete pod x'],
    ['kubectl replace -f x.yaml', 'kubectl apply -f x', 'oc get pods'],
  ],
  [
    'terraform destroy',
    ['terraform apply -destroy'],
    ['tofu destroy', 'terragrunt run-all destroy'],
    ['tofu plan', 'terragrunt plan'],
  ],
  [
    'aws s3 rm',
    [],
    ['aws s3api delete-object --bucket b --key k', 'aws s3 sync a s3://b --delete'],
    ['aws s3 sync a s3://b', 'aws s3 ls'],
  ],
  [
    'gh pr merge',
    [],
    ['gh api -X PUT repos/o/r/pulls/1/merge', 'gh api --method=PUT /repos/o/r/pulls/1/merge'],
    ['gh api repos/o/r/pulls/1', 'gh pr view 1'],
  ],
  ['shutdown', [], ['poweroff', 'systemctl reboot', 'init 0'], ['systemctl status x', 'uptime']],
  [
    'systemctl stop',
    [],
    ['service nginx stop', 'systemctl kill nginx'],
    ['service nginx status', 'systemctl status x'],
  ],
  ['rm', [], ['unlink x', 'shred -u x', 'git clean -fd build', 'gio trash x'], ['shred x', 'git clean -n', 'touch x']],
  ['git checkout main', [], ['git switch main'], ['git switch dev']],
  ['git stash drop', [], ['git stash clear'], ['git stash list']],
  [
    'git commit --no-verify',
    ['HUSKY=0 git commit -m x'],
    ['git -c core.hooksPath=/dev/null commit -m x'],
    ['git commit -m x'],
  ],
  ['gh auth token', ['gh auth status --show-token'], [], ['gh auth status']],
  ['twine upload', [], ['uv publish', 'poetry publish'], ['uv build']],
  ['npm install -g', ['npm i --location=global x', 'npm_config_global=true npm install x'], [], ['npm install x']],
  ['printenv', [], ['export -p', 'declare -x'], ['export A=b']],
  ['kill', [], ['pkill x', 'fuser -k 80/tcp'], ['pgrep x', 'fuser 80/tcp']],
  ['mkfs', ['mkfs.ext4 /dev/x', 'mke2fs /dev/x'], [], ['lsblk']],
  ['nc', ['ncat h 1', 'netcat h 1', 'nc.openbsd h 1'], [], []],
  ['rm', ['grm x'], [], ['grep x y']],
  [
    'pip install',
    ['python3 -mpip install x', 'python -Im pip install x', 'pip3.12 install x'],
    [],
    ['python3 -m pip list', 'pip list'],
  ],
  [
    'python3.11',
    ['python3.11 x.py', '/usr/bin/python3.11 x.py'],
    ['python3 x.py', 'python x.py'],
    ['python3.12 x.py', 'pytest'],
  ],
  ['python3', ['python3.13t x.py', 'python3.12d x.py', 'python3-dbg x.py', 'python x.py'], [], ['node x.js']],
  ['tool', ['tool1.2 x', 'tool-3 x', 'tool2 x'], [], ['toolbox x']],
];

describe.each(ROWS)('deny Bash(%s:*)', (rule, denied, asked, allowed) => {
  const verdict = (command: string) => commandVerdict(command, [['deny', `Bash(${rule}:*)`]], { mode: 'bypass' });

  if (denied.length > 0) test.each(denied)('hears %s', (command) => expect(verdict(command)).toBe('deny'));
  if (asked.length > 0) test.each(asked)('asks about %s', (command) => expect(verdict(command)).toBe('ask'));
  if (allowed.length > 0) test.each(allowed)('leaves %s alone', (command) => expect(verdict(command)).toBe('allow'));
});

test('a team may allow the other command', () => {
  const rules = [
    ['deny', 'Bash(npm publish:*)'],
    ['allow', 'Bash(pnpm publish:*)'],
  ] as const;
  expect(commandVerdict('pnpm publish', rules)).toBe('allow');
  expect(commandVerdict('pnpm publish', rules, { mode: 'bypass' })).toBe('allow');
});
