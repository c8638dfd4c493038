/** Describes the command lines of code forges. */
import { insideOnly, targetInside } from '../record/elsewhere.ts';
import { filterProblem, sentFile } from '../record/gh-words.ts';
import { optionSpec } from '../record/options.ts';
import { optionOrHere } from '../record/outputs.ts';
import {
  type CommandRecord,
  GROUP,
  NAMED,
  named,
  net,
  netOptions,
  type ProgramRecord,
  program,
  RUNS,
  set,
  subcommands,
} from '../record/record.ts';

const TEXTS =
  '--title --body --base --head --label --add-label --remove-label --reviewer --add-reviewer --assignee --add-assignee --milestone --project --subject --reason --comment --match-head-commit --author-email';

/** Writes about a change or an issue. Texts are no paths; `--body-file` names a file. */
const proposes = (values: string): CommandRecord => ({
  grant: 'subcommand',
  options: netOptions('--editor --web --recover --template --notes-file', {
    values: `${values}F`,
    longValues: `${TEXTS} --body-file`,
    long: '--draft --fill --fill-first --fill-verbose --squash --merge --rebase --auto --delete-branch --approve --request-changes',
    value: insideOnly('-F', '--body-file'),
  }),
  paths: { texts: set(`${TEXTS} ${[...values].map((letter) => `-${letter}`).join(' ')}`) },
});

/** Shows what is there, chosen by texts. */
const SHOWS_CHOSEN: CommandRecord = {
  reads: true,
  options: netOptions('', {
    flags: 'wcdax',
    values: 'SLlAsqtBHbRj',
    longValues:
      '--search --label --author --assignee --state --limit --json --jq --template --workflow --branch --milestone --event --user --repo --job --sort --order --base --head',
    whole: filterProblem,
  }),
  paths: { text: true },
};

/** `gh release upload v1 FILE#LABEL`. */
const beforeLabel = (text: string): readonly string[] => (text.includes('#') ? [text.split('#')[0] as string] : []);

export const FORGES: readonly ProgramRecord[] = [
  program('gh', {
    subcommands: subcommands(
      [
        [
          'pr issue',
          {
            subcommands: subcommands(
              [
                ['list view status diff checks', SHOWS_CHOSEN],
                ['create edit', proposes('tbBHlrampT')],
                ['comment review close reopen', proposes('bc')],
                ['merge', proposes('tbA')],
                ['ready checkout', { grant: 'subcommand', paths: { text: true } }],
              ],
              { others: NAMED },
            ),
          },
        ],
        [
          'run workflow release label status repo gist project cache ruleset variable',
          {
            subcommands: subcommands(
              [
                ['list view watch', SHOWS_CHOSEN],
                ['upload create', { grant: 'subcommand', paths: { scriptFiles: beforeLabel } }],
                // The words behind `--` go to git.
                ['clone', named('', { operands: targetInside })],
                [
                  'download',
                  {
                    grant: 'subcommand',
                    options: netOptions('', {
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
        ['search', SHOWS_CHOSEN],
        [
          'api',
          {
            grant: 'subcommand',
            options: netOptions('', {
              flags: 'i',
              values: 'XHfFqtp',
              longValues: '--jq --template --method --header --raw-field --field --cache --preview',
              whole: (words) => filterProblem(words) ?? sentFile(words),
            }),
            paths: { texts: set('-f --raw-field -q --jq -H --header') },
          },
        ],
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
  program('glab', {
    subcommands: subcommands(
      [
        ['alias', RUNS],
        [
          'repo',
          {
            subcommands: subcommands([['clone', { ...GROUP, ...net('', { operands: targetInside }) }]], {
              others: GROUP,
            }),
          },
        ],
      ],
      { values: '-R --repo', harmless: '-R --repo', others: NAMED },
    ),
  }),
];
