/** Describes programs that provision and configure infrastructure. */
import { ANY_OPTION } from '../record/options.ts';
import { lastOperand } from '../record/outputs.ts';
import {
  type CommandRecord,
  GROUP,
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
  set,
  subcommands,
} from '../record/record.ts';
import { TERRAFORM } from './terraform.ts';

const PULUMI_SHOWS: CommandRecord = {
  options: netOptions('--config-file --exec-agent --plugins --save-plan --policy-pack --event-log'),
  reveals: reveals(/^--show-secrets/),
};

const SERVERLESS = netOptions('--app --config-file --plugin');

export const INFRASTRUCTURE: readonly ProgramRecord[] = [
  ...TERRAFORM,
  // Servers run and serve what their configuration says.
  program('nginx', net('-c -g -p -e', { flags: 'tTvVqh', values: 's' })),
  ...programs('httpd apachectl apache2 apache2ctl', net('-f -d -c -C -E')),
  program('php-fpm', net('-y -c -d -p -g')),
  ...programs('haproxy keepalived rsyslogd sshd mongod varnishd dnsmasq named unbound', net('-f -c -C -o')),
  program('sysctl', net('-p --load --system')),
  program('terragrunt', {
    options: netOptions('--terragrunt-config --terragrunt-tfpath --tf-path --terragrunt-working-dir'),
    commandOptions: set('--terragrunt-tfpath --tf-path'),
    subcommands: subcommands(
      [
        ['exec run', RUNS],
        ['run-all', { ...NAMED, also: 'terragrunt' }],
      ],
      { others: NAMED },
    ),
  }),
  program('pulumi', {
    subcommands: subcommands(
      [
        ['preview whoami version about', PULUMI_SHOWS],
        [
          'stack',
          {
            ...PULUMI_SHOWS,
            subcommands: subcommands(
              [
                ['ls output', PULUMI_SHOWS],
                ['graph', { ...GROUP, writes: lastOperand }],
              ],
              {
                values: '-s --stack',
                harmless: '-s --stack -i --show-ids --show-name -u --show-urns --non-interactive',
                others: GROUP,
                optional: true,
              },
            ),
          },
        ],
        ['env', { subcommands: subcommands([['run', RUNS]], { others: NAMED }) }],
      ],
      { values: '-C --cwd --color', harmless: '--color', others: NAMED },
    ),
  }),
  program('cdk', {
    subcommands: subcommands(
      [
        [
          'diff synth synthesize ls list doctor',
          {
            options: netOptions(
              '-a --app -o --output --plugin -c --context --build --toolkit-stack-name --role-arn -r --profile --ca-bundle-path --proxy',
              { longValues: '--exclusively', flags: 'jvqe' },
            ),
          },
        ],
      ],
      {
        values: '-a --app --profile -c --context -o --output',
        harmless: '',
        others: named('-a --app -o --output --plugin --build'),
      },
    ),
    commandOptions: set('-a --app --build'),
  }),
  ...programs('cdktf sam serverless sls amplify copilot chalice eb', {
    options: SERVERLESS,
    subcommands: subcommands([['invoke exec', RUNS]], { others: NAMED }),
  }),
  program('sst', { options: SERVERLESS, subcommands: subcommands([['shell bind dev', RUNS]], { others: NAMED }) }),
  // `ansible all -a 'CMD'` runs it on every machine, this one among them.
  program('ansible', RUNS),
  ...programs('ansible-galaxy packer vault-agent', NEVER),
  program('ansible-playbook', { ...NEVER, each: true }),
  program('ansible-lint', { options: netOptions('-c -r -R') }),
  program('sops', {
    subcommands: subcommands(
      [
        ['exec-env exec-file', RUNS],
        ['decrypt', NAMED],
      ],
      { others: {}, optional: true },
    ),
  }),
  program('vagrant', {
    subcommands: subcommands(
      [
        ['ssh winrm', RUNS],
        ['status version', { reads: true, options: ANY_OPTION }],
      ],
      { others: {} },
    ),
  }),
];
