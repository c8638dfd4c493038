/**
 * Lists the names that are protected unless a deployment takes them away.
 *
 * A name counts at any depth, with everything below it; one with a leading slash counts at the root of the disk only.
 */

/** Neither read nor written. */
const AGAINST_BOTH: readonly string[] = [
  // Repositories, secrets and settings of agents and editors (R4-096)
  '.git',
  '.env',
  '.env.*',
  '.ssh',
  '.claude',
  '.vscode',
  // Start-up files of shells, and SSH keys (R4-097)
  '.bashrc',
  '.zshrc',
  '.bash_profile',
  '.profile',
  'authorized_keys',
  'id_rsa',
  'id_ed25519',
  // Key stores and credentials of other programs (R4-098)
  '.idea',
  '.husky',
  '*.pem',
  '*.key',
  '*.pfx',
  '*.p12',
  '*.jks',
  '.aws/credentials',
  '.aws/config',
  '.git-credentials',
  '.docker/config.json',
  '.gnupg',
  '.pgpass',
  '.my.cnf',
  // Files beside them that load code or name an account
  '.gitmodules',
  '.gitconfig',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.netrc',
  '.mcp.json',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.bash_login',
  '.bash_logout',
  '.config/fish',
  '.config/git',
  // SSH keys by their other usual names. Not `id_*`: programs have files such as `id_map.ts`, and no person lifts this.
  'id_dsa',
  'id_ecdsa',
  'id_xmss',
  'id_rsa_*',
  'id_dsa_*',
  'id_ecdsa_*',
  'id_ed25519_*',
  '*.ppk',
  // Credential stores, histories and what a machine keeps secret
  '.kube/config',
  '.config/gh',
  '.vault-token',
  '.azure',
  '.config/gcloud',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.bash_history',
  '.zsh_history',
  '.zhistory',
  '.sh_history',
  '.ash_history',
  '.ksh_history',
  'fish/fish_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  '.rediscli_history',
  '/run/secrets',
  '/var/run/secrets',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
];

/** May be read and not written: what they hold runs later, or decides what may run. */
export const WRITE_PROTECTED: readonly string[] = [
  'countersign.yaml',
  '.githooks',
  '.pre-commit-config.yaml',
  '.cargo/config',
  '.cargo/config.toml',
  '.cursor',
  '.codex',
  '.gemini',
  '.devcontainer',
  '.devcontainer.json',
  '.yarn/releases',
  '.yarn/plugins',
  '.pnp.*',
  '.mise.toml',
  'mise.toml',
  '.mise.*.toml',
  'mise.*.toml',
  '.mise',
  '.config/mise',
  // Hooks of repositories, and what build tools load before the project itself
  'lefthook*.y*ml',
  '.lefthook*',
  '.hg/hgrc',
  '.mvn/extensions.xml',
  '.mvn/jvm.config',
  '.mvn/maven.config',
  '.pnpmfile.cjs',
  // Settings of further agents, with the servers that they start
  '.kiro',
  '.windsurf',
  'opencode.json',
  'sitecustomize.py',
  'usercustomize.py',
  '.gdbinit',
  '.lldbinit',
  '.bash_aliases',
];

/** Paths that are protected in every mode, unless `protectedPaths` says otherwise. */
export const DEFAULT_PROTECTED: readonly string[] = [...AGAINST_BOTH, ...WRITE_PROTECTED];

/** Names that a pattern of the list takes in and that hold no secret: examples, and the public half of a key. */
export const EXCEPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['.env.*', ['.env.example', '.env.sample', '.env.template']],
  ['id_rsa_*', ['id_rsa_*.pub']],
  ['id_dsa_*', ['id_dsa_*.pub']],
  ['id_ecdsa_*', ['id_ecdsa_*.pub']],
  ['id_ed25519_*', ['id_ed25519_*.pub']],
]);
