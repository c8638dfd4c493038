/** Describes terraform and tofu: sub-commands that read, change and print what is sensitive. */
import { insideOnly, operandsInside } from '../record/elsewhere.ts';
import { lastOperand } from '../record/outputs.ts';
import {
  type CommandRecord,
  GROUP,
  NAMED,
  NEVER,
  named,
  netOptions,
  type ProgramRecord,
  programs,
  reveals,
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

export const TERRAFORM: readonly ProgramRecord[] = programs('terraform tofu', {
  subcommands: subcommands(
    [
      [
        'plan',
        {
          options: netOptions(TERRAFORM_HARMFUL, {
            ...TERRAFORM_WORDS,
            words: `${TERRAFORM_WORDS.words} -out:1`,
          }),
          reveals: reveals(/^-+show-s/),
          writes: (_, options) => options.flatMap(({ name, value }) => (name === '-out' && value ? [value] : [])),
        },
      ],
      ['version graph validate', { reads: true, options: TERRAFORM_READ }],
      // Without these words sensitive values are left out.
      ['output', { reads: true, options: TERRAFORM_READ, reveals: reveals(/^-+(?:json|raw|show-s)|^[^-]/) }],
      ['show', { reads: true, options: TERRAFORM_READ, reveals: reveals(/^-+(?:json|show-s)/) }],
      [
        'providers',
        {
          options: TERRAFORM_READ,
          subcommands: subcommands(
            [
              ['schema', { reads: true, options: TERRAFORM_READ }],
              ['mirror', { ...TERRAFORM_CHANGE, ...GROUP, writes: lastOperand }],
            ],
            { others: { ...TERRAFORM_CHANGE, ...GROUP }, optional: true },
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
          subcommands: subcommands(
            [['list show', { reads: true, options: netOptions(TERRAFORM_HARMFUL), reveals: reveals(/^-+show-s/) }]],
            {
              others: { ...TERRAFORM_CHANGE, ...GROUP },
            },
          ),
        },
      ],
      ['console', NEVER],
    ],
    // The folder of `-chdir` is judged as a path.
    { harmless: '-chdir -no-color', inside: '-chdir', others: NAMED },
  ),
});
