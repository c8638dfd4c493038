/** Describes the command lines of clouds and services. */
import { literalField } from '../../shell/syntax/fields.ts';
import { ANY_OPTION } from '../record/options.ts';
import { everyOperand, localTarget } from '../record/outputs.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  named,
  net,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  reveals,
  type Subcommands,
  subcommands,
} from '../record/record.ts';
import { AWS } from './aws.ts';
import { isChangeVerb, isReadVerb, printsKeys } from './names/verbs.ts';

const GCLOUD_GLOBALS = {
  values: '--project --account --configuration --format --filter --region --zone',
  harmless: '--project --format --filter --region --zone --quiet -q',
};
const AZ_GLOBALS = { values: '--subscription --output -o --query', harmless: '--subscription --output -o --query' };

/** Options of `az` that name a file or folder to write, in their short forms too. */
const AZ_FILES = '-f -d -p --destination --dest';

const KUBECONFIG = [literalField('~/.kube/config')];
const READING: CommandRecord = { reads: true };
/** `-o` is a format here. */
const AZ_READING: CommandRecord = {
  reads: true,
  reveals: reveals(/^--show-(?:values|secret)/),
  options: netOptions('', {
    values: 'ogn',
    longValues: '--output --query --subscription --resource-group --name',
    value: (name, value) =>
      AZ_OUTPUT.has(name) && !/^[a-z]+$/.test(value.text) ? 'an output that is no format' : undefined,
  }),
};
const AZ_OUTPUT: ReadonlySet<string> = new Set(['-o', '--output']);
/** Commands that write the credentials of a cluster. */
const CREDENTIALS: CommandRecord = { grant: 'subcommand', writes: () => KUBECONFIG };
/** `iam service-accounts keys create FILE`. */
const KEYS: CommandRecord = {
  grant: 'subcommand',
  ...net('', { longValues: '--iam-account --key-file-type --project' }),
  writes: everyOperand,
};
const COPIES: CommandRecord = { grant: 'subcommand', writes: localTarget };

/**
 * Commands in groups: a rule on the program covers one whose verb reads and prints no secret; any other has to be named with its groups. A
 * group of the first level may have the name of a verb: `gcloud run services list`.
 */
function groups(
  of: Parameters<typeof subcommands>[0],
  first: Parameters<typeof subcommands>[0],
  globals: typeof AZ_GLOBALS,
  { reading, changing }: { readonly reading: CommandRecord; readonly changing: CommandRecord },
): Subcommands {
  const within: Subcommands = subcommands(of, {
    ...globals,
    others: (name) =>
      isChangeVerb(name) || printsKeys(name) ? changing : isReadVerb(name) ? reading : { subcommands: within },
  });
  const top = subcommands([['version info help', reading], ...first], { ...globals, others: { subcommands: within } });
  return { ...top, of: new Map([...within.of, ...top.of]) };
}

const GCLOUD_GROUPS: Parameters<typeof subcommands>[0] = [
  ['ssh scp start-iap-tunnel copy-files config-ssh cloud-shell reset-windows-password interactive', RUNS],
  ['get-credentials', CREDENTIALS],
  ['cp mv rsync', COPIES],
  ['keys', { subcommands: subcommands([['list describe', READING]], { ...GCLOUD_GLOBALS, others: KEYS }) }],
];
const GCLOUD_FIRST: Parameters<typeof subcommands>[0] = [
  ['config', { subcommands: subcommands([['list get-value get', READING]], { ...GCLOUD_GLOBALS, others: NEVER }) }],
  ['auth', { subcommands: subcommands([['list', READING]], { ...GCLOUD_GLOBALS, others: NEVER }) }],
  ['components init', NEVER],
];
const GCLOUD_VERBS = { reading: READING, changing: NAMED };
const PREVIEWS = groups(GCLOUD_GROUPS, GCLOUD_FIRST, GCLOUD_GLOBALS, GCLOUD_VERBS);
const GCLOUD = groups(
  GCLOUD_GROUPS,
  [...GCLOUD_FIRST, ['alpha beta preview', { also: 'gcloud', subcommands: PREVIEWS }]],
  GCLOUD_GLOBALS,
  GCLOUD_VERBS,
);

const AZ_CHANGING: CommandRecord = named('-f');
const AZ = groups(
  [
    ['secret', { subcommands: subcommands([['list', AZ_READING]], { ...AZ_GLOBALS, others: AZ_CHANGING }) }],
    // Groups of which every command prints keys, passwords or settings that hold them.
    [
      'keys credential connection-string admin-key query-key api-key shared-key appsettings',
      { subcommands: subcommands([], { ...AZ_GLOBALS, others: AZ_CHANGING }) },
    ],
    ['run-command ssh extension rest login bastion', RUNS],
    ['get-credentials', CREDENTIALS],
    ['download download-batch copy', named(AZ_FILES)],
  ],
  [['interactive', RUNS]],
  AZ_GLOBALS,
  { reading: AZ_READING, changing: AZ_CHANGING },
);

export const CLOUD: readonly ProgramRecord[] = [
  AWS,
  program('gcloud', { subcommands: GCLOUD }),
  program('az', { subcommands: AZ }),
  program('heroku', {
    subcommands: subcommands(
      [
        ['run run:detached run:inside local local:run local:start ps:exec', RUNS],
        ['logs ps apps', { reads: true }],
      ],
      { values: '-a --app', harmless: '-a --app', others: NAMED },
    ),
  }),
  program('fly flyctl', {
    subcommands: subcommands(
      [
        ['ssh console machine', RUNS],
        ['status logs apps', { reads: true }],
      ],
      { values: '-a --app -c --config', harmless: '-a --app', others: NAMED },
    ),
  }),
  ...programs('vercel vc netlify ntl wrangler firebase supabase railway render', {
    subcommands: subcommands([['run exec dev dev:exec emulators:exec shell ssh', RUNS]], {
      values: '--cwd -c --config',
      others: NAMED,
    }),
  }),
  program('stripe', {
    subcommands: subcommands([['version status', { reads: true, options: ANY_OPTION }]], { others: NAMED }),
  }),
  ...programs('ngrok cloudflared', NEVER),
];
