/** Describes package managers of systems and machines, and of versions of languages. */
import { noOtherTap, noPackageFile } from '../record/elsewhere.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  SHOWS,
  subcommands,
} from '../record/record.ts';

export const SYSTEM_PACKAGES: readonly ProgramRecord[] = [
  program('brew', {
    subcommands: subcommands(
      [
        ['list info search outdated deps leaves', SHOWS],
        ['sh ruby irb bundle', RUNS],
        ['services tap', NAMED],
        ['edit create extract', NEVER],
      ],
      {
        values: '',
        harmless: '-q --quiet -v --verbose',
        others: { options: netOptions('--cc', { operands: noOtherTap }) },
      },
    ),
  }),
  ...programs('apt apt-get aptitude dnf yum zypper apk pacman', {
    each: true,
    options: netOptions('-o --option -c --config-file --root --installroot --config'),
    subcommands: subcommands(
      [
        ['list search show policy info', SHOWS],
        ['edit-sources', NEVER],
        ['config-manager copr shell', NAMED],
      ],
      {
        values: '-o --option -t --target-release -c',
        harmless: '-y --yes -q -qq --quiet --no-install-recommends',
        others: {
          options: netOptions(
            '-o --option -c --config-file --root --installroot -X --repository --setopt --repofrompath --hookdir --dbpath -b -r --nogpgcheck --allow-untrusted --allow-unauthenticated --force-yes --with-source',
            { operands: noPackageFile },
          ),
        },
      },
    ),
  }),
  ...programs('apt-cache winget choco scoop port', {
    subcommands: subcommands([['list search show showpkg policy info outdated depends rdepends madison', SHOWS]], {
      others: NAMED,
    }),
  }),
  ...programs('rustup', {
    subcommands: subcommands(
      [
        ['run', { runner: runner('named', { flags: '--install', anywhere: true }) }],
        ['show', SHOWS],
        [
          'toolchain',
          {
            subcommands: subcommands(
              [
                ['list', SHOWS],
                ['link', NEVER],
              ],
              { others: {} },
            ),
          },
        ],
      ],
      { others: {} },
    ),
  }),
  ...programs('nvm fnm volta pyenv rbenv nodenv goenv jenv sdk', {
    subcommands: subcommands(
      [
        ['exec run', RUNS],
        ['ls list current version versions which', SHOWS],
        ['use', NAMED],
      ],
      { others: NAMED },
    ),
  }),
  program('corepack', {
    subcommands: subcommands(
      [
        ...['npm', 'pnpm', 'yarn'].map((name): [string, CommandRecord] => [name, { ...RUNS, also: name }]),
        ['use install up prepare', NEVER],
      ],
      { others: {} },
    ),
  }),
  ...programs('mise rtx asdf devbox', {
    subcommands: subcommands(
      [
        ['exec x run shell env', RUNS],
        ['ls list current version which', SHOWS],
        ['install', NAMED],
      ],
      { others: NEVER },
    ),
  }),
  ...programs('nix-shell nix-build opam guix', RUNS),
];
