/** Describes programs that provision and configure infrastructure. */

import { insideOnly, operandsInside } from '../record/elsewhere.ts';
import { ANY_OPTION } from '../record/options.ts';
import { lastOperand } from '../record/outputs.ts';
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
  set,
  subcommands,
} from '../record/record.ts';

const TERRAFORM_HARMFUL =
  '-chdir -out -config -plugin-dir -backend-config -state -state-out -backup -generate-config-out';

const TERRAFORM_WORDS = {
  words:
    '-var:1 -var-file:1 -target:1 -replace:1 -lock=false -no-color -input=false -refresh=false -detailed-exitcode -destroy -auto-approve -refresh-only -json -compact-warnings',
  value: insideOnly('-var-file'),
} as const;

const TERRAFORM_READ = netOptions(TERRAFORM_HARMFUL, { words: '-json -no-color -raw' });

const TERRAFORM_CHANGE: CommandRecord = named(TERRAFORM_HARMFUL, TERRAFORM_WORDS);

const PULUMI_SHOWS: CommandRecord = {
  options: netOptions('--config-file --exec-agent --plugins --save-plan --policy-pack --event-log'),
  reveals: reveals(/^--show-secrets/),
};

export const INFRASTRUCTURE: readonly ProgramRecord[] = [
  ...programs('terraform tofu', {
    subcommands: subcommands(
      [
        [
          'plan',
          {
            options: netOptions(TERRAFORM_HARMFUL, {
              ...TERRAFORM_WORDS,
              words: `${TERRAFORM_WORDS.words} -out:1`,
            }),
            writes: (_, options) => options.flatMap(({ name, value }) => (name === '-out' && value ? [value] : [])),
          },
        ],
        ['version graph validate', { reads: true, options: TERRAFORM_READ }],
        // Without these words sensitive values are left out.
        ['output', { reads: true, options: TERRAFORM_READ, reveals: reveals(/^-*(?:json|raw)|^[^-]/) }],
        ['show', { reads: true, options: TERRAFORM_READ, reveals: reveals(/^-+json/) }],
        [
          'providers',
          {
            options: TERRAFORM_READ,
            subcommands: subcommands(
              [
                ['schema', { reads: true, options: TERRAFORM_READ }],
                ['mirror', { ...TERRAFORM_CHANGE, writes: lastOperand }],
              ],
              { others: TERRAFORM_CHANGE, optional: true },
            ),
          },
        ],
        [
          'fmt',
          {
            options: netOptions(TERRAFORM_HARMFUL, {
              words: '-recursive -check -diff -write=false',
              operands: operandsInside,
            }),
          },
        ],
        ['init apply destroy import refresh taint untaint get', TERRAFORM_CHANGE],
        [
          'workspace state',
          {
            subcommands: subcommands([['list show', { reads: true, options: netOptions(TERRAFORM_HARMFUL) }]], {
              others: { ...TERRAFORM_CHANGE, grant: 'group' },
            }),
          },
        ],
        ['console', NEVER],
      ],
      // The folder of `-chdir` is judged as a path.
      { harmless: '-chdir -no-color', inside: '-chdir', others: NAMED },
    ),
  }),
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
                ['graph', { ...NAMED, writes: lastOperand }],
              ],
              { others: NAMED, optional: true },
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
  ...programs('cdktf sam serverless sls amplify copilot chalice eb sst', {
    options: netOptions('--app --config-file --plugin'),
    subcommands: subcommands([['invoke exec', RUNS]], { others: NAMED }),
  }),
  // `ansible all -a 'CMD'` runs it on every machine, this one among them.
  program('ansible', RUNS),
  ...programs('ansible-playbook ansible-galaxy packer vault-agent', NEVER),
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
