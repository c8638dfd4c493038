/** Records of the command lines of clouds and services. */
import { ANY_OPTION, optionSpec } from '../options.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  set,
  subcommands,
} from './record.ts';

const AWS_HARMFUL = '--no-verify-ssl --endpoint-url --cli-input-json --cli-input-yaml --ca-bundle --profile-file';

const AWS: CommandRecord = {
  options: optionSpec({
    others: 'net',
    harmful: AWS_HARMFUL,
    longValues:
      '--query --filters --filter --output --region --profile --stack-name --table-name --key --bucket --prefix --function-name --log-group-name --max-items --cli-read-timeout --name --path',
    long: '--recursive --human-readable --summarize --no-cli-pager --dryrun --no-paginate',
  }),
};

export const CLOUD: readonly ProgramRecord[] = [
  program('aws', {
    subcommands: subcommands(
      [
        ['ssm', RUNS],
        [
          's3',
          { subcommands: subcommands([['ls', { ...AWS, reads: true }]], { others: { ...AWS, grant: 'subcommand' } }) },
        ],
        ['sts', { subcommands: subcommands([['get-caller-identity', { ...AWS, reads: true }]], { others: NAMED }) }],
        ['configure sso', NEVER],
      ],
      {
        values:
          '--profile --region --endpoint-url --output --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout',
        harmless: '--profile --region --output --query --color --no-cli-pager --no-paginate --debug',
        others: AWS,
      },
    ),
    commandOptions: set('--parameters'),
  }),
  program('gcloud', {
    subcommands: subcommands(
      [
        ['compute', { subcommands: subcommands([['ssh scp start-iap-tunnel', RUNS]], { others: {} }) }],
        [
          'alpha beta',
          {
            also: 'gcloud',
            subcommands: subcommands([['compute', { subcommands: subcommands([['ssh scp', RUNS]], { others: {} }) }]], {
              others: {},
            }),
          },
        ],
        ['cloud-shell ssh scp', RUNS],
        ['auth config components init', NEVER],
      ],
      {
        values: '--project --account --configuration --format --filter --region --zone',
        harmless: '--project --format --filter --region --zone --quiet -q',
        others: {},
      },
    ),
  }),
  program('az', {
    subcommands: subcommands(
      [
        ['vm', { subcommands: subcommands([['run-command', RUNS]], { others: {} }) }],
        ['run-command ssh extension rest login', RUNS],
      ],
      { values: '--subscription --output -o --query', harmless: '--subscription --output -o --query', others: {} },
    ),
  }),
  program('heroku', {
    subcommands: subcommands(
      [
        ['run run:detached ps:exec', RUNS],
        ['logs ps apps config:get', { reads: true }],
      ],
      { values: '-a --app', harmless: '-a --app', others: {} },
    ),
  }),
  program('fly flyctl', {
    subcommands: subcommands(
      [
        ['ssh console machine', RUNS],
        ['status logs apps', { reads: true }],
      ],
      { values: '-a --app -c --config', harmless: '-a --app', others: {} },
    ),
  }),
  ...programs('vercel netlify wrangler firebase supabase railway render', {
    subcommands: subcommands([['run exec dev dev:exec shell', RUNS]], { values: '--cwd -c --config', others: NAMED }),
  }),
  program('vault', {
    subcommands: subcommands(
      [
        ['agent ssh', RUNS],
        ['status version', { reads: true }],
      ],
      { others: {} },
    ),
  }),
  program('stripe', {
    subcommands: subcommands([['version status', { reads: true, options: ANY_OPTION }]], { others: NAMED }),
  }),
  ...programs('ngrok cloudflared', NEVER),
];
