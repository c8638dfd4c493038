/** Records of the command lines of code forges. */
import { optionSpec } from '../record/options.ts';
import { optionOrHere } from '../record/outputs.ts';
import { NAMED, type ProgramRecord, program, RUNS, subcommands } from '../record/record.ts';

export const FORGES: readonly ProgramRecord[] = [
  program('gh', {
    subcommands: subcommands(
      [
        [
          'pr issue',
          {
            subcommands: subcommands([
              ['list view status diff checks', { reads: true, paths: { text: true } }],
              [
                'create comment edit review close reopen ready merge checkout',
                { grant: 'subcommand', paths: { text: true } },
              ],
            ]),
          },
        ],
        [
          'run workflow release label search status repo gist project cache ruleset variable',
          {
            subcommands: subcommands(
              [
                ['list view watch', { reads: true, paths: { text: true } }],
                // The words behind `--` go to git.
                ['clone', { grant: 'subcommand' }],
                [
                  'download',
                  {
                    grant: 'subcommand',
                    options: optionSpec({
                      others: 'net',
                      values: 'DOpRnA',
                      longValues: '--dir --output --pattern --repo --name --archive',
                    }),
                    writes: optionOrHere('-D', '--dir', '-O', '--output'),
                  },
                ],
              ],
              { others: { grant: 'subcommand' } },
            ),
          },
        ],
        ['api', { grant: 'subcommand' }],
        [
          'auth',
          {
            subcommands: subcommands(
              [
                ['status', { reads: true, options: optionSpec({ values: 'h', longValues: '--hostname --active' }) }],
                ['token', { grant: 'never', implied: () => ['~/.config/gh/hosts.yml'] }],
              ],
              { others: { grant: 'never' } },
            ),
          },
        ],
        ['config', { subcommands: subcommands([['get list', { reads: true }]], { others: { grant: 'never' } }) }],
        ['extension ext alias codespace cs copilot', RUNS],
      ],
      { values: '-R --repo', harmless: '-R --repo', others: NAMED },
    ),
  }),
  program('glab', { subcommands: subcommands([], { values: '-R --repo', harmless: '-R --repo', others: NAMED }) }),
];
