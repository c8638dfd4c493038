/** Describes the command lines of code forges. */

import { insideOnly } from '../record/elsewhere.ts';
import { optionSpec } from '../record/options.ts';
import { optionOrHere } from '../record/outputs.ts';
import { type CommandRecord, NAMED, type ProgramRecord, program, RUNS, set, subcommands } from '../record/record.ts';

const TEXTS =
  '--title --body --base --head --label --add-label --remove-label --reviewer --add-reviewer --assignee --add-assignee --milestone --project --subject --reason --comment --match-head-commit --author-email';

/** Writes about a change or an issue. Texts are no paths; `--body-file` names a file. */
const proposes = (values: string): CommandRecord => ({
  grant: 'subcommand',
  options: optionSpec({
    others: 'net',
    values: `${values}F`,
    longValues: `${TEXTS} --body-file`,
    long: '--draft --fill --fill-first --fill-verbose --squash --merge --rebase --auto --delete-branch --approve --request-changes',
    harmful: '--editor --web --recover --template --notes-file',
    value: insideOnly('-F', '--body-file'),
  }),
  paths: { texts: set(`${TEXTS} ${[...values].map((letter) => `-${letter}`).join(' ')}`) },
});

export const FORGES: readonly ProgramRecord[] = [
  program('gh', {
    subcommands: subcommands(
      [
        [
          'pr issue',
          {
            subcommands: subcommands([
              ['list view status diff checks', { reads: true, paths: { text: true } }],
              ['create edit', proposes('tbBHlrampT')],
              ['comment review close reopen', proposes('bc')],
              ['merge', proposes('tbA')],
              ['ready checkout', { grant: 'subcommand', paths: { text: true } }],
            ]),
          },
        ],
        [
          'run workflow release label status repo gist project cache ruleset variable',
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
        ['search', { reads: true, paths: { text: true } }],
        ['api', { grant: 'subcommand', paths: { texts: set('-f --raw-field -q --jq -H --header') } }],
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
        [
          'config',
          {
            subcommands: subcommands(
              [
                ['get list', { reads: true }],
                ['set', { grant: 'never', commandOptions: set('pager editor browser') }],
              ],
              { others: { grant: 'never' } },
            ),
          },
        ],
        ['extension ext alias codespace cs copilot', RUNS],
      ],
      { values: '-R --repo', harmless: '-R --repo', others: NAMED },
    ),
  }),
  program('glab', { subcommands: subcommands([], { values: '-R --repo', harmless: '-R --repo', others: NAMED }) }),
];
