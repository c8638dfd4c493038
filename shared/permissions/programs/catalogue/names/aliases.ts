/** Lists sub-commands with several names: a deny rule on one hears the others. */
import { ownValue } from '../../../../domain/own.ts';

/** Names of one sub-command, groups parted by `|`; `config+set` is two words, `-` no word at all. */
const GROUPS: Readonly<Record<string, string>> = {
  npm:
    'run run-script rum urn|install i in ins inst insta instal isnt isnta isntal isntall add|uninstall un unlink remove rm r|' +
    'test t tst run+test|start run+start|stop run+stop|restart run+restart|ci clean-install ic install-clean isntall-clean|' +
    'update up upgrade udpate|exec x|link ln|list ls la ll|config c|set config+set|get config+get|search find s se|view info show v|' +
    'init create innit|login adduser add-user|dedupe ddp|rebuild rb|dist-tag dist-tags|install-test it|' +
    'install-ci-test cit clean-install-test sit|version verison|owner author|why explain|docs home|bugs issues|publish|unpublish|' +
    'deprecate|access|token|team|hook|profile|pack|cache|audit|prune|edit|explore|logout|org ogr|star|unstar',
  pnpm:
    'install i|remove rm uninstall un|update up upgrade|run run-script|test t tst run+test|start run+start|link ln|list ls|' +
    'unlink dislink|rebuild rb|config c|set config+set',
  yarn: 'install -|test run+test|start run+start',
  bun: 'install i add a|remove rm|create c',
  deno: 'install i add',
  cargo: 'build b|check c|doc d|run r|test t|remove rm',
  helm: 'uninstall un del delete|list ls|dependency dep dependencies|show inspect|plugin plugins',
  gh: 'create new|delete remove|checkout co|list ls|codespace cs|extension ext extensions',
  glab: 'create new|list ls|delete del',
  brew: 'uninstall remove rm|list ls|link ln|update up',
  gem: 'push|install i|uninstall|yank|build|owner|cert|update|cleanup|exec|sources|open|signin|signout|unpack|fetch',
  bundle: 'install i -|exec e|update|add|remove|config|open|clean|lock|cache package pack|console|gem|plugin|outdated',
  composer:
    'install i|update u upgrade|require r|remove rm uninstall|run-script run|exec x|self-update selfupdate|dump-autoload dumpautoload|' +
    'create-project|global|config|archive|reinstall|clear-cache clearcache cc',
  rails: 'generate g|destroy d|console c|server s|test t|dbconsole db|runner r',
  docker: 'rm remove|rmi image+rm|ls list ps',
  conda: 'remove uninstall|update upgrade',
  git: 'add stage',
  svn: 'commit ci|checkout co|update up|delete del remove rm|copy cp|move mv rename ren',
  hg: 'commit ci|push|pull|update up checkout co|remove rm|strip|rollback|purge|clone',
  terraform: 'destroy apply+-destroy',
  dnf: 'remove erase',
  zypper: 'remove rm|install in|update up',
  rustup: 'uninstall remove',
  ip: 'delete del|link|address|route|neighbour|rule|tunnel|maddress|xfrm',
  vercel: 'deploy -|remove rm|list ls',
  wrangler: 'deploy publish',
  pulumi: 'up update|destroy down dn|preview pre',
  heroku: 'apps:destroy apps:delete destroy',
  doctl: 'delete d del rm|droplet d',
  fly: 'apps+destroy destroy',
  nomad: 'job+stop stop|job+run run|job+plan plan|job+status status|alloc+exec exec',
  kubectl:
    'pod pods po|service services svc|deployment deployments deploy|namespace namespaces ns|configmap configmaps cm|secret secrets|' +
    'node nodes no|statefulset statefulsets sts|daemonset daemonsets ds|job jobs|cronjob cronjobs cj|ingress ingresses ing|' +
    'persistentvolumeclaim persistentvolumeclaims pvc|persistentvolume persistentvolumes pv|serviceaccount serviceaccounts sa|' +
    'replicaset replicasets rs|customresourcedefinition customresourcedefinitions crd crds',
};

/** The same groups under other names of a program, or of one that speaks like it. */
const LIKE: Readonly<Record<string, string>> = {
  bundler: 'bundle',
  podman: 'docker',
  nerdctl: 'docker',
  mamba: 'conda',
  micromamba: 'conda',
  tofu: 'terraform',
  oc: 'kubectl',
  yarnpkg: 'yarn',
  flyctl: 'fly',
};

/** Programs that take any beginning of a name for the name. */
const ABBREVIATING: ReadonlySet<string> = new Set(['npm', 'gem', 'bundle', 'composer', 'ip', 'hg']);

/** Systems differ in which of the two names they have. */
const SAME =
  'python3 python|pip3 pip|apt apt-get|dnf yum|vi vim|nvim vim|gawk awk|mawk awk|gsed sed|gtar tar|bsdtar tar|gfind find|gxargs xargs|' +
  'go-task task|flyctl fly|sls serverless|gtee tee|gsort sort|genv env|gnohup nohup|gnice nice|gstdbuf stdbuf|gtimeout timeout|gchroot chroot|grm rm|grmdir rmdir|gunlink unlink|gshred shred|fdfind fd|batcat bat|netcat nc|ncat nc|slogin ssh|autossh ssh|curlie curl|mongo mongosh|py.test pytest|mariadb mysql|vc vercel|ntl netlify|netlify-cli netlify|firebase-tools firebase|aws-cdk cdk|valkey-cli redis-cli|ri Remove-Item|erase del|cpi Copy-Item|mi Move-Item|spps Stop-Process|saps Start-Process|iwr Invoke-WebRequest|irm Invoke-RestMethod|gci Get-ChildItem|iex Invoke-Expression';

/** The whole program, under another name and sub-command. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['npx', 'npm exec'],
  ['pnpx', 'pnpm dlx'],
  ['bunx', 'bun x'],
  ['uvx', 'uv tool run'],
  ['yarnpkg', 'yarn'],
  ['bundler', 'bundle'],
  ['docker-compose', 'docker compose'],
  ['podman-compose', 'podman compose'],
  ['nodejs', 'node'],
  ...SAME.split('|').map((names) => names.split(' ') as [string, string]),
]);

type Groups = readonly (readonly string[])[];

const split = new Map<string, Groups>();

function groupsOf(program: string): Groups {
  let groups = split.get(program);
  if (groups === undefined) {
    groups = (ownValue(GROUPS, program) ?? '').split('|').map((group) => group.split(' '));
    split.set(program, groups);
  }
  return groups;
}

/** The words of the program itself under its other name: `npm exec` of `npx`. */
export const otherProgram = (name: string): readonly string[] | undefined => PROGRAMS.get(name)?.split(' ');

/** Programs by the first word of their other names: `npx` under `npm`. */
const WITHIN: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(PROGRAMS, ([, words]) => words.split(' ')[0] as string)].map(([first, found]) => [
    first,
    found.map(([name]) => name),
  ]),
);

/** Programs that words of this one may start as well. */
export const programsWithin = (program: string): readonly string[] => WITHIN.get(program) ?? [];

/** The program whose groups hold for this one, too. */
export const usualName = (name: string): string => ownValue(LIKE, name) ?? name;

/** `ns/x`, `pod,namespace`, `deployments.apps`: the kinds that a word of kubectl holds, each with the name behind it. `before`: the word before. */
export function kindsIn(program: string, word: string, before: string): readonly (readonly string[])[] {
  if (usualName(program) !== 'kubectl' || !/[/,.A-Z]/.test(word)) return [];
  // A file or folder.
  if (/^(?:-f|-k|--filename|--kustomize)$/.test(before)) return [];
  const slash = word.indexOf('/');
  const kinds = (slash < 0 ? word : word.slice(0, slash)).toLowerCase().split(',');
  const names = slash < 0 ? [] : [word.slice(slash + 1)];
  const some = kinds.slice(0, MAX_KINDS).map((kind) => [kind.split('.')[0] as string, ...names]);
  return kinds.length > MAX_KINDS ? [...some, ['*']] : some;
}

/** Kinds of one word. One of more may be any. */
const MAX_KINDS = 32;

/** Whether any sub-command of the program has other names. */
export const hasSubcommandAliases = (name: string): boolean => Object.hasOwn(GROUPS, usualName(name));

/** Other names of a sub-command, each as its words; `word` undefined: none. `later`: the words behind it. */
export function subcommandAliases(
  name: string,
  word: string | undefined,
  later: readonly string[],
): readonly (readonly string[])[] {
  const program = usualName(name);
  const written = word ?? '-';
  const groups = groupsOf(program);
  // `apply -destroy` is `destroy`, wherever the option stands and however it is written.
  let options: readonly string[] | undefined;
  // Most sub-commands have no name with an option, and the words behind one may be thousands.
  const hasOption = (option: string): boolean => {
    options ??= later.map((text) => text.replace(/^--(?=.)/, '-').replace(/^(-[^=]*)=(?:true|t|1)$/i, '$1'));
    return options.includes(option);
  };
  const isSaid = (each: string): boolean =>
    each === written || (each.startsWith(`${written}+`) && hasOption(each.slice(written.length + 1)));
  const own = groups.filter((group) => group.some(isSaid));
  const isBeginning = own.length === 0 && ABBREVIATING.has(program);
  const meant = isBeginning ? groups.filter((group) => group.some((each) => each.startsWith(written))) : own;
  return meant.flat().flatMap((each) => (each === written || each === '-' ? [] : [each.split('+')]));
}
