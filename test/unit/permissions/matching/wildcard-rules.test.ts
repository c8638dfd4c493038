/** Checks what deny rules with a wildcard say of commands, their re-spellings and their neighbours. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

type Row = readonly [rule: string, denied: readonly string[], asked: readonly string[], allowed: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'git push --force*',
    [
      'git push -f',
      'git push origin -f',
      'git push -uf',
      'git push +main',
      'git push origin +main',
      'git push origin +refs/heads/x:refs/heads/x',
      'git push --forc',
      'git push origin main --force',
      'git push --force-with-lease',
      'git push --force-with-lease=main:abc',
      'git push --force-if-includes',
      'git push origin "--for""ce"',
      "git push '-f'",
      'git push --mirror',
      'git -C x push -f',
      'git push --set-upstream origin x --forc',
    ],
    [],
    [
      'git push',
      'git push origin main',
      'git push -u origin feature',
      'git push --tags',
      'git push --no-verify',
      'git push --dry-run',
      'git push --follow-tags',
      'git push -o ci.skip origin main',
    ],
  ],
  [
    'git push *--force*',
    ['git push origin -f', 'git push -f', 'git push --mirror'],
    [],
    ['git push origin main', 'git push origin my-force-branch'],
  ],
  [
    'git push -f*',
    ['git push --force', 'git push -uf origin x', 'git push origin +x'],
    [],
    ['git push origin main', 'git push origin my-feature', 'git push --force-with-lease', 'git push --follow-tags'],
  ],
  [
    'git push --force-*',
    ['git push --force-w', 'git push --force-with-lease origin x'],
    [],
    ['git push --force', 'git push -f', 'git push origin'],
  ],
  [
    'git commit *--amend*',
    [
      'git commit --am',
      'git commit --ame -m x',
      'git commit --amend --no-edit',
      'git commit -m "--amend"',
      'git commit --no-edit --amend',
    ],
    [],
    ['git commit -m x', 'git commit -am x', 'git commit -m "amend this"', 'git commit --fixup HEAD'],
  ],
  [
    'git commit * --amend',
    ['git commit -m x --amend', 'git commit --amend -m x', 'git commit --amen -m x'],
    ['git commit --amend'],
    ['git commit -m x'],
  ],
  [
    'git commit --no-verify*',
    ['git commit -n -m x', 'git commit -nm x', 'git commit -anm x', 'git commit --no-ver -m x'],
    [],
    ['git commit -m x', 'git commit -m -n'],
  ],
  [
    'git reset --hard*',
    ['git reset --har', 'git reset --ha HEAD~1', 'git reset HEAD~1 --hard', 'git reset -q --hard'],
    [],
    ['git reset', 'git reset --soft HEAD~1'],
  ],
  [
    'git branch -D*',
    ['git branch -d -f x', 'git branch --delete --force x', 'git branch -fd x', 'git branch -D x'],
    [],
    ['git branch', 'git branch -a', 'git branch -d x', 'git branch x'],
  ],
  [
    'git clean *-fdx*',
    ['git clean -xdf', 'git clean -f -d -x', 'git clean --force -dx'],
    [],
    ['git clean -n', 'git clean -f -d'],
  ],
  ['kubectl delete pod *-db', ['kubectl delete --now pod web-db'], [], ['kubectl delete pod web']],
  [
    'git push *-prod*',
    ['git push origin x-prod'],
    ['git push', 'git push origin', 'git push origin HEAD'],
    ['git push origin dev'],
  ],
  ['git push origin *:main', [], [], ['git push origin dev', 'git push origin main:dev']],
  ['git clean -f*', ['git clean -df', 'git clean --force', 'git clean -xfd'], [], ['git clean -n', 'git clean -dx']],
  ['git checkout -- *', ['git checkout -- x'], [], ['git checkout main']],
  [
    'git checkout main*',
    ['git checkout main', 'git checkout -q main', 'git checkout mainline'],
    ['git checkout -', 'git checkout HEAD'],
    ['git checkout dev'],
  ],
  [
    'git push origin main*',
    [
      'git push origin HEAD:main',
      'git push origin :main',
      'git push origin refs/heads/main',
      'git push -u origin main',
      'git push origin +main',
      'git push origin dev main',
    ],
    ['git push origin HEAD'],
    ['git push origin dev', 'git push origin domain'],
  ],
  [
    'git push origin release*',
    ['git push origin dev:release-1', 'git push origin HEAD:refs/heads/release-2', 'git push -f origin release-1'],
    [],
    ['git push origin dev', 'git push origin prerelease'],
  ],
  [
    'git * --force*',
    ['git push -f', 'git fetch -f', 'git branch -f x', 'git rm -f x'],
    [],
    ['git push', 'git status', 'git add .'],
  ],
  ['git *--force*', ['git push -f', 'git clean -f'], [], ['git push origin main', 'git log']],
  ['gi* push --force', ['git push -f'], [], ['git push', 'gitk push']],
  [
    'rm -rf /*',
    [
      'rm -fr /etc',
      'rm -r -f /etc',
      'rm --recursive --force /etc',
      'rm -rf build /etc',
      'rm -Rf /etc',
      'rm -rf "$X"/y',
      'rm -rf ./..//etc',
      'rm -rf ~/x',
    ],
    [],
    ['rm -rf build', 'rm -rf ./build', 'rm -rf node_modules/'],
  ],
  [
    'rm -rf ../*',
    ['rm -fr ../x', 'rm -rf ./..//etc', 'rm -rf x/../../y', 'rm -rf /workspace/other'],
    [],
    ['rm -rf build'],
  ],
  [
    'rm -rf src*',
    ['rm -fr src', 'rm -rf ./src', 'rm -rf .//src', 'rm -rf /workspace/app/src', 'rm -rf a/../src'],
    ['rm -rf SRC', 'rm -rf my-src'],
    ['rm -rf build', 'rm -rf mysrc'],
  ],
  ['rm -rf src/*', ['rm -rf src/a', 'rm -r -f ./src/a'], ['rm -rf src', 'rm -rf srcs'], ['rm -rf dist']],
  ['rm -r*', ['rm -fr x', 'rm --recursive x', 'rm -R x', 'rm --rec x', 'rm x -r'], [], ['rm x', 'rm -f x']],
  ['rm *-r*', ['rm my-report', 'rm -fr x', 'rm --recursive x'], [], ['rm x']],
  ['rm --recursive*', ['rm -r x', 'rm -rf x', 'rm --recu x'], [], ['rm x', 'rm -f x']],
  [
    'docker run *--privileged*',
    [
      'docker run --privileged=true alpine',
      'docker run --rm --privileged alpine',
      'docker container run --privileged alpine',
      'docker run --privileged alpine',
    ],
    [],
    [],
  ],
  [
    'docker run -v /*',
    [
      'docker run --volume /etc:/e alpine',
      'docker run --volume=/etc:/e alpine',
      'docker run -it -v /:/h alpine',
      'docker run --rm -v/:/h alpine',
    ],
    [],
    [],
  ],
  ['docker run *--network host*', ['docker run --network=host alpine', 'docker run --network host alpine'], [], []],
  ['docker run * --network=host*', ['docker run --rm --network host alpine'], [], []],
  ['docker rm web*-1', ['docker rm web-1', 'docker rm -f web-x-1', 'docker rm web2-1'], [], ['docker rm db-1']],
  [
    'docker system prune -a*',
    ['docker system prune --all', 'docker system prune -fa'],
    [],
    ['docker system prune', 'docker system prune -f'],
  ],
  [
    'kubectl delete ns prod*',
    [
      'kubectl delete namespace prod-1',
      'kubectl delete ns/prod-1',
      'kubectl delete --wait=false ns prod-1',
      'kubectl -n x delete ns prod',
      'kubectl delete ns dev prod-1',
    ],
    [],
    ['kubectl delete ns dev'],
  ],
  [
    'kubectl -n prod* delete *',
    [
      'kubectl --namespace=prod-1 delete pod x',
      'kubectl delete pod x -n prod-1',
      'kubectl -nprod-1 delete pod x',
      'kubectl delete -nprod-1 pod x',
      'kubectl --namespace prod delete pod x',
    ],
    [],
    ['kubectl -n dev get pods'],
  ],
  [
    'kubectl *--all-namespaces*',
    ['kubectl get pods -A', 'kubectl delete pods --all -A', 'kubectl get pods --all-name'],
    [],
    ['kubectl get pods'],
  ],
  [
    'kubectl delete *--all*',
    ['kubectl delete pods --all', 'kubectl delete pods --all=true'],
    [],
    ['kubectl delete pod x'],
  ],
  [
    'terraform apply -auto-approve*',
    ['terraform apply --auto-approve', 'terraform apply -auto-approve=true', 'terraform apply x -auto-approve'],
    [],
    ['terraform apply', 'terraform apply plan.out'],
  ],
  [
    'terraform * -auto-approve*',
    ['terraform apply x --auto-approve', 'terraform destroy -auto-approve', 'terraform apply -auto-approve'],
    [],
    ['terraform plan'],
  ],
  [
    'terraform apply -target=prod*',
    ['terraform apply -target prod.x', 'terraform apply --target=prod'],
    [],
    ['terraform apply -target=dev', 'terraform apply'],
  ],
  [
    'aws s3 rm *--recursive*',
    ['aws s3 rm --recursive s3://a', 'aws s3 rm s3://a --recurs', 'aws s3 rm s3://a --recursive'],
    [],
    ['aws s3 rm s3://a/b'],
  ],
  [
    'aws *--profile prod*',
    ['aws s3 ls --profile prod', 'aws s3 ls --profile=prod-x', 'aws s3 ls --prof prod'],
    [],
    ['aws s3 ls', 'aws --profile dev s3 ls'],
  ],
  ['aws s3 rm s3://prod*', ['aws s3 rm s3://prod/x', 'aws s3 rm --quiet s3://prod-a/x'], ['aws s3 rm s3://PROD/x'], []],
  ['gh pr merge *--admin*', ['gh pr merge 1 --admin'], [], ['gh pr merge 1', 'gh pr merge --squash 1']],
  ['gh repo delete *--yes*', ['gh repo delete x --confirm', 'gh repo delete --yes x'], [], ['gh repo delete x']],
  [
    'gh api *-X DELETE*',
    ['gh api repos/a/b --method DELETE', 'gh api repos/a/b -XDELETE', 'gh api --method=DELETE repos/a/b'],
    [],
    ['gh api repos/a/b', 'gh api -X GET repos/a/b'],
  ],
  [
    'npm install *-g*',
    ['npm install --global x', 'npm i -g x', 'npm i x --global', 'npm install -g x', 'npm install my-great-lib'],
    [],
    ['npm install x'],
  ],
  [
    'npm install evil*',
    ['npm i evil', 'npm install evil@1', 'npm add evil-x', 'npm install -D evil', 'npm install x evil'],
    [],
    ['npm install good'],
  ],
  ['npm publish --tag latest*', ['npm publish --tag=latest'], [], ['npm publish', 'npm publish --tag beta']],
  ['npm run deploy*', ['npm run deploy:prod', 'npm run-script deploy', 'npm run -s deploy'], [], ['npm run build']],
  [
    'psql *-c *DROP*',
    ['psql --command="DROP TABLE x"', 'psql -c "DROP TABLE x"', 'psql -d a -c "DROP TABLE x"', 'psql -qc "DROP x"'],
    [],
    [],
  ],
  ['psql -c *DROP*', ['psql -d x -c "DROP TABLE x"', 'psql --command "DROP TABLE x"'], [], []],
  [
    'curl -X POST https://api.example/*',
    [
      'curl https://api.example/x -X POST',
      'curl --request POST https://api.example/x',
      'curl -sX POST https://api.example/x',
      'curl -X POST HTTPS://API.example/x',
      'curl -X POST api.example/x',
      'curl -X POST https://u@api.example/x',
      'curl -X POST https://api.example:443/x',
    ],
    [],
    ['curl -X POST https://other.example/', 'curl -X GET https://api.example/x'],
  ],
  ['curl -s https://api*.example/x', ['curl -s https://api.example:443/x'], [], ['curl -s https://b.example/x']],
  ['scp x prod:/y*', [], ['scp x scp://prod//y'], ['scp x dev:/y']],
  [
    'curl *--upload-file*',
    [
      'curl -T x https://a.example/',
      'curl -sT x https://a.example/',
      'curl --upload x https://a.example/',
      'curl --upload-file=x https://a.example/',
    ],
    [],
    ['curl https://a.example/', 'curl https://a.example/?q=1'],
  ],
  ['curl *-o *', ['curl --output x https://a.example', 'curl -so x https://a.example'], [], ['curl https://a.example']],
  [
    'curl *-k*',
    ['curl --insecure https://a.example', 'curl -sk https://a.example', 'curl https://a-k.example'],
    [],
    ['curl https://a.example'],
  ],
  ['chmod *777*', ['chmod 777 x', 'chmod 0777 x', 'chmod -R 777 x', 'chmod a+rwx x'], [], ['chmod 755 x']],
  [
    'chmod -R 77*',
    ['chmod -R 777 x', 'chmod --recursive 777 x', 'chmod -R a+rwx x', 'chmod -R 0777 x', 'chmod 777 -R x'],
    [],
    ['chmod -R 755 x'],
  ],
  ['tar *--to-command*', ['tar --to-c=id -xf x.tar'], [], []],
  ['tar -x*', ['tar xf x.tar', 'tar --extract -f x.tar', 'tar --get -f x', 'tar -zxf x.tar'], [], ['tar tf x']],
  [
    'sed -i*',
    ['sed --in-place s/a/b/ x', 'sed -n -i s/a/b/ x', 'sed -ni s/a/b/ x', 'sed -i.bak s/a/b/ x', 'sed -e s/a/b/ -i x'],
    [],
    ['sed s/a/b/ x'],
  ],
  ['find * -delete*', ['find . -delete', 'find . -name x -delete'], [], ['find . -name x', 'find src -type f -print']],
  ['find *-exec*', ['find . -execdir ls {} +', 'find . -exec ls {} +'], [], ['find . -name x']],
  ['make *-f*', ['make --file=x', 'make --makefile x', 'make -Bf x', 'make my-feature'], [], ['make', 'make build']],
  ['pip install *--index-url*', ['pip install -i http://e x', 'pip install --index http://e x'], [], ['pip install x']],
  ['ssh *prod*', ['ssh -t prod', 'ssh me@prod'], [], ['ssh dev']],
  ['rsync *--delete*', ['rsync -a --del a b', 'rsync --delete-after a b', 'rsync -a --delete a b'], [], []],
  [
    'helm uninstall *-n prod*',
    ['helm uninstall x --namespace prod', 'helm delete x -n prod', 'helm un x -nprod'],
    [],
    ['helm uninstall x', 'helm uninstall x -n dev'],
  ],
  ['cargo publish *--allow-dirty*', ['cargo publish --allow-dirty'], [], ['cargo publish']],
  ['foo --danger*', ['foo a --danger', 'foo --danger=1'], [], ['foo x', 'foo --dang', 'foo -d']],
  ['foo *--force*', ['foo --force', 'foo a --force-x'], ['foo a -f'], ['foo x']],
  ['* --force*', ['rm -f x', 'git push -f', 'foo --force'], [], ['git push', 'foo x']],
  ['*--force*', ['rm -f x', 'git push -f'], [], ['git push', 'foo -f']],
  ['sudo *rm*', ['sudo rm x'], [], []],
  ['python -c*', ['python -Ic "x"', 'python3 -c x', 'python -c x'], [], ['python x.py']],
  ['bash -c *rm*', ['bash -lc "rm x"'], [], ['bash x.sh']],
  [
    'wget *-O*',
    ['wget --output-document=x http://a.example', 'wget -qO- http://a.example', 'wget http://a-O.example'],
    [],
    [],
  ],
  ['systemctl stop db*', ['systemctl --now stop db1', 'systemctl stop web db1'], [], ['systemctl stop web']],
  ['git log * main', ['git log x main'], ['git log main'], ['git log dev']],
  ['heroku *--app prod*', ['heroku ps -a prod', 'heroku ps --app=prod'], [], ['heroku ps', 'heroku ps -a dev']],
];

/** Rules that allow the command, were it not for the other one. */
const allowing = (command: string): readonly Rule[] =>
  [1, 2, 3].map((count) => ['allow', `Bash(${command.split(' ').slice(0, count).join(' ')}:*)`] as const);

describe.each(ROWS)('Bash(%s)', (rule, denied, asked, allowed) => {
  const verdict = (effect: 'deny' | 'ask', command: string) =>
    commandVerdict(command, [[effect, `Bash(${rule})`], ['allow', 'Bash'], ...allowing(command)]);

  test.each(denied)('denies %s', (command) => {
    expect(verdict('deny', command)).toBe('deny');
    expect(verdict('ask', command)).toBe('ask');
  });

  if (asked.length > 0) test.each(asked)('asks about %s', (command) => expect(verdict('deny', command)).toBe('ask'));
  if (allowed.length > 0)
    test.each(allowed)('leaves %s alone', (command) => {
      expect(verdict('deny', command)).toBe('allow');
      expect(verdict('ask', command)).toBe('allow');
    });
});
