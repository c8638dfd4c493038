/**
 * Runs `countersign choose`: one choice of an agent policy in the terminal.
 *
 * The person at the terminal is the one that the policy asks.
 */
import type { Command } from 'commander';
import type { ChooseOptions } from '../offline/choose.ts';
import type { Io } from '../support/io.ts';

export function addChoose(program: Command, io: Io, exit: (code: number) => void): void {
  program
    .command('choose')
    .summary('run an agent policy over an action space, in the terminal')
    .description(
      'Runs a policy of the policy file over an action space. People are asked here, models with the key of your environment. ' +
        'Nothing is sent and nothing is recorded; rules and pauses of a deployed gate are not known here.',
    )
    .requiredOption('--policy <name>', 'NAME of the policy, as declared under `policies`; not the policy file')
    .requiredOption('--space <file>', 'the action space, JSON')
    .requiredOption('--snapshot <file>', 'facts and entity states, JSON')
    .option('--policy-file <file>', 'the policy file (default: COUNTERSIGN_POLICY, else countersign.yaml)')
    .option('--seed <text>', 'draw the same numbers for the same text')
    .option('--json', 'print the action and every stage as JSON; questions go to standard error')
    .addHelpText(
      'after',
      `
Exit codes
  0  an action was chosen     4  none     5  the policy file, the space or the snapshot is not sound
  2  a wrong option or argument

Environment
  ANTHROPIC_API_KEY, AI_GATEWAY_API_KEY: for policies that ask a model, by its provider

Example
  countersign choose --policy risk-based --space space.json --snapshot snapshot.json`,
    )
    .action(async (options: ChooseOptions) => {
      const { choose } = await import('../offline/choose.ts');
      exit(await choose(options, io));
    });
}
