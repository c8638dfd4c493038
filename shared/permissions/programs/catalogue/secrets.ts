/** Describes stores of passwords, keys and tokens: a rule has to name what prints one. */
import { NAMED, type ProgramRecord, program, programs, RUNS, subcommands } from '../record/record.ts';

/** Some hand a secret to a command. */
const RUNNING = ['run exec ssh env:exec run-task rt', RUNS] as const;

export const SECRETS: readonly ProgramRecord[] = [
  ...programs(
    'pass gopass lpass bw bws rbw keyring secret-tool security kwallet-query systemd-creds ansible-vault berglas akeyless conjur',
    { subcommands: subcommands([['version status', { reads: true }], RUNNING], { others: NAMED }) },
  ),
  ...programs('cf nomad snyk eas', {
    subcommands: subcommands([
      ['oauth-token env service-key var config env:list env:get env:pull', NAMED],
      ['alloc', { subcommands: subcommands([RUNNING]) }],
      RUNNING,
    ]),
  }),
  program('vault', {
    subcommands: subcommands(
      [
        ['agent ssh', RUNS],
        ['status version', { reads: true }],
        ['list', {}],
        ['kv', { subcommands: subcommands([['list', {}]], { others: NAMED }) }],
      ],
      { others: NAMED },
    ),
  }),
  program('telepresence', { subcommands: subcommands([['intercept', RUNS]]) }),
  program('dagger', { subcommands: subcommands([['run', RUNS]]) }),
];
