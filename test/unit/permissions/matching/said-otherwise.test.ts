/** Checks that deny rules hear what variables, case, order and other options say. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../support.ts';

type Row = readonly [rule: string, denied: readonly string[], asked: readonly string[], allowed: readonly string[]];

const many = (count: number): string => Array.from({ length: count }, (_, at) => `a${String(at)}`).join(' ');

const ROWS: readonly Row[] = [
  [
    'aws --profile prod:*',
    [
      'AWS_PROFILE=prod aws s3 ls',
      'export AWS_PROFILE=prod; aws s3 ls',
      'env AWS_PROFILE=prod aws s3 ls',
      'AWS_DEFAULT_PROFILE=prod aws s3 ls',
      'declare -x AWS_PROFILE=prod && aws s3 ls',
      'AWS_PROFILE=prod aws s3 ls; AWS_PROFILE=dev aws s3 ls',
      'export AWS_PROFILE=prod; aws s3 ls; export AWS_PROFILE=dev',
      `${Array.from({ length: 80 }, (_, at) => `A${String(at)}=1`).join(' ')} AWS_PROFILE=prod aws s3 ls`,
    ],
    [],
    ['AWS_PROFILE=dev aws s3 ls', 'AWS_PROFILE=prod ls', 'AWS_REGION=prod aws s3 ls'],
  ],
  [
    'terraform apply -auto-approve:*',
    ['TF_CLI_ARGS_apply=-auto-approve terraform apply'],
    [],
    ['TF_CLI_ARGS_plan=-auto-approve terraform apply'],
  ],
  ['pip install --index-url:*', ['PIP_INDEX_URL=https://a.test pip install x'], [], ['PIP_QUIET=1 pip install x']],
  ['docker -H *', ['DOCKER_HOST=tcp://a:1 docker ps'], [], ['docker ps']],
  [
    '*DROP TABLE*',
    ["psql -c 'drop table x'", "mysql -e 'Drop  Table x'", "sqlite3 a.db 'DROP/**/TABLE x'"],
    [],
    ["psql -c 'select 1'", "psql -c 'drop index x'"],
  ],
  [
    "psql -c 'DROP TABLE users':*",
    [
      ...["psql -c 'drop table users'", "psql --comm 'Drop Table Users' db", "psql -h a -c 'DROP/**/TABLE users'"],
      ...["psql -c 'DROP TABLE users;'", "psql -c ' drop  table users ; '", "psql --command='DROP TABLE users;'"],
      ...["psql -c'DROP TABLE users;' db", "psql -h db -c 'DROP TABLE users;'", "psql -c 'DROP\nTABLE\tusers;'"],
      ...["psql -c 'select 1; DROP TABLE users'", "psql -c 'begin; drop table users; commit'"],
      ...["psql -c '-- note\nDROP TABLE users;'", "psql -c '/* note */ DROP TABLE users'"],
      ...['psql -c \'DROP TABLE IF EXISTS public."users" CASCADE\'', "psql -c 'DROP TABLE a, users'"],
      `psql -c '${Array.from({ length: 60 }, (_, at) => `select ${at}`).join(';')};drop table users;select 1'`,
    ],
    [],
    [
      ...["psql -c 'drop table user'", "psql -C 'drop table users'", "psql -c 'DROP TABLE users_old;'"],
      ...["psql -c 'select 1; drop table a, b;'", "psql -c 'select * from users;'"],
    ],
  ],
  [
    "psql -c 'DROP TABLE IF EXISTS Users;'",
    ["psql -c 'drop table users'", "psql -c 'select 1;drop table users;'"],
    [],
    [],
  ],
  [
    'npm install evil:*',
    [`npm install ${many(60)} evil`],
    [`npm install ${many(70)} evil`],
    [`npm install ${many(60)}`],
  ],
  ['pip install evil:*', [], [`pip install ${many(50).replaceAll(/\w+/g, "'$&[x]==1;y'")} 'evil[x]==1;y'`], []],
  ['rm src:*', [`rm ${many(60)} src`], [`rm ${many(70)} src`], [`rm ${many(60)}`, `rmdir ${many(70)}`]],
  [
    'kubectl delete pod b:*',
    [`kubectl delete pod ${many(60)} b`],
    [`kubectl delete pod ${many(70)} b`],
    [`kubectl get pod ${many(70)}`],
  ],
  ['make deploy ENV=prod:*', ['make ENV=prod deploy'], [`make ${many(40)} ENV=prod deploy`], [`make ${many(70)}`]],
  [
    "psql -c 'DROP TABLE users':*",
    [],
    [`psql -c '${many(40).replaceAll(/\w+ ?/g, (name) => `update ${name} set x = 1;`)}drop table users'`],
    [`psql -c '${'update t set x = 1;'.repeat(3)}'`],
  ],
  ["mysql -e 'drop database app':*", ["mysql -e 'DROP DATABASE `app`;'", "mysql -e'use x; drop database app'"], [], []],
  ["bq query 'DROP TABLE d.users':*", ["bq query 'drop table d.users;'"], [], ["bq query 'select 1;'"]],
  [
    "mongosh --eval 'db.dropDatabase()':*",
    ["mongosh --eval 'db.dropDatabase();'", "mongosh app --eval 'let x = 1; db.dropDatabase()'"],
    [],
    ["mongosh --eval 'db.users.find();'"],
  ],
  ['mysql -e "DELETE FROM Users*', ["mysql -e 'delete from users where id=1'"], [], ["mysql -e 'select * from users'"]],
  ["sqlite3 a.db 'VACUUM Main'", ["sqlite3 a.db 'vacuum main'"], [], ["sqlite3 a.db 'vacuum'"]],
  ['chmod -R:*', ['chmod --rec 777 x', 'chmod --recursive 777 x', 'chmod 777 -R x'], [], ['chmod --reference=y x']],
  ['mysql -e:*', ['mysql --exec x', 'mysql --exe=x db'], [], ['mysql --no-auto-rehash db']],
  ['psql -c DROP*', ["psql -c 'drop table x'"], [], ["psql -c 'select 1'"]],
  [
    'psql -c DROP TABLE:*',
    [
      ...["psql -c 'DROP TABLE users'", "psql --command='drop table users'", "psql -qAt -c 'DROP TABLE users'"],
      ...["psql -qAtc 'DROP TABLE users' app", "psql -h x -c 'DROP TABLE users'", "psql -c 'x' -c 'DROP TABLE users'"],
      ...["psql -c 'drop table'", "docker exec db psql app -c 'drop table users'"],
    ],
    [],
    ["psql -c 'drop tablespace x'", "psql -c 'create table x()'", 'psql -f drop.sql'],
  ],
  ['psql * DROP TABLE *', ["psql --command='DROP TABLE users'"], [], ["psql --command='DROP INDEX users'"]],
  [
    "psql -c 'DROP TABLE*'",
    [
      ...["psql -c '/* ; */ drop table x'", "psql -c '/* /* */ */ drop table x'", "psql -c '/* ** */ drop table x'"],
      ...["psql -c '/* a; b */ drop table x'", `psql -c "-- it's; \ndrop table x"`],
      ...[`psql -c "select '--'; drop table x\n"`, `psql -c "select '/*'; drop table x; select '*/'"`],
      `psql -c "select '--'; /* ; y */ drop table x\n"`,
    ],
    [],
    ["psql -c '/* ; */ select 1'", "psql -c 'select 1 /* drop table x */'"],
  ],
  [
    "mysql -e 'TRUNCATE*'",
    [
      ...["mysql -e '# x\ntruncate users'", "mysql -e '/*!50000 truncate users */'", "mysql -BNe 'truncate users'"],
      ...[
        "mysql -e 'select 1\\G truncate users'",
        "mariadb -e 'truncate users'",
        "mysql -e 'select 5--3; truncate a\n'",
      ],
    ],
    [],
    ["mysql -e 'select 1'", "mariadb -e 'select 1'"],
  ],
  [
    'npm install evil:*',
    ['npm install evil@1.0', 'npm i -g evil@latest', 'npm i a evil@1', 'npm i x@npm:evil', 'npm install-test evil'],
    [],
    ['npm install evil-not@1', 'npm i a@1', 'npm test evil'],
  ],
  ['npm i @a/evil:*', ['npm install @a/evil@2'], [], ['npm i @b/evil@2']],
  [
    'pip install evil-pkg:*',
    [
      ...[
        'pip install -U evil-pkg==1.0',
        "pip install 'evil-pkg[x]>=1'",
        'pip install \'evil-pkg ; python_version > "3"\'',
      ],
      ...[
        'pip install Evil_Pkg',
        'pip3 install a evil.pkg==1',
        'uv pip install EVIL__PKG',
        'python3 -m pip install Evil-Pkg',
      ],
      'pip install evil-pkg==1 a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg',
    ],
    [],
    ['pip install a==1', 'pip install evilpkg', 'pip install evil-pkg-x'],
  ],
  ['poetry add Evil_Pkg:*', ['poetry add evil-pkg@^1'], [], ['poetry add evil']],
  [
    'composer require a/evil:*',
    ['composer require A/Evil', 'composer require b/c a/evil:1.0'],
    [],
    ['composer require a/b'],
  ],
  ['dotnet add package Evil:*', ['dotnet add package evil --version 1'], [], ['dotnet add package Evil.Not']],
  ['npm install Evil:*', ['npm install Evil@1'], [], ['npm install evil']],
  ['cargo install evil:*', ['cargo install evil@1'], [], ['cargo install a@1']],
  ['go install evil.test/x:*', ['go install evil.test/x@latest'], [], ['go install evil.test/y@latest']],
  ['gem install evil:*', ['gem install evil:1.0'], [], ['gem install a:1.0']],
  ['apt-get install evil:*', ['apt-get install -y evil=1.0'], [], ['apt-get install a=1.0']],
  ['yarn add evil:*', ['yarn add evil@1', 'yarn global add evil'], [], ['yarn add a@1']],
  ['docker pull evil:*', ['docker pull evil:1'], [], ['docker pull a:1', 'docker pull a/evil-x:1']],
  ['docker push r.example:5000/app:*', ['docker push r.example:5000/app:1'], [], ['docker push r.example:5000/b:1']],
  ['git push origin main:*', ['git push origin HEAD:main'], [], ['git push origin main2:dev']],
  [
    'ssh root@*',
    [
      'ssh -l root h',
      'ssh -lroot h ls',
      'ssh -p 22 -o User=root h',
      'ssh -oUser=root h',
      'ssh h -l root',
      'ssh h -l root ls',
      'ssh -4l root h',
      'ssh -oLogLevel=QUIET -l root h',
      'ssh -Jlogin.test -l root h',
      'ssh -o "User = root" h',
    ],
    [],
    ['ssh -l me h', 'ssh -o User=me h', 'ssh h ls -l root', 'ssh -i root h', 'ssh -l me -l root h'],
  ],
  [
    'docker run -v /:*',
    [
      'docker run -v /:/h a',
      'docker run --rm --volume=/:/h a',
      'docker run -itv /:/h a',
      'docker run -v /./:/h a',
      'docker run --mount type=bind,source=/,target=/h a',
      'docker container run -v//:/h a',
      'docker run -v a:/a -v b:/b -v c:/c -v d:/d -v e:/e -v f:/f -v g:/g -v h:/h -v i:/i -v /:/h a',
    ],
    [],
    ['docker run -v /srv:/h a', 'docker run -v data:/h a', 'docker run a'],
  ],
  [
    'docker run *-v /var/run/docker.sock*',
    ['docker run --rm -v /run/docker.sock:/s a', 'docker run -it -v//var/run/docker.sock:/s a'],
    [],
    ['docker run --rm -v data:/s a'],
  ],
  [
    'systemctl stop nginx:*',
    ['systemctl stop nginx.service', 'systemctl stop a nginx', 'sudo systemctl --now stop nginx'],
    [],
    ['systemctl stop a', 'systemctl start nginx.service'],
  ],
  [
    'kubectl delete ns prod:*',
    ['kubectl delete ns dev prod', 'kubectl delete namespace dev prod'],
    [
      'kubectl delete ns --all',
      'kubectl delete ns -l x=y',
      'kubectl delete ns -lx=y',
      'kubectl delete ns --selector=x=0',
    ],
    ['kubectl delete ns dev', 'kubectl delete ns dev -nmysql', 'kubectl delete ns dev --all=false'],
  ],
  [
    'kubectl delete ns:*',
    ['kubectl delete ns a -n web', 'kubectl delete -n web ns a'],
    [],
    ['kubectl delete pod a -n ns', 'kubectl delete pods --all -n ns', 'kubectl delete pods -l ns'],
  ],
  [
    'kubectl get secret:*',
    ['kubectl get secret -n a'],
    [],
    ['kubectl get pods -n secret', 'kubectl get pods -n secrets'],
  ],
  ['curl https://b.test/*', ['curl -o x https://a.test --url https://b.test/y'], [], ['curl -o x https://a.test']],
  ['git stash drop*', ['git stash drop'], [], ['git stash', 'git stash list']],
  ['docker rm web:*', ['docker rm -f db web'], [], ['docker rm db']],
  ['npm run deploy:*', [], [], ['npm run build deploy']],
  ['dd of=/dev/sda:*', ['dd if=x of=/dev/sda', 'dd bs=1 of=//dev/sda'], [], ['dd if=x of=/tmp/y']],
];

describe.each(ROWS)('deny Bash(%s)', (rule, denied, asked, allowed) => {
  const verdict = (command: string) => commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' });

  if (denied.length > 0) test.each(denied)('hears %s', (command) => expect(verdict(command)).toBe('deny'));
  if (asked.length > 0) test.each(asked)('asks about %s', (command) => expect(verdict(command)).toBe('ask'));
  if (allowed.length > 0) test.each(allowed)('leaves %s alone', (command) => expect(verdict(command)).toBe('allow'));
});
