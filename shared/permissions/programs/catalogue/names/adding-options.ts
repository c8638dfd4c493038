/** Lists options that leave an earlier one of their name as it is: `-t a -t b` gives two tags. */

/** Names without dashes; `*` is every option of programs that test and check. */
const GROUPS: Readonly<Record<string, string>> = {
  'jest vitest ava mocha cypress playwright eslint biome oxlint stylelint tsc vue-tsc rspec rubocop phpunit phpstan psalm pest':
    '*',
  'shellcheck hadolint actionlint yamllint pytest py.test tox nox coverage mypy ruff black isort flake8 bandit pylint pyright':
    '*',
  'gcc g++ cc c++ clang clang++ protoc golangci-lint ctest cppcheck clang-tidy trivy semgrep pre-commit': '*',
  'docker podman nerdctl': 't tag p publish l label add-host',
  kubectl: 'f filename',
  'terraform tofu': 'target replace',
  curl: 'd data data-raw data-binary data-urlencode F form H header b cookie',
  wget: 'header',
  'npm pnpm yarn bun': 'w workspace filter F',
  'lerna nx turbo rush moon': 'filter F scope t target targets p projects',
  'gh glab': 'l label f raw-field F field H header a assignee r reviewer add-assignee add-reviewer',
  journalctl: 'u unit t identifier',
  'pg_dump mysqldump': 't table n schema T N',
  cargo: 'p package features F test bin example D W A',
  dotnet: 'logger l',
  'gradle gradlew': 'tests x',
  'bazel bazelisk': 'test_arg test_tag_filters',
  'mix swift': 'only filter',
  'pip pip3 uv': 'r requirement requirements c constraint e editable',
  cmake: 'target t',
  'ansible-playbook': 't tags e extra-vars',
};

const BY_PROGRAM: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(GROUPS).flatMap(([programs, names]) => {
    const options = new Set(names.split(' '));
    return programs.split(' ').map((program) => [program, options] as const);
  }),
);

/** Names that say so in any program, or that say how much it prints. */
const ANYWHERE =
  /^(?:(?:add-|remove-)?label|(?:exclude|include|ignore|skip|deselect|omit)|tail|since|until|lines|color|timeout)s?(?:-|$)|^v+$/;

/** Whether an option that comes again replaces nothing that anybody would mind. */
export function addsUp(program: string, names: readonly string[]): boolean {
  const listed = BY_PROGRAM.get(program);
  return names.some((name) => listed?.has('*') === true || listed?.has(name) === true || ANYWHERE.test(name));
}
