/**
 * Lists how programs take a secret on their command line, beside options named for it.
 * One record a program.
 */

export interface SecretOptions {
  /** Options whose next word, or what follows their `=`, is the secret. */
  readonly next?: readonly string[];
  /** Short options whose value is written behind them: `p` in `-pSECRET`. */
  readonly joined?: string;
  /** Options whose value is a name and a secret, and what parts the two. */
  readonly pair?: { readonly options: readonly string[]; readonly by: string };
  /** Options whose value is cookies. */
  readonly cookies?: readonly string[];
  /** Words that have to stand before any of these counts: `docker login -p` and not `docker run -p`. */
  readonly after?: string;
  /** The operand that is the secret, counted from 1, of those behind `after`; 0: the last. */
  readonly operand?: number;
  /** The operand counts only with one of these short flags. */
  readonly flag?: string;
  /** Options whose next word is no operand. */
  readonly valued?: readonly string[];
  /** The operand counts only where the first one is such a name. */
  readonly under?: RegExp;
  /** The operand counts only without such an option. */
  readonly without?: RegExp;
  /** Counts only where the program starts the command: elsewhere its name is often that of something else. */
  readonly starts?: true;
  /** Parts the operand into a name and the secret. */
  readonly by?: string;
  /** Operands that are the secret behind this character. */
  readonly prefixed?: string;
  /** Operands from this one on are names, each before its value: a value under a secret's name is one. */
  readonly pairs?: number;
  /** A value begins with it and the secret follows; a value without it is no secret. */
  readonly prefix?: string;
  /** Operands are names with secrets: `NAME=SECRET`. A list: under these names alone. */
  readonly assigned?: true | readonly string[];
  /** An operand is `NAME/SECRET@PLACE`; `first`: the first one may lack its place. */
  readonly logon?: true | 'first';
  /** Takes statements of SQL, which may set passwords. */
  readonly sql?: true;
  /** Reads a secret from its input with one of these words; `*`: always. */
  readonly input?: readonly string[];
}

/** Set with this flag alone, a value is a secret. */
const PULUMI = {
  after: 'config set',
  operand: 2,
  valued: ['-s', '--stack', '-C', '--cwd', '--config-file', '--type'],
};

/** Behind `-accessor` the operand names a token, and is none. */
const TOKEN_OF_VAULT = { operand: 1, valued: ['-i', '-increment', '-mode'], without: /^--?(?:accessor|prefix)/ };

/** A server of packages; `build.NAME`, `local.NAME` and `mirror.ADDRESS` are settings. */
const HOST = /^(?!(?:build|local|mirror|gem|plugin)\.)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24}$/;

type Entry = readonly [programs: string, ...options: SecretOptions[]];

const ENTRIES: readonly Entry[] = [
  [
    'mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mariadb mariadb-dump mariadb-admin mycli',
    { joined: 'p' },
  ],
  ['sshpass', { next: ['-p'], joined: 'p' }],
  [
    'docker podman nerdctl buildah skopeo crane oras regctl helm az oc cf ibmcloud heroku argocd flyctl',
    { after: 'login', next: ['-p', '--password'], joined: 'p', input: ['--password-stdin'] },
    { pair: { options: ['--creds', '--src-creds', '--dest-creds'], by: ':' } },
    { after: 'secret', next: ['--value'] },
  ],
  ['cargo vault bao wandb', { after: 'login', operand: 1, input: ['-', 'login'] }],
  ['cf', { after: 'auth', operand: 2 }],
  ['rman', { logon: true }],
  ['sqlplus sqlldr sqlcl expdp impdp', { logon: 'first' }],
  ['exp imp', { logon: true }, { logon: 'first', starts: true }],
  ['ssh-add', { input: ['-'] }],
  ['vault bao', { after: 'unseal', operand: 1 }],
  ['snyk', { after: 'auth', operand: 1 }],
  ['cloudflared', { after: 'install', operand: 1 }],
  ['mosquitto_pub mosquitto_sub tsql p4', { next: ['-P'] }],
  ['mosquitto_passwd', { operand: 0, flag: 'b' }],
  ['codecov vercel', { next: ['-t'] }],
  ['vercel', { after: 'env', input: ['add'] }],
  ['cqlsh cypher-shell racadm snowsql beeline tabcmd smbmap yt-dlp youtube-dl', { next: ['-p'] }],
  ['caddy', { next: ['--plaintext'] }],
  ['mkpasswd', { operand: 1, valued: ['-m', '--method', '-S', '--salt', '-R', '--rounds'] }],
  [
    'ansible-vault',
    {
      after: 'encrypt_string',
      operand: 1,
      valued: ['--name', '-n', '--vault-id', '--vault-password-file', '--encrypt-vault-id', '--stdin-name'],
    },
  ],
  ['drush', { after: 'user:password', operand: 2 }, { after: 'upwd', operand: 2 }],
  ['firebase', { after: 'functions:config:set', assigned: true }],
  [
    'poetry',
    { after: 'publish', next: ['-p'] },
    { after: 'config', under: /^http-basic\./, operand: 3 },
    { after: 'config', under: /^pypi-token\./, operand: 2 },
  ],
  [
    'composer',
    { after: 'config', under: /^http-basic\./, operand: 3 },
    { after: 'config', under: /^(?:bearer|git(?:lab|hub)-(?:token|oauth))\./, operand: 2 },
  ],
  ['bundle', ...['config', 'config set'].map((after) => ({ after, under: HOST, operand: 2, by: ':' }))],
  ['hatch', { after: 'publish', next: ['-a'] }],
  ['nuget', { after: 'setapikey', operand: 1 }],
  ['mysqladmin mariadb-admin', { after: 'password', operand: 1 }],
  ['influx cbq hdbsql couchbase-cli dse altool veracrypt', { next: ['-p'], starts: true }],
  ['influx', { next: ['-t'], starts: true }],
  ['neo4j-admin', { after: 'set-initial-password', operand: 1 }],
  ['elasticsearch-users', { after: 'useradd', next: ['-p'] }, { after: 'passwd', next: ['-p'] }],
  ['pulumi', ...['--secret', '--plaintext=false'].map((flag) => ({ ...PULUMI, flag }))],
  ['knife', { next: ['-P'] }],
  ['winrs', { joined: 'p:' }, { joined: '/p:' }],
  ['kadmin vsql odoo odoo-bin', { next: ['-w'], starts: true }],
  ['vncpasswd', { input: ['-f'] }],
  ['saslpasswd2', { input: ['*'] }],
  ['systemd-creds', { input: ['encrypt'] }],
  [
    'rclone',
    { after: 'config create', pairs: 3 },
    { after: 'config update', pairs: 2 },
    { after: 'config password', pairs: 2 },
  ],
  [
    'qpdf',
    ...[1, 2].map((operand) => ({ after: '--encrypt', operand, without: /^--(?:user|owner)-password|^--bits/ })),
  ],
  ['pdftk', { next: ['user_pw', 'owner_pw', 'input_pw'] }],
  ['pdftotext pdftoppm pdftocairo pdfimages pdfinfo', { next: ['-upw', '-opw'] }],
  ['signtool', { next: ['/p'] }],
  ['ipmitool', { after: 'set password', operand: 2 }],
  ['iwconfig', { next: ['key'] }],
  ['sonar-scanner', { next: ['-Dsonar.login'] }],
  ['travis', { after: 'encrypt', operand: 1, valued: ['-r', '--repo', '-a', '--add', '-e', '--api-endpoint'] }],
  ['consul', { after: 'set-agent-token', operand: 2 }],
  ['etcdctl', { after: 'user add', operand: 1, by: ':' }],
  ['airflow', { after: 'users', next: ['-p'] }],
  ['grafana-cli grafana', { after: 'reset-admin-password', operand: 1 }],
  ['swaks', { next: ['-ap'] }],
  ['sendemail', { next: ['-xp'] }],
  [
    'bitcoin-cli',
    { after: 'walletpassphrase', operand: 1 },
    { after: 'encryptwallet', operand: 1 },
    { after: 'importprivkey', operand: 1 },
  ],
  ['doveadm', { after: 'pw', next: ['-p'] }, { after: 'auth test', operand: 2 }],
  [
    'samba-tool',
    ...['user create', 'user add'].map((after) => ({
      after,
      operand: 2,
      valued: ['-H', '-U', '-s', '-W', '--given-name', '--surname', '--userou'],
    })),
  ],
  ['isql', { operand: 3, without: /^-(?:[USDPiodur]|input|output)/ }],
  ['db2', { after: 'connect', next: ['using'] }],
  ['databricks', { next: ['--string-value'] }],
  ['cf', { after: 'set-env', pairs: 2 }],
  ['crudini', { after: '--set', pairs: 3 }],
  ['eas', { after: 'secret:create', next: ['--value'] }],
  ['expo eas', { after: 'login', next: ['-p'] }],
  ['drone woodpecker-cli', { after: 'secret', next: ['--data', '--value'] }],
  ['mc', { after: 'set', operand: 4 }, { after: 'host add', operand: 4 }, { after: 'user add', operand: 3 }],
  ['docker podman', { after: 'secret', input: ['create'] }],
  ['bw', { next: ['--session'] }, { after: 'unlock', operand: 1 }, { after: 'login', operand: 2 }],
  ['schtasks', { next: ['/rp'] }],
  [
    'vault bao',
    { after: 'put', assigned: true },
    { after: 'patch', assigned: true },
    { after: 'write', assigned: ['value', 'data', 'secret_id', 'key'] },
    ...['lookup', 'token revoke', 'token renew', 'unwrap'].map((after) => ({ ...TOKEN_OF_VAULT, after })),
  ],
  ['fly flyctl supabase doppler railway', { after: 'secrets', assigned: true, input: ['import', 'set'] }],
  ['doppler', { after: 'set', operand: 2 }],
  ['kubectl oc k3s microk8s', { pair: { options: ['--from-literal'], by: '=' } }],
  ['gcloud', { after: 'secrets', input: ['add', 'create'] }],
  ['psql pgcli mysql mysqlsh mariadb mycli sqlcmd osql cockroach clickhouse-client usql', { sql: true }],
  [
    'keytool jarsigner',
    { next: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass', '-srckeypass', '-destkeypass', '-new'] },
  ],
  ['useradd usermod', { next: ['-p'] }],
  ['plink pscp psftp', { next: ['-pw'] }],
  ['rdesktop', { next: ['-p'], joined: 'p' }],
  ['ncftp ncftpput ncftpget ncftpls', { next: ['-p'] }],
  ['snmpwalk snmpget snmpset snmpbulkwalk snmptrap', { next: ['-c', '-A', '-X'] }],
  [
    'security',
    { after: 'add-generic-password', next: ['-w'] },
    { after: 'add-internet-password', next: ['-w'] },
    { after: 'unlock-keychain', next: ['-p'] },
    { after: 'create-keychain', next: ['-p'] },
    { after: 'import', next: ['-P'] },
  ],
  ['secret-tool', { input: ['store'] }],
  ['pass gopass', { input: ['insert'] }],
  ['dotnet nuget', { after: 'source', next: ['-p'] }, { after: 'push', next: ['-k'] }, { after: 'set', operand: 2 }],
  [
    'gh glab',
    { after: 'secret', next: ['-b', '--body'], joined: 'b', input: ['set'] },
    { after: 'login', input: ['--with-token', '--stdin'] },
  ],
  [
    'redis-cli valkey-cli',
    { next: ['-a'] },
    { after: 'auth', operand: 1 },
    { after: 'auth', operand: 2 },
    { after: 'setuser', prefixed: '>' },
    { after: 'requirepass', operand: 1 },
  ],
  [
    'curl',
    { pair: { options: ['-u', '-U', '--user', '--proxy-user'], by: ':' }, cookies: ['-b', '--cookie'] },
    { pair: { options: ['-E', '--cert'], by: ':' } },
  ],
  ['http https xh xhs hey', { pair: { options: ['-a', '--auth'], by: ':' } }],
  ['ab', { pair: { options: ['-A', '-P'], by: ':' } }],
  ['htpasswd', { operand: 0, flag: 'b' }],
  ['ssh-keygen', { next: ['-N', '-P'] }],
  [
    'openssl',
    { after: 'passwd', operand: 1 },
    { next: ['-passin', '-passout', '-pass'], prefix: 'pass:' },
    { after: 'enc', next: ['-k', '-K'] },
    { after: 'dgst', next: ['-hmac'] },
    ...['key:', 'hexkey:'].map((prefix) => ({ next: ['-macopt'], prefix })),
  ],
  ['ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare', { next: ['-w'], joined: 'w' }],
  ['ldappasswd', { next: ['-w', '-s', '-a'] }],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport', { next: ['-p'] }],
  ['smbclient rpcclient mount.cifs net', { pair: { options: ['-U', '--user'], by: '%' } }],
  ['lftp', { pair: { options: ['-u'], by: ',' } }],
  ['7z 7za 7zr 7zz rar unrar', { joined: 'p' }],
  ['rar unrar', { joined: 'hp' }],
  ['zip unzip', { next: ['-P'] }],
  ['sqlcmd bcp osql ipmitool', { next: ['-P'], joined: 'P' }],
  ['psexec evil-winrm nxc crackmapexec twine rabbitmqadmin', { next: ['-p'] }],
  ['xfreerdp wfreerdp', { joined: '/p:' }],
  ['net', { after: 'user', operand: 2 }, { after: 'use', operand: 0, flag: '/user:' }],
  ['convertto-securestring', { operand: 1 }, { next: ['-string'] }],
  ['aws', { after: 'put-parameter', next: ['--value'] }],
  ['doctl', { next: ['-t', '--access-token'] }],
  ['nmcli', { next: ['password'] }],
  ['ngrok', { next: ['authtoken', 'add-authtoken'] }],
  ['wpa_passphrase', { operand: 2 }],
  ['rclone', { after: 'obscure', operand: 1 }],
  ['rabbitmqctl', ...['add_user', 'change_password', 'authenticate_user'].map((after) => ({ after, operand: 2 }))],
  ['sudo', { input: ['-S', '--stdin'] }],
  ['chpasswd cryptsetup kinit smbpasswd', { input: ['*'] }],
  ['passwd', { input: ['*'] }],
  ['gpg', { input: ['--passphrase-fd'] }],
  ['wrangler npx', { after: 'secret', input: ['put'] }],
];

/** By the program's name, in small letters. */
export const SECRET_OPTIONS: ReadonlyMap<string, readonly SecretOptions[]> = new Map(
  [...new Set(ENTRIES.flatMap(([programs]) => programs.split(' ')))].map((program) => [
    program,
    ENTRIES.flatMap(([programs, ...options]) => (programs.split(' ').includes(program) ? options : [])),
  ]),
);
