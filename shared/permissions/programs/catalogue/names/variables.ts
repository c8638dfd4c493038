/** Lists variables that nothing reads in order to run, load or redirect. */
import { set } from '../../record/record.ts';

/** Variables that choose how much is printed, in which language, for which platform or region. `AWS_PROFILE` is none: it chooses the account. */
const HARMLESS = set(
  'NODE_ENV CI TZ TERM LANG LANGUAGE NO_COLOR FORCE_COLOR COLORTERM CHARSET LS_COLORS RUST_LOG RUST_BACKTRACE GOOS GOARCH CGO_ENABLED ' +
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED DEBUG VERBOSE LOG_LEVEL PORT COLUMNS LINES HUSKY CARGO_TERM_COLOR ' +
    'CARGO_INCREMENTAL GO111MODULE TF_LOG TF_IN_AUTOMATION TF_INPUT DOCKER_BUILDKIT PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK ' +
    'NEXT_TELEMETRY_DISABLED TURBO_TELEMETRY_DISABLED DO_NOT_TRACK GIT_TERMINAL_PROMPT NO_UPDATE_NOTIFIER AWS_REGION ' +
    'AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT RAILS_ENV RACK_ENV APP_ENV DEBIAN_FRONTEND GITHUB_ACTIONS UV_NO_PROGRESS ' +
    'POETRY_NO_INTERACTION HOMEBREW_NO_AUTO_UPDATE NX_DAEMON',
);

/** Programs: harmless where the value is one of a few that only show or do nothing. */
const BY_VALUE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['PAGER', 'GIT_PAGER', 'MANPAGER', 'AWS_PAGER', 'GH_PAGER', 'EDITOR', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR'].map(
    (name) => [name, new Set(['', 'cat', 'true', ':'])] as const,
  ),
);

/** `ENV=prod`: the stage of a deployment. Only an interactive shell takes it for a file. */
export const namesStage = (name: string, value: string): boolean => name === 'ENV' && /^[a-z][\w-]*$/i.test(value);

/** Whether a command may be given the variable, with this literal value. */
export function isHarmlessVariable(name: string, value: string): boolean {
  if (namesStage(name, value) || BY_VALUE.get(name)?.has(value) === true) return true;
  // A locale, a terminal or a time zone may be a file elsewhere.
  const isPath = value.includes('..') || ['/', '~', '.', ':'].some((each) => value.startsWith(each));
  return !isPath && (HARMLESS.has(name) || name.startsWith('LC_'));
}

/** Names, and beginnings and ends of names, that a shell or some program reads to run, load or redirect something. */
const READ_BY_PROGRAMS = set(
  'PATH IFS ENV HOME PWD OLDPWD CDPATH SHELL SHELLOPTS BASHOPTS PROMPT_COMMAND TMPDIR TMP TEMP EDITOR VISUAL PAGER BROWSER LESS MORE ' +
    'MANPATH TERMINFO HISTFILE MAILPATH GLOBIGNORE EXECIGNORE FIGNORE POSIXLY_CORRECT OPTIND OPTERR CC CXX LD AR AS FC MAKE ' +
    'RUSTC CPP GCC_EXEC_PREFIX JAVA_HOME GOROOT USER LOGNAME HOSTNAME DISPLAY MAIL KUBECONFIG HOSTALIASES RES_OPTIONS TERMCAP ' +
    // Variables of zsh and bash themselves; zsh ties the lower-case ones to the others.
    'ARGV STATUS OPTIONS FUNCTIONS ALIASES COMMANDS PARAMETERS PROMPT RPROMPT SPROMPT PSVAR NULLCMD READNULLCMD COLUMNS LINES RANDOM ' +
    'SRANDOM SECONDS LINENO HISTCMD EPOCHSECONDS DIRSTACK UID EUID GID PPID',
);
const READ_PREFIXES = [
  'BASH',
  'LD_',
  'DYLD_',
  'PS',
  'GIT_',
  'SSH_',
  'NODE_',
  'NPM_',
  'YARN_',
  'PYTHON',
  'PIP_',
  'UV_',
  'PERL',
  'RUBY',
  'GEM_',
  'BUNDLE_',
  'GO',
  'CARGO',
  'RUST',
  'JAVA',
  'MAVEN',
  'GRADLE',
  'DOCKER_',
  'COMPOSE_',
  'KUBE',
  'HELM_',
  'TF_',
  'AWS_',
  'GOOGLE_',
  'CLOUDSDK_',
  'AZURE_',
  'GCONV_',
  'GLIBC',
  'MALLOC_',
  'LC_',
  'LESS',
  'MAN',
  'XDG_',
  'CURL_',
  'WGET',
  'OPENSSL_',
  'SSL_',
  'PG',
  'MYSQL_',
  'RIPGREP_',
  'GREP_',
  'FZF_',
  'TAR_',
  'ZIP',
  'COMP_',
] as const;
const READ_ENDS = ['PATH', 'OPTS', 'OPTIONS', 'FLAGS', 'PROXY', 'PAGER', 'EDITOR', 'HOME', 'RC', 'ENV'] as const;

/** Whether only the text itself reads a variable of this name: assigning it does nothing else. */
export function isOwnVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return !(
    READ_BY_PROGRAMS.has(upper) ||
    READ_PREFIXES.some((prefix) => upper.startsWith(prefix)) ||
    READ_ENDS.some((end) => upper.endsWith(end))
  );
}

/** Whether programs, or zsh in place of `PATH`, read a variable of exactly this name: `for env in dev prod` gives no program anything. */
export const isReadByPrograms = (name: string): boolean =>
  !isOwnVariable(name) && (name === name.toUpperCase() || READ_IN_SMALL_LETTERS.test(name));

/** Names that are read as they stand: `for http_proxy in …; do curl …` leads curl there. */
const READ_IN_SMALL_LETTERS = /^(?:(?:f|cd)?path|npm_config_\w+|(?:https?|ftp|all|no)_proxy)$/;

/** `GIT_PAGER`, `EDITOR`, `GIT_SSH_COMMAND`, `LESSOPEN`: some program runs the value. */
const RUN_BY_PROGRAMS =
  /(?:PAGER|EDITOR|ASKPASS|BROWSER|VISUAL)$|_(?:COMMAND|CMD|WRAPPER|DIFF|LINKER|RUNNER)$|^(?:GIT_SSH|GIT_CONFIG_VALUE_\d+|LESSOPEN|LESSCLOSE)$/;

export const isRunByPrograms = (name: string): boolean => RUN_BY_PROGRAMS.test(name);

/** Parameters that the shell fills with words which the text has run or read before. */
export const CHOSEN_BY_TEXT: ReadonlySet<string> = set(
  '_ REPLY MAPFILE BASH_REMATCH OPTARG COPROC DIRSTACK FUNCNAME BASH_SOURCE BASH_COMMAND BASH_EXECUTION_STRING BASH_ARGV BASH_ARGV0 READLINE_LINE',
);

/** Files and folders that programs look for where the variable says. Nobody knows its value here: what it usually names is a guess. */
const USUAL_VALUES: ReadonlyMap<string, string> = new Map([
  ['KUBECONFIG', '~/.kube/config'],
  ['AWS_SHARED_CREDENTIALS_FILE', '~/.aws/credentials'],
  ['AWS_CONFIG_FILE', '~/.aws/config'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '~/.config/gcloud/application_default_credentials.json'],
  ['CLOUDSDK_CONFIG', '~/.config/gcloud'],
  ['AZURE_CONFIG_DIR', '~/.azure'],
  ['DOCKER_CONFIG', '~/.docker'],
  ['GH_CONFIG_DIR', '~/.config/gh'],
  ['CARGO_HOME', '~/.cargo'],
  ['GNUPGHOME', '~/.gnupg'],
  ['NETRC', '~/.netrc'],
  ['PGPASSFILE', '~/.pgpass'],
  ['NPM_CONFIG_USERCONFIG', '~/.npmrc'],
  ['GIT_CONFIG_GLOBAL', '~/.gitconfig'],
  ['GIT_DIR', '.git'],
  ['XDG_CONFIG_HOME', '~/.config'],
  ['ZDOTDIR', '~'],
  ['HISTFILE', '~/.bash_history'],
  ['PYTHON_HISTORY', '~/.python_history'],
  ['NODE_REPL_HISTORY', '~/.node_repl_history'],
  ['PSQL_HISTORY', '~/.psql_history'],
  ['MYSQL_HISTFILE', '~/.mysql_history'],
]);

/** The path that a variable usually holds. Some programs take a name in small letters, too. */
export const usualValue = (name: string): string | undefined => USUAL_VALUES.get(name.toUpperCase());
