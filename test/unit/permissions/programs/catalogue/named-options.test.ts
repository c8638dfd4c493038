/** Checks short options that load, run or write, of programs whose long options say so by their names. */
import { expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';
import { describeFamily, type RuleRows } from './family.ts';

const COVERED: RuleRows = [
  ['rollup:*', ['rollup src/index.js', 'rollup --watch']],
  ['swc:*', ['swc src']],
  ['tsup:*', ['tsup src/index.ts']],
  ['webpack:*', ['webpack --mode production', 'webpack -d']],
  ['javac:*', ['javac src/A.java', 'javac -Xlint:unchecked -cp lib/x.jar src/A.java']],
  ['kotlinc:*', ['kotlinc x.kt', 'kotlinc x.kt -include-runtime -d out/y.jar']],
  ['scalac:*', ['scalac A.scala']],
  ['xq:*', ['xq . a']],
  ['tomlq:*', ['tomlq -r .x a']],
  ['composer:*', ['composer install --no-dev', 'composer test', 'composer update -vvv']],
  ['bazel:*', ['bazel test --test_output=all //x']],
  ['heroku:*', ['heroku logs']],
  ['pg_restore:*', ['pg_restore -l x', 'pg_restore -Fc -d db x']],
  ['cargo:*', ['cargo test -- --nocapture']],
  ['nginx:*', ['nginx -t', 'nginx -T', 'nginx -s reload']],
  ['php-fpm:*', ['php-fpm -t']],
  ['sysctl:*', ['sysctl -a', 'sysctl kernel.hostname']],
  ['gulp:*', ['gulp build', 'gulp -f gulpfile.js']],
  ['locust:*', ['locust -f src/x.py']],
  ['ag:*', ['ag foo src']],
  ['npm test:*', ['env -v npm test', 'env CI=1 npm test']],
];

const NOT_COVERED: RuleRows = [
  ['rollup:*', ['rollup -p ./e', 'rollup -p e src/index.js', 'rollup -d src']],
  ['swc:*', ['swc src -d dist']],
  ['babel:*', ['babel src -d dist']],
  ['tsup:*', ['tsup -d src']],
  ['javac:*', ['javac -d /tmp/e A.java', 'javac -s ../e A.java', 'javac -h ~/e A.java', 'javac -d']],
  ['kotlinc:*', ['kotlinc x.kt -d /tmp/y.jar', 'kotlinc @list', 'kotlinc -e x', 'kotlinc -script x.kts']],
  ['scalac:*', ['scalac -d $X A.scala']],
  ['groovyc:*', ['groovyc -d /tmp/e A.groovy']],
  ['xq:*', ['xq -i .x=1 src/a']],
  ['tomlq:*', ['tomlq -i .x=1 src/a']],
  ['composer:*', ['composer install -d /tmp/e', 'composer install -d/tmp/e']],
  [
    'bazel:*',
    [
      'bazel build --action_env=PATH=/tmp/e //x',
      'bazel build --override_module=a=/tmp/e //x',
      'bazel build --explain=src/a //x',
    ],
  ],
  ['heroku:*', ['heroku local:run id', 'heroku local']],
  ['pg_restore:*', ['pg_restore -f src/a x']],
  ['pg_basebackup:*', ['pg_basebackup -D src']],
  ['cargo:*', ['cargo test -- --logfile=src/a', 'cargo test -- --logfile src/a']],
  ['nginx:*', ['nginx -c e', "nginx -g 'load_module e;'", 'nginx -p /tmp/e']],
  ['httpd:*', ['httpd -f e', "httpd -C 'LoadModule e e'"]],
  ['php-fpm:*', ['php-fpm -y e', 'php-fpm -c e']],
  ['sysctl:*', ['sysctl -p', 'sysctl -p/tmp/e', 'sysctl --system']],
  ['gulp:*', ['gulp -f /tmp/e']],
  ['locust:*', ['locust -f ../e.py']],
  ['ag:*', ['ag -p list x']],
  [
    'npm test:*',
    [
      'env -i npm test',
      'env - npm test',
      'env -u A npm test',
      'env -uA npm test',
      'env -vi npm test',
      'env --unset=A npm test',
      'env --ignore npm test',
    ],
  ],
];

const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'heroku local:run rm x',
      'tsocks rm x',
      'envdir d rm x',
      'aa-exec -p x rm x',
      'vault-env rm x',
      'teller run -- rm x',
      'env -i rm x',
      'npm --script-shell=rm run x',
      'npm --script-shell rm run x',
      'pnpm --script-shell=rm test',
      'npm repo --browser=rm',
      'aria2c --on-download-complete=rm http://x',
      'tcpdump -z rm -G 1 -w a',
      'wget --use-askpass=rm http://x',
      'mysql --pager=rm',
      'gpg --photo-viewer=rm x',
      'helmfile --helm-binary rm apply',
      'helmfile --helm-binary=rm apply',
      'nano --speller=rm a',
      'git clone -u rm x',
      'git clone -qu rm x',
      'gcc -wrapper rm,-f a.c',
      'rustc -C linker=rm a.rs',
      'rustc -Clinker=rm a.rs',
      'gh config set pager rm',
      'podman --runtime rm run x',
      'terragrunt --tf-path rm plan',
      'terragrunt --terragrunt-tfpath=rm plan',
      'virtualenv -p rm venv',
      'env -u A rm x',
    ],
  ],
];

test.each([
  `curl --data-binary '{"a":1}' https://example.com`,
  'curl --data-binary @body https://example.com',
  'pip install --only-binary rm',
  'git diff --binary rm',
])('%s names no program', (command) => {
  expect(commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' })).toBe('allow');
});

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
