/** Lists options with several names: a deny rule on one hears the others. */
import { ownValue } from '../../../../domain/own.ts';
import { usualName } from './aliases.ts';

/**
 * Names of one option, groups parted by `|`; `d+f` is two options together, `+` an operand that begins so. A row of a sub-command adds to that
 * of its program, and a letter that a row names means nothing else there.
 */
const GROUPS: Readonly<Record<string, string>> = {
  git: 'a all|m message|q quiet|v verbose|d delete|i interactive|S gpg-sign|s signoff|j jobs|o option',
  'git push': 'f force +|d delete|u set-upstream|n dry-run|o push-option',
  'git fetch': 'f force|p prune|t tags|n no-tags',
  'git commit': 'n no-verify|F file|C reuse-message|c reedit-message|e edit|p patch|o only',
  'git branch':
    'D d+f delete+force d+force delete+f|M m+f move+force m+force move+f|C c+f copy+force c+force copy+f|f force|d delete|m move|c copy|r remotes|a all',
  'git tag': 'a annotate|s sign|F file|u local-user|v verify|n',
  'git clean': 'd|n dry-run|e exclude|x|X',
  'git checkout': 'B|b|d detach|t track|p patch|l',
  'git switch': 'f force discard-changes|c create|C force-create|d detach|t track',
  'git rebase': 'f force-rebase no-ff|x exec|r rebase-merges|n no-stat',
  'git add': 'A all no-ignore-removal|p patch|e edit|u update|n dry-run|N intent-to-add',
  'git reset': 'p patch|N intent-to-add',
  'git stash': 'u include-untracked|a all|k keep-index|p patch',
  'git rm': 'r|n dry-run',
  docker:
    'a all|q quiet|v volume volumes|p publish|e env|i interactive|t tty|d detach|u user|w workdir|H host|c context',
  'docker build': 'f file|t tag|q quiet|o output',
  'docker logs': 'f follow|t timestamps|n tail',
  'docker compose': 'f file|p project-name|d detach|v volumes|t timeout',
  npm: 'C prefix|g global|D save-dev|E save-exact|O save-optional|P save-prod|w workspace|c call|p package|y yes',
  pnpm: 'g global|D save-dev|E save-exact|r recursive|F filter|C dir|w workspace-root',
  yarn: 'D dev|E exact|W ignore-workspace-root-check',
  bun: 'g global|d dev|D production|e eval|r preload',
  cargo: 'p package|r release|j jobs|F features|Z',
  pip: 'U upgrade|r requirement|e editable|t target|i index-url|f find-links|c constraint',
  curl:
    'X request|d data data-ascii data-raw data-binary data-urlencode|H header|o output|O remote-name|T upload-file|F form|k insecure|u user|L location|K config|s silent|x proxy|' +
    'b cookie|A user-agent|I head|G get|S show-error|f fail|i include|v verbose|e referer|m max-time|w write-out|J remote-header-name',
  wget: 'O output-document|c continue|i input-file|P directory-prefix|e execute|o output-file|N timestamping',
  sed: 'n quiet silent|i in-place|r E regexp-extended|e expression|f file|s separate|z null-data',
  tar:
    'x extract get|c create|t list|f file|C directory|z gzip|j bzip2|J xz|v verbose|r append|u update|I use-compress-program|T files-from|' +
    'O to-stdout|p preserve-permissions|P absolute-names|A catenate concatenate',
  grep: 'r R recursive dereference-recursive|i ignore-case|v invert-match|f file|e regexp|l files-with-matches|n line-number',
  rsync: 'a archive|n dry-run|e rsh|r recursive|u update|z compress|f filter',
  ssh: 'f|i|a|r',
  kubectl:
    'f filename|n namespace|A all-namespaces|k kustomize|l selector|R recursive|o output|w watch|i stdin|t tty|c container|p previous patch',
  helm: 'n namespace|f values|i install|A all-namespaces|a atomic',
  psql: 'c command|f file|d dbname|U username|h host|a echo-all|o output|v set variable',
  mysql: 'e execute|f force|h host|u user|D database|p password',
  node: 'e eval|p print|r require|i interactive|c check',
  deno: 'A allow-all|r reload|c config|f force|g global|q quiet',
  perl: 'e|E|i|n|p|f|a|r',
  python: 'c|m|i|E|I|f',
  bash: 'c|i|l login|r restricted|x|e|f|a',
  sudo: 'u user|i login|E preserve-env|n non-interactive|s shell|g group|a|r',
  make: 'f file makefile|C directory|i ignore-errors|n just-print dry-run recon|B always-make|j jobs|k keep-going|r no-builtin-rules',
  az: 'g resource-group|n name|y yes no-prompt|o output|a|i',
  gh: 'R repo',
  'gh pr': 'd delete-branch|m merge|s squash|r rebase|a approve|b body|t title|f fill',
  'gh api': 'X method|f raw-field|F field|H header|i include|q jq',
  'gh repo': 'y yes confirm',
  fly: 'a app|c config|r region',
  flyctl: 'a app|c config|r region',
  heroku: 'a app|r remote',
  pulumi: 's stack|C cwd|y yes',
  serverless: 's stage|r region',
  sls: 's stage|r region',
  twine: 'r repository|u username',
  pg_dump: 'd dbname|U username|h host|p port|f file|a data-only|i|r',
  mysqldump: 'h host|u user|p password|P port|f force|r result-file|a|i',
  systemctl: 'f force|a all|r|n',
  iptables:
    'F flush|X delete-chain|D delete|P policy|A append|I insert|R replace|Z zero|t table|j jump|s source|d destination|p protocol',
  dpkg: 'r remove|P purge|i install',
  usermod: 'p password|L lock|U unlock|G groups|a append|s shell|d home|l login',
  chmod: 'R recursive|f silent quiet|r',
  chown: 'R recursive|f silent quiet',
  chgrp: 'R recursive|f silent quiet',
  cp: 'a archive|r R recursive|t target-directory|T no-target-directory|l link|s symbolic-link|u update|b backup|n no-clobber|P no-dereference',
  mv: 't target-directory|T no-target-directory|u update|b backup|n no-clobber',
  ln: 's symbolic|t target-directory|T no-target-directory|r relative|b backup|n no-dereference',
  install: 'd directory|m mode|o owner|g group|t target-directory|D|b backup',
  mkdir: 'p parents|m mode',
  rmdir: 'p parents',
  tee: 'a append|i ignore-interrupts',
  truncate: 's size|r reference|c no-create',
  touch: 'r reference|c no-create|d date|a|m',
  shred: 'u remove|z zero|n iterations|f force',
  xargs: 'P max-procs|n max-args|a arg-file|d delimiter|0 null|I replace|r no-run-if-empty',
  pkill:
    'f full|x exact|u euid|U uid|P parent|s session|g pgroup|t terminal|F pidfile|n newest|o oldest|i ignore-case|v inverse',
  killall: 'e exact|I ignore-case|g process-group|i interactive|r regexp|u user|w wait',
  zip: 'r recurse-paths|m move|e encrypt|P password|T test|d delete|u update|y symlinks',
  ls: 'R recursive|r reverse|a all|f|i inode|g',
};

/** Names that nearly all programs share; of a program without a record they are a guess. */
const USUAL = 'f force|r R recursive|a all|g global|y yes assume-yes|i interactive';

/** Names that stand together for the option. */
export type OptionNames = readonly string[];
type Table = ReadonlyMap<string, readonly OptionNames[]>;

const split = (row: string | undefined): readonly (readonly OptionNames[])[] =>
  (row ?? '').split('|').map((group) => group.split(' ').map((each) => (each === '+' ? ['+'] : each.split('+'))));

const tables = new Map<string, Table>();

/** The other names of each option of a sub-command. A nearer row goes first: what it names is no other option there. */
function tableOf(program: string, subcommand: string): Table {
  const key = `${program} ${subcommand}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const table = new Map<string, readonly OptionNames[]>();
  for (const row of [ownValue(GROUPS, key), ownValue(GROUPS, program), USUAL]) {
    const claimed = new Set(table.keys());
    for (const group of split(row))
      for (const [name, more] of group)
        if (name !== undefined && more === undefined && !claimed.has(name))
          table.set(
            name,
            group.filter((each) => each[0] !== name && !each.some((part) => claimed.has(part))),
          );
  }
  tables.set(key, table);
  return table;
}

/** The other names of an option, without dashes. */
export const optionAliases = (program: string, subcommand: string, option: string): readonly OptionNames[] =>
  tableOf(usualName(program), subcommand).get(option) ?? [];

/** Options of a sub-command that have other names, without dashes. */
export const optionNames = (program: string, subcommand: string): readonly string[] => [
  ...tableOf(usualName(program), subcommand).keys(),
];
