/** Checks that deny rules hear input files, folders, modules and words that a program expands. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

type Row = readonly [rule: string, denied: readonly string[], asked: readonly string[], allowed: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'cat secrets/*',
    ['cat < secrets/x', '< secrets/x cat', 'cat - < secrets/x', 'cat a < ./secrets/x', 'cd secrets && cat < x'],
    [],
    ['cat < src/x', 'cat 3< secrets/x', 'tee a < secrets/x > b'],
  ],
  [
    './deploy.sh:*',
    [
      'bash < deploy.sh',
      'bash -s < deploy.sh',
      'bash -xs now < ./deploy.sh',
      'sh - < deploy.sh',
      'bash -x < deploy.sh',
    ],
    [],
    ['bash src/x.sh < deploy.sh', "bash -c 'cat' < deploy.sh", 'wc -l < deploy.sh'],
  ],
  [
    'python scripts/wipe.py:*',
    ['python < scripts/wipe.py', 'python - --all < scripts/wipe.py'],
    ['python -m scripts.wipe', 'python3 -mscripts.wipe --all', 'python -Im scripts.wipe'],
    ['python -m scripts.other', 'python -m pytest', 'python -m json.tool < scripts/wipe.py'],
  ],
  [
    'bash scripts/wipe.sh:*',
    [
      'bash -o pipefail < scripts/wipe.sh',
      'bash -eo pipefail < ./scripts/wipe.sh',
      'bash -O extglob -x < scripts/wipe.sh',
      'bash --rcfile a < scripts/wipe.sh',
    ],
    [
      'source scripts/wipe.sh',
      '. ./scripts/wipe.sh now',
      'source /dev/stdin < scripts/wipe.sh',
      './scripts/wipe.sh --all',
      'cd scripts && ./wipe.sh',
      'sh scripts/wipe.sh',
      'zsh < scripts/wipe.sh',
    ],
    ['bash -o pipefail src/x.sh < scripts/wipe.sh', 'source src/x.sh', './src/x.sh scripts/wipe.sh', '. src/wipe.sh'],
  ],
  ['bash -c:*', [], ["sh -c 'ls'"], ['source .venv/bin/activate', './src/x.sh -c']],
  ['sh:*', [], [], ['source src/x.sh', './src/x.sh']],
  ['python manage.py flush:*', ['python3 ./manage.py flush'], ['./manage.py flush'], ['./manage.py migrate']],
  ['php artisan db:wipe:*', [], ['./artisan db:wipe --force'], ['./artisan db:seed']],
  ['python3 scripts/*', [], ['./scripts/wipe.py'], ['./src/x.py', '/usr/bin/make -n']],
  [
    'python scripts/reset.py:*',
    ['python -X dev < scripts/reset.py', 'python3 -W ignore -u < scripts/reset.py'],
    [],
    ['python -X dev src/x.py < scripts/reset.py'],
  ],
  [
    'psql -f drop.sql:*',
    ['psql < drop.sql', 'psql -h db app < ./drop.sql', 'psql --file=drop.sql'],
    [],
    ['psql < seed.sql', 'psql -f seed.sql < drop.sql.bak', 'psql -f seed.sql < drop.sql'],
  ],
  [
    'psql -f:*',
    ['psql < a.sql', 'psql -f - < a.sql', 'psql -qf /dev/stdin < a.sql'],
    [],
    ["psql -c 'copy a from stdin' < a.csv", "psql --command='copy a from stdin' < a.csv", 'psql -qc x < a.csv'],
  ],
  // A file that is run by its path is no script of such a program.
  ['psql -c:*', [], [], ['./src/x -c y']],
  ['mysql -e:*', [], [], ['./src/x -e y']],
  ['python ./scripts/wipe/__main__.py', [], ['python -m scripts.wipe'], ['python -m scripts']],
  [
    'cp * /etc*',
    ['cp -t /etc x', 'cp -t/etc x', 'cp --target-directory=/etc x y', 'cp -vt /etc x', 'cp x --target-directory /etc'],
    [],
    ['cp -t /tmp x', 'cp -r a b', 'cp /etc/hosts x'],
  ],
  ['mv * /etc*', ['mv -t/etc x'], [], ['mv -t /tmp x']],
  ['install * /usr/bin*', ['install -t /usr/bin x', 'install -m 755 -t/usr/bin x'], [], ['install -m 755 x bin/x']],
  [
    'rm -rf src/*',
    ['rm -rf src/x'],
    ['rm -rf src', 'rm -fr ./src', 'rm -rf docs src', 'rm -rf /workspace/app/src', 'cd src/a && rm -rf ../../src'],
    ['rm -rf docs', 'rm -rf src2', 'rm -f src', 'rm -r dist'],
  ],
  ['mv * *.bak', ['mv a b.bak'], [], ['mv src lib']],
  ['mv secrets/*', ['mv secrets/a b'], ['mv secrets b'], ['mv src b']],
  ['cp secrets/*', [], ['cp -r secrets /tmp', 'cp -a . /tmp/x'], ['cp -r src /tmp', 'cp a b']],
  [
    'aws s3 rm s3://b/prod/*',
    [],
    ['aws s3 rm s3://b --recursive', 'aws s3 rm --recursive s3://b/'],
    ['aws s3 rm s3://b/dev --recursive', 'aws s3 rm s3://c --recursive'],
  ],
  [
    'kubectl * -n prod*',
    ['kubectl get pods -n prod'],
    ['kubectl get pods -A', 'kubectl -A delete pods --all', 'kubectl delete pods --all-namespaces --all'],
    ['kubectl get pods', 'kubectl get pods -n dev'],
  ],
  ['kubectl delete *--namespace=prod*', [], ['kubectl delete pods --all -A'], ['kubectl get pods -A']],
  ['helm list -n prod:*', [], ['helm list -A', 'helm ls --all-namespaces'], ['helm list']],
  [
    'kubectl delete ns prod:*',
    ['kubectl delete namespaces prod'],
    ['kubectl delete namespaces -l a=b', 'kubectl delete namespace --all'],
    ['kubectl delete pods -l a=b'],
  ],
  [
    'curl https://evil.test/*',
    ['curl https://evil.test/%61'],
    ["curl 'https://{evil,b}.test/x'", "curl 'https://evi[l-m].test/x'", "curl -s '{https://evil.test/x,b}'"],
    [
      "curl 'https://good.test/{a,b}'",
      "curl -g 'https://{evil,b}.test/x'",
      `curl -d '{"a": 1}' https://good.test/`,
      "curl 'http://[::1]:3000/'",
      "curl 'https://good.test/[1-9].png'",
    ],
  ],
  [
    'curl https://evil.test/admin*',
    ['curl https://evil.test/%61dmin', 'curl https://evil.test/ad%6Din', 'curl https://evil.test/x/%2e%2e/admin'],
    ["curl 'https://evil.test/{a,admin}'"],
    ['curl https://evil.test/x%2Fadmin', 'curl https://evil.test/x'],
  ],
  ['curl https://evil.test/%61dmin', ['curl https://evil.test/admin'], [], ['curl https://evil.test/x']],
  ['python3 *.py', ['python3 a.py'], [], ['python3 -m http.server']],
  [
    'curl *://evil.test/*',
    ['curl https://evil.test/x'],
    ["curl 'https://{good,evil}.test/'", `curl 'https://${'{a,b}'.repeat(9)}evil.test/'`],
    ["curl -w '%{http_code}' http://x.test", "curl 'https://a.test/[1-100:10]'", "curl -s 'https://{a,b}.test/x'"],
  ],
  ['curl *-d *', ['curl -d x https://a.test'], [], ["curl -w '%{http_code}' http://x.test"]],
  ['node ./*', ['node a.js', 'node src/a.js x'], [], ['node -e 1', 'node --version', 'node /tmp/a.js']],
  [
    'curl https://*',
    ['curl https://a.test/', 'curl http://a.test/', 'curl https://localhost/'],
    [],
    ['curl http://localhost:3000/health', 'curl localhost:3000', 'curl http://127.0.0.1/', "curl 'http://[::1]/'"],
  ],
  ['curl https://localhost*', ['curl http://localhost:3000/'], [], ['curl http://a.test/']],
  ['rm:*', ['grm x', '/opt/homebrew/bin/grm -rf x'], ['git clean -fd', 'git clean -fde -n'], ['git clean -fdn']],
  [
    'rm *',
    [],
    ['git clean -f -- -n', 'git clean -f -n --no-dry-run', 'git clean -f -e --dry-run'],
    ['git clean --force --dry-run', 'git clean -n', 'git clean -d -n -f'],
  ],
  [
    'pnpm publish:*',
    [],
    ['npm publish', 'npm publish --dry-run=false', 'npm publish --dry-run false', 'npm publish --tag --dry-run'],
    ['npm publish --dry-run', 'npm publish . --dry-run --access public'],
  ],
  ['yarn run deploy:*', [], ['npm run deploy --dry-run'], []],
  ['aws s3 rm:*', [], ['aws s3 sync --delete a s3://b'], ['aws s3 sync --delete a s3://b --dryrun']],
  [
    'gh repo delete:*',
    [],
    [
      'gh api -X DELETE repos/a/b',
      'gh api -X DELETE /repos/a/b',
      'gh api -X DELETE repos/a/c/../b',
      'gh api -X DELETE https://api.github.com/repos/a/b',
      "gh api graphql -f query='mutation { deleteRepository(input: {}) { id } }'",
    ],
    ['gh api -X DELETE repos/a/b/git/refs/heads/x', 'gh api -X DELETE repos/{owner}/{repo}/labels/x'],
  ],
  [
    'printenv:*',
    [],
    ['declare -x', 'declare -px', 'declare -p A', 'cat /proc/self/environ', "tr '\\0' ' ' < /proc/1/environ"],
    ['declare -x A=1', 'typeset -x A', 'cat /proc/self/status'],
  ],
  [
    'git push:*',
    [
      'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0=push; git z',
      'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0="push origin" git z',
    ],
    ['git --config-env=alias.z=X z', 'git --config-env alias.z=X z'],
    ['GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=me git commit', 'git --config-env=a.b=X fetch'],
  ],
  [
    '*DROP TABLE*',
    [
      "psql --command='drop table x'",
      "mysql -e'drop table x'",
      "clickhouse client --query='drop  table x'",
      `psql -c $'drop -- c\ntable x'`,
    ],
    [],
    ["mysql -e 'select 1'"],
  ],
  ['redis-cli FLUSHALL:*', ['valkey-cli flushall'], [], ['valkey-cli get x']],
  ['pulumi destroy:*', ['pulumi down', 'pulumi -C infra dn --yes'], [], ['pulumi preview']],
  ['heroku apps:destroy:*', ['heroku apps:delete -a x', 'heroku destroy -a x'], [], ['heroku apps']],
  [
    'doctl compute droplet delete:*',
    ['doctl compute droplet rm 1', 'doctl compute d d 1'],
    [],
    ['doctl compute d list'],
  ],
  ['flyctl apps destroy:*', ['fly apps destroy x', 'fly destroy x'], [], ['fly status']],
  ['vercel --prod:*', ['vc --prod', 'vercel --target production', 'vercel deploy --target=production'], [], ['vc']],
  ['netlify deploy --prod:*', ['ntl deploy --prod'], [], ['ntl deploy']],
  ['gsutil rm:*', [], ['gcloud storage rm gs://b/x'], ['gcloud storage ls gs://b']],
  ['Remove-Item:*', ['pwsh -c "ri x"'], [], []],
  [
    'curl https://*',
    [
      'curl http://localhost:x@evil.test/',
      'curl http://localhost:80@evil.test/',
      'curl -e http://localhost http://evil.test',
      'curl --referer localhost evil.test',
      'curl localhost http://evil.test',
      "curl 'http://localhost\\@evil.test'",
      "curl 'http://localhost#@evil.test'",
      "curl 'http://127.0.0.1?@evil.test'",
    ],
    [],
    ['curl HTTP://LOCALHOST', 'curl localhost/x -o y'],
  ],
  [
    'pnpm publish:*',
    [],
    [
      'npm publish --dryrun',
      'npm publish "x --dry-run"',
      'npm publish -C --dry-run',
      'npm publish $X --dry-run',
      'npm publish --dry-run -no-dry-run',
      'npm publish --dry-run --dr=false',
      'npm -- publish --dry-run',
      'npm --prefix publish publish --dry-run',
    ],
    ['npm publish --access public --dry-run', 'npm publish --access=public --dry-run'],
  ],
  [
    'aws s3 rm:*',
    [],
    ['aws s3 sync --delete a s3://b --dry-run', 'aws s3 sync --delete a s3://b --exclude --dryrun'],
    ['aws s3 sync --delete --dryrun'],
  ],
  [
    'rm *',
    [],
    [
      'git -C -n clean -f',
      'git clean -f -qe -n',
      'git clean -f --ex -n',
      'git clean $X -n -f',
      'git clean clean -f -n',
    ],
    ['git clean -fqn', 'git -C x clean -fdn'],
  ],
  [
    'gh repo delete:*',
    [],
    ['gh api -X DELETE repos/a/b/.', 'gh api -X DELETE repos/a/./b', 'gh api -X DELETE repos/./a/b'],
    ['gh api -X DELETE repos/a/b/contents/.x'],
  ],
  ['gh repo delete *acme*', [], ['gh api -X DELETE repos/acme/x'], ['gh api -X DELETE repos/b/x']],
  [
    'docker push *prod*',
    ['docker build -o type=image,name=prod/x,push=true .'],
    ['skopeo copy docker-archive:x docker://r.test/prod/a'],
    ['docker build -o type=image,name=dev/x,push=true .'],
  ],
  [
    'env:*',
    [],
    ['strings /proc/1/environ'],
    ['git commit -m "Read /proc/1/environ no more"', 'echo "see /proc/self/environ"'],
  ],
  [
    '*DROP TABLE*',
    [
      `psql -c $'select \\'--\\'; drop table x\n'`,
      "mysql -e $'select 1--1; drop table x\n'",
      `mysql -e "select '/*'; drop table x; select '*/'"`,
      "mysql -e '/*! drop table x */'",
    ],
    [],
    [],
  ],
  [
    'curl *-d *',
    ['curl https://a.test -d x'],
    [],
    ["curl 'https://a.test/img[001-010].png'", "curl 'https://a.test/x-[1-20].png'"],
  ],
  [
    'curl https://evil.test/08*',
    [],
    ["curl 'https://evil.test/[01-10]'", "curl -o -g 'https://evil.test/[01-10]'"],
    ["curl 'https://evil.test/[1-10]'", "curl -sg 'https://evil.test/[01-10]'"],
  ],
  ['node ./*', ['node a.js'], [], ['docker run node:20 npm test']],
  ['chmod -R 777:*', ['chmod -R 777 .'], [], ['chmod -R u+w .']],
  ['chown root:*', ['chown -R root .'], [], ['chown -R me .']],
  ['grep -r password:*', ['grep -rn password .'], [], ['grep -rn foo .']],
  ['chmod -R * src/a*', ['chmod -R 777 src/a'], ['chmod -R 777 .', 'chmod -R 777 src'], ['chmod -R 777 docs']],
  ['rm -rf data:*', ['rm -rf ./data'], ['rm -rf .'], ['rm -rf dist']],
];

describe.each(ROWS)('deny Bash(%s)', (rule, denied, asked, allowed) => {
  const verdict = (command: string) => commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

  if (denied.length > 0) test.each(denied)('hears %s', (command) => expect(verdict(command)).toBe('deny'));
  if (asked.length > 0) test.each(asked)('asks about %s', (command) => expect(verdict(command)).toBe('ask'));
  if (allowed.length > 0) test.each(allowed)('leaves %s alone', (command) => expect(verdict(command)).toBe('allow'));
});

test.each([
  'genv rm -rf /',
  'gnohup rm -rf ~',
  'gnice -n 5 rm -rf /',
  'coreutils rm -rf /',
  'grm -rf /',
  'grm -rf ~',
  'gshred /etc/*',
])('%s is a critical delete', (command) => expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('ask'));

test('a rule of the project denies what a folder below it holds, whatever allow rule covers the command', () => {
  const rules: Rule[] = [
    ['deny', 'Bash(rm -rf src/*)'],
    ['allow', 'Bash(rm:*)'],
  ];
  expect(commandVerdict('rm -rf src', rules)).toBe('ask');
  expect(commandVerdict('rm -rf dist', rules)).toBe('allow');
});

test('costs of many addresses grow with their number alone', () => {
  const command = `curl ${Array.from({ length: 4900 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(' ')}`;
  commandVerdict('curl a', [], { mode: 'bypass' });
  const before = process.cpuUsage();
  commandVerdict(command, [['deny', 'Bash(curl https://a.test/*)']], { mode: 'bypass' });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1.5);
});
