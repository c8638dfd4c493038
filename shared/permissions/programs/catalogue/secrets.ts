/** Describes stores of passwords, keys and tokens: a rule has to name what it prints. */
import { NAMED, type ProgramRecord, programs, subcommands } from '../record/record.ts';

export const SECRETS: readonly ProgramRecord[] = [
  ...programs(
    'pass gopass lpass bw bws rbw keyring secret-tool security kwallet-query systemd-creds ansible-vault berglas akeyless conjur',
    { subcommands: subcommands([['version status', { reads: true }]], { others: NAMED }) },
  ),
  ...programs('cf nomad snyk eas', {
    subcommands: subcommands([['oauth-token env var config env:list env:get env:pull env:exec', NAMED]]),
  }),
];
