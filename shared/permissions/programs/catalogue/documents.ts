/** Records what builds and checks documents, and loads code that its options name. */
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { operandsInside, targetInside } from '../record/elsewhere.ts';
import { optionFile } from '../record/option-files.ts';
import { HERE, lastOperand, outputBehind, secondOperand, written } from '../record/outputs.ts';
import { NAMED, net, type ProgramRecord, program, programs, RUNS, set, subcommands } from '../record/record.ts';

/** A word of TeX is code where it begins with a backslash. */
const isCode = ({ text }: Field): boolean => text.startsWith('\\') || text.startsWith('&');

const behindColon = ({ text }: Field): Field => literalField(text.slice(text.lastIndexOf(':') + 1));

/** `snapshot save FILE`. */
const SNAPSHOT = ['snapshot', { subcommands: subcommands([['save', { writes: lastOperand }]]) }] as const;

/** Tags of exiftool that give the file another name, in any case: `-FileName=x`, `-file:directory<x`. */
const MOVES = /^-(?:\w+:)*(?:filename|directory|testname|hardlink|symlink)[#+-]?[=<]/i;
const movesFile = (words: readonly Field[]): string | undefined =>
  words.some(({ text }) => MOVES.test(text)) ? 'a tag that moves or links the file' : undefined;

export const DOCUMENTS: readonly ProgramRecord[] = [
  ...programs('tex latex pdftex pdflatex xetex xelatex luatex lualatex latexmk tectonic', {
    ...net('-e -r -aux-directory -jobname -fmt --lua --luaonly --luaconly', {
      texts: ['shell-escape', 'write18'],
      operands: (operands) => (operands.some(isCode) ? 'code of TeX' : undefined),
    }),
  }),
  ...programs('groff troff nroff pic eqn', net('-U -M -F')),
  ...programs(
    'gs ghostscript',
    net('-c -f', { texts: ['NOSAFER', 'DELAYSAFER', '%pipe', '--permit', 'stdout='], operands: optionFile }),
  ),
  program('inkscape', net('--actions --export-filename --export-overwrite --pipe')),
  program(
    'exiftool',
    net('-if -if2 -p -@ -config -execute -api -userParam -w -W -tagsFromFile', { texts: ['<'], whole: movesFile }),
  ),
  ...programs('soffice libreoffice unoconv', {
    ...net('-env --accept', {
      texts: ['-env:'],
      operands: (operands) => (operands.some(({ text }) => text.includes(':')) ? 'a macro or an address' : undefined),
    }),
    grant: 'subcommand',
  }),
  program('sphinx-build', {
    ...net('-c -D -d -w', { values: 'bjAtM', longValues: '--builder --jobs --tag --html-define' }),
    writes: secondOperand,
  }),
  ...programs('mkdocs jekyll', net('-f -d -p -s --destination --source', { operands: operandsInside })),
  program('hugo', net('-f -d -p -s --destination --source --trace', { operands: operandsInside })),
  ...programs('asciidoctor asciidoctor-pdf', net('-r -T -E -I -B -D')),
  ...programs('postcss remark rehype', net('-u --use -r -d')),
  program('markdownlint-cli2', net('--rules')),
  program('depcruise dependency-cruiser', net('-T --output-type -f --validate -v')),
  program('commitlint', net('-g -x --extends --parser-preset')),
  ...programs(
    'cucumber behave tape tap',
    net('-r --node-arg -n -D --steps --before --after', {
      values: 'f',
      longValues: '--format',
      // `html:FILE` writes there.
      value: (_, value) => (/[:./]/.test(value.text) ? 'a report in a place of its own' : undefined),
    }),
  ),
  program(
    'robot pybot',
    net(
      '--listener --variablefile --pythonpath -P -A -V -d --prerunmodifier --prerebotmodifier --parser --language -l --log -r --report -x --xunit -o',
    ),
  ),
  program('testcafe', {
    ...net('-a --app -c', {
      operands: (operands) => (operands.some(({ text }) => text.startsWith('path:')) ? 'a program' : undefined),
    }),
  }),
  program('prove', net('-e -I -P -M -a --harness --source --archive')),
  program('checkov', net('--external-checks-git --external-checks-dir')),
  program(
    'clang-tidy',
    net('-export-fixes -vfsoverlay', {
      operands: optionFile,
      texts: ['-fplugin', '-fpass-plugin', '=-load', '=-Xclang'],
    }),
  ),
  program('cloc', {
    ...net(
      '--extract-with --ignored --counted --found --categorized --strip-comments --strip-code --sql --write-lang-def --write-lang-def-incl-dup --diff-alignment --read-lang-def --force-lang-def',
      { long: '--diff --git --by-file --by-file-by-lang', longValues: '--vcs', value: systemProblem },
    ),
    commandOptions: set('--extract-with --vcs'),
  }),
  program('cppcheck', net('--clang --project --library --dump')),
  ...programs(
    'ktlint detekt',
    net('-R --ruleset --reporter -p -r --report -b --baseline -c', {
      // `installGitPreCommitHook` writes a hook.
      operands: (operands) => (operands.some(({ text }) => /^install/.test(text)) ? 'a hook' : undefined),
    }),
  ),
  program('hlint', net('--with-refactor --refactor-options -h --hint --report')),
  ...programs('gitleaks semgrep', net('-r -c --log-opts')),
  program(
    'ldd',
    net('', { operands: (operands) => (operands.every(isInstalled) ? undefined : 'a file that ldd may run') }),
  ),
  program('trivy', { subcommands: subcommands([['plugin module', RUNS]], { others: net('-o') }) }),
  program('snakemake', net('-s --cluster --cluster-sync --drmaa --jobscript -d --profile')),
  program('dvc', { subcommands: subcommands([['run stage', RUNS]]) }),
  program('mlflow', { subcommands: subcommands([['run', RUNS]]) }),
  program('helmfile', net('-b --helm-binary --kustomize-binary -f --args --diff-args --sync-args')),
  program('consul', { subcommands: subcommands([['exec watch lock', RUNS], SNAPSHOT]) }),
  program('etcdctl', { subcommands: subcommands([['watch lock elect exec-watch', RUNS], SNAPSHOT]) }),
  program('launchctl', { subcommands: subcommands([['submit bsexec asuser load bootstrap kickstart', RUNS]]) }),
  ...programs('foreman honcho overmind hivemind', { subcommands: subcommands([['run exec connect', RUNS]]) }),
  program('chezmoi', {
    subcommands: subcommands([['execute-template cd edit git init apply update merge', RUNS]]),
  }),
  program('rpm', {
    each: true,
    ...net('-E --eval --pipe --define -D --load --macros --root --qf --queryformat --predefine'),
  }),
  ...programs('dpkg dpkg-deb', {
    each: true,
    ...net(
      '--pre-invoke --post-invoke --status-logger --log --root --instdir --admindir -x --extract --vextract -e -b --build -R --raw-extract',
    ),
  }),
  program('virtualenv venv', {
    ...net('-p --python', { operands: operandsInside }),
    commandOptions: set('-p --python'),
  }),
  // With one operand they print. For sass, `a:b` is another way to write `a b`.
  ...programs('sass lessc', {
    ...net(''),
    writes: (operands) => {
      const pairs = operands.filter(({ text }) => text.includes(':'));
      return pairs.length > 0 ? pairs.map(behindColon) : written(outputBehind(operands, 2));
    },
  }),
  program('jar', {
    ...net('-C -x -c -u'),
    // The letters come first: `x` unpacks, `c` and `u` write the archive behind them.
    writes: ([letters, ...files]) => {
      const does = letters?.text ?? '';
      return does.includes('x') ? HERE : /[cu]/.test(does) ? written(files.slice(0, 1)) : [];
    },
  }),
  ...programs('hg svn bzr fossil', {
    subcommands: subcommands(
      [
        [
          'clone checkout co export',
          net('', {
            values: 'rub',
            longValues: '--rev --updaterev --branch --revision --username --depth',
            operands: targetInside,
          }),
        ],
        ['archive init', net('', { operands: operandsInside })],
        ['extdiff kdiff3 vdiff meld bisect', NAMED],
        ['resolve', net('-t --tool')],
        ['bundle', net('', { operands: operandsInside })],
      ],
      // `hg push -e CMD` is `--ssh CMD`.
      { others: net('-e --tool'), harmless: '-q --quiet -v --verbose' },
    ),
  }),
  program('wkhtmltopdf wkhtmltoimage', { ...net(''), writes: lastOperand }),
  ...programs('chromium chromium-browser google-chrome chrome', net('--screenshot --print-to-pdf')),
  ...programs('apropos whatis', net('-C')),
];

const SYSTEMS = set('auto git svn');

/** Another version control system is a command that lists files. */
function systemProblem(name: string, value: Field): string | undefined {
  return name === '--vcs' && !SYSTEMS.has(value.text) ? 'a command that lists files' : undefined;
}

/** In a folder of the system's own programs and libraries. */
const isInstalled = ({ text, isKnown }: Field): boolean =>
  isKnown && !text.includes('..') && /^\/(?:usr|bin|sbin|lib|lib64|opt)\//.test(text);
