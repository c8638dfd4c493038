/** Lists variables that say to a program what one of its options says. */
import { usualName } from './aliases.ts';

/** `VARIABLE option`, or `VARIABLE=value option` for one value; parted by `|`. */
const OPTIONS: Readonly<Record<string, string>> = {
  aws:
    'AWS_PROFILE profile|AWS_DEFAULT_PROFILE profile|AWS_REGION region|AWS_DEFAULT_REGION region|AWS_ENDPOINT_URL endpoint-url|' +
    'AWS_DEFAULT_OUTPUT output',
  kubectl: 'KUBECONFIG kubeconfig',
  helm: 'KUBECONFIG kubeconfig|HELM_NAMESPACE namespace|HELM_KUBECONTEXT kube-context',
  docker:
    'DOCKER_HOST host|DOCKER_CONTEXT context|COMPOSE_FILE file|COMPOSE_PROJECT_NAME project-name|COMPOSE_PROFILES profile',
  terraform: 'TF_WORKSPACE workspace',
  terragrunt: 'TERRAGRUNT_NON_INTERACTIVE=true non-interactive|TG_NON_INTERACTIVE=true non-interactive',
  gcloud: 'CLOUDSDK_CORE_PROJECT project|CLOUDSDK_ACTIVE_CONFIG_NAME configuration|CLOUDSDK_CORE_ACCOUNT account',
  gh: 'GH_REPO repo|GH_HOST hostname',
  git: 'GIT_DIR git-dir|GIT_WORK_TREE work-tree|HUSKY=0 no-verify',
  psql: 'PGHOST host|PGDATABASE dbname|PGUSER username|PGPORT port',
  mysql: 'MYSQL_HOST host',
  vault: 'VAULT_ADDR address|VAULT_NAMESPACE namespace',
  'redis-cli': 'REDISCLI_AUTH pass',
  cargo: 'CARGO_BUILD_TARGET target',
  doctl: 'DIGITALOCEAN_CONTEXT context',
  flyctl: 'FLY_APP app',
  fly: 'FLY_APP app',
  vercel: 'VERCEL_SCOPE scope',
};

/** The beginning of variables whose rest is the name of an option. */
const STARTS: readonly (readonly [program: string, start: string])[] = [
  ['npm', 'npm_config_'],
  ['pnpm', 'npm_config_'],
  ['yarn', 'npm_config_'],
  ['pip', 'pip_'],
  ['uv', 'uv_'],
  ['poetry', 'poetry_'],
];

/** Variables with further words for the program, or for the sub-command at their end. */
const WORDS: Readonly<Record<string, RegExp>> = {
  terraform: /^TF_CLI_ARGS(?:_([a-z]+))?$/,
  pytest: /^PYTEST_ADDOPTS$/,
  go: /^GOFLAGS$/,
  make: /^(?:GNU)?MAKEFLAGS$/,
  tar: /^TAR_OPTIONS$/,
};

/** The words that the variable stands for, for a program with this sub-command. */
export function wordsOfVariable(program: string, subcommand: string, name: string, value: string): readonly string[] {
  const usual = usualName(program);
  const further = Object.hasOwn(WORDS, usual) ? WORDS[usual]?.exec(name) : undefined;
  if (further) return further[1] === undefined || further[1] === subcommand ? value.split(/\s+/).filter(Boolean) : [];
  const listed = Object.hasOwn(OPTIONS, usual) ? (OPTIONS[usual] ?? '').split('|') : [];
  const found = listed.flatMap((each) => {
    const [variable = '', option = ''] = each.split(' ');
    if (variable === `${name}=${value}`) return [`--${option}`];
    return variable === name ? [`--${option}`, value] : [];
  });
  const lower = name.toLowerCase();
  const start = STARTS.find(([each, begin]) => each === usual && lower.startsWith(begin))?.[1];
  if (start === undefined) return found;
  const option = `--${lower.slice(start.length).replaceAll('_', '-')}`;
  return /^(?:true|1)$/.test(value) ? [option] : [option, value];
}
