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
  /** A value begins with it and the secret follows; a value without it is no secret. */
  readonly prefix?: string;
  /** Operands are names with secrets: `NAME=SECRET`. */
  readonly assigned?: true;
  /** An operand is `NAME/SECRET@PLACE`. */
  readonly logon?: true;
  /** Takes statements of SQL, which may set passwords. */
  readonly sql?: true;
  /** Reads a secret from its input with one of these words; `*`: always. */
  readonly input?: readonly string[];
}

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
  ['cargo vault wandb', { after: 'login', operand: 1, input: ['-', 'login'] }],
  ['cf', { after: 'auth', operand: 2 }],
  ['sqlplus sqlldr sqlcl rman exp imp expdp impdp', { logon: true }],
  ['ssh-add', { input: ['-'] }],
  ['vault', { after: 'unseal', operand: 1 }],
  ['snyk', { after: 'auth', operand: 1 }],
  ['cloudflared', { after: 'install', operand: 1 }],
  ['mosquitto_pub mosquitto_sub tsql p4', { next: ['-P'] }],
  ['mosquitto_passwd', { operand: 0, flag: 'b' }],
  ['codecov vercel', { next: ['-t'] }],
  ['cqlsh cypher-shell racadm snowsql beeline tabcmd smbmap yt-dlp youtube-dl', { next: ['-p'] }],
  ['caddy', { next: ['--plaintext'] }],
  ['mkpasswd', { operand: 1 }],
  ['ansible-vault', { after: 'encrypt_string', operand: 1 }],
  ['drush', { after: 'user:password', operand: 2 }, { after: 'upwd', operand: 2 }],
  ['firebase', { after: 'functions:config:set', assigned: true }],
  ['poetry', { after: 'publish', next: ['-p'] }],
  ['mc', { after: 'set', operand: 4 }, { after: 'user add', operand: 3 }],
  ['docker podman', { after: 'secret', input: ['create'] }],
  ['bw', { next: ['--session'] }, { after: 'unlock', operand: 1 }, { after: 'login', operand: 2 }],
  ['schtasks', { next: ['/rp'] }],
  ['vault', { after: 'put', assigned: true }, { after: 'patch', assigned: true }, { after: 'lookup', operand: 1 }],
  ['fly flyctl supabase doppler railway', { after: 'secrets', assigned: true, input: ['import', 'set'] }],
  ['doppler', { after: 'set', operand: 2 }],
  ['kubectl oc k3s microk8s', { pair: { options: ['--from-literal'], by: '=' } }],
  ['gcloud', { after: 'secrets', input: ['add', 'create'] }],
  ['psql pgcli mysql mysqlsh mariadb mycli sqlcmd osql cockroach clickhouse-client usql', { sql: true }],
  [
    'keytool jarsigner',
    { next: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass', '-srckeypass', '-destkeypass'] },
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
  ],
  ['secret-tool', { input: ['store'] }],
  ['pass gopass', { input: ['insert'] }],
  ['dotnet nuget', { after: 'source', next: ['-p'] }, { after: 'push', next: ['-k'] }, { after: 'set', operand: 2 }],
  [
    'gh glab',
    { after: 'secret', next: ['-b', '--body'], joined: 'b', input: ['set'] },
    { after: 'login', input: ['--with-token', '--stdin'] },
  ],
  ['redis-cli', { next: ['-a'] }, { after: 'auth', operand: 1 }, { after: 'auth', operand: 2 }],
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
  ],
  ['ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare', { next: ['-w'], joined: 'w' }],
  ['ldappasswd', { next: ['-w', '-s', '-a'] }],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport', { next: ['-p'] }],
  ['smbclient rpcclient mount.cifs net', { pair: { options: ['-U', '--user'], by: '%' } }],
  ['lftp', { pair: { options: ['-u'], by: ',' } }],
  ['7z 7za 7zr 7zz rar unrar', { joined: 'p' }],
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
  ['rabbitmqctl', { after: 'add_user', operand: 2 }, { after: 'change_password', operand: 2 }],
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
