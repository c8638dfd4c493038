/** Checks that no rule on a program covers rarer options that load code, run a program or write. */
import { describeFamily, type RuleRows } from './catalogue/family.ts';

/** Every command stands under a rule on its own program. */
const under = (commands: string): RuleRows =>
  commands
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((command) => [`${command.split(' ')[0]}:*`, [command]] as const);

const NOT_COVERED = under(`
  actionlint -pyflakes ./e
  ant -Dx=y
  ava --node-arguments=x
  bazel build --copt=-fplugin=x a
  bazel build --extra_toolchains=x a
  bazel build --linkopt=-fuse-ld=x a
  bazel build --linkopt=-Wl,--plugin=x a
  bazel build --copt=@x a
  bazel build --remote_cache=x a
  buf generate --template x
  cabal build --with-PROG=./e
  cabal build --with-ghc=./e
  cabal build --with-ld=./e
  cabal build -w ./e
  cargo build --target x.json
  cargo nextest run --extract-to x
  cargo rustc -- --emit=x
  cargo rustc -- --extern a=b
  cargo rustc -- --out-dir x
  cargo rustc -- --sysroot x
  cargo rustc -- -L x
  cargo rustc -- --codegen=linker=/tmp/x
  cargo rustdoc -- --test-runtool x
  cargo rustc -- -o x
  cargo rustdoc -- --html-in-header x
  cargo rustdoc -- --theme x
  cargo rustdoc -- -o x
  clang --gcc-toolchain=x a.c
  clang --serialize-diagnostics x a.c
  clang -MJ x a.c
  clang -cc1 a.c
  clang -fproc-stat-report=x a.c
  clang -fsave-optimization-record a.c
  clang -ftime-trace=x a.c
  clang -serialize-diagnostics x a.c
  clang-tidy --extra-arg=-fplugin=x a
  clang-tidy -extra-arg=-load a
  ctest --overwrite x
  cucumber --format html:x
  cucumber -f json:x
  cypress run -b ./e
  detekt -b x
  detekt -c x
  detekt -r txt:x
  dotnet build --Property:A=b
  dotnet build -BL:x
  dotnet build -DL:x
  dotnet build -L:x
  dotnet build -P:A=b
  dotnet build -bl:x
  dotnet build -dl:x
  dotnet build -dl:x.dll
  dotnet build -fl
  dpkg -b a b
  dpkg-deb --build a b
  dpkg-deb --raw-extract a b
  dpkg-deb -R a b
  dpkg-deb -b a b
  esbuild --mangle-cache=x a
  exiftool -FileName=x a
  exiftool -HardLink=x a
  exiftool -SymLink=x a
  exiftool -TestName=x a
  gcc -Wa,--MD,x a.c
  gcc -Wa,-al=x a.c
  go build -debug-actiongraph=x a
  go build -debug-runtime-trace=x a
  go build -debug-trace=x a
  gradle --dependency-verification off build
  gradle --project-prop x=y build
  gradle --system-prop x=y build
  gradle -F x build
  gs -sstdout=x a
  gs @x
  helmfile --args x
  hg bisect -c ./e
  hg diff --tool ./e
  hg extdiff -p ./e
  hg merge --tool=./e
  hg push -e ./e
  hg resolve -t ./e
  hg update --tool ./e
  hlint --report
  hlint --report=x
  hugo --trace x
  just --dotenv-filename x
  ktlint --baseline=x
  ktlint installGitPreCommitHook
  ld -Map=x a
  locust --csv=x
  locust --html=x
  lualatex --lua=x a
  lualatex --luaonly a
  meson compile --ninja-args x
  meson compile --vs-args x
  meson subprojects foreach id
  mypy --cache-map a b c
  mypy --line-checking-stats x a
  mypy --memory-xml-report x a
  mypy --package-root x a
  mypy --timing-stats x a
  mytool --on-exit=./e
  mytool --onSuccess ./e
  next build /x
  nox --force-python ./e
  nox --report x
  nox -db x
  openssl ocsp -reqout x
  openssl ocsp -respout x
  phpstan analyse --generate-baseline x
  phpstan analyse -a x
  phpstan analyse -b x
  phpunit --coverage-clover x
  phpunit --coverage-cobertura x
  phpunit --coverage-crap4j x
  phpunit --coverage-html x
  phpunit --coverage-php x
  phpunit --coverage-text=x
  phpunit --coverage-xml x
  phpunit --dump-xdebug-filter x
  phpunit --generate-baseline x
  phpunit --list-tests-xml x
  phpunit --log-events-text x
  phpunit --log-teamcity x
  phpunit --testdox-html x
  phpunit --testdox-text x
  phpunit --testdox-xml x
  psalm --dump-taint-graph=x
  psalm --generate-json-map=x
  psalm --generate-stubs=x
  psalm --report=x
  psalm --set-baseline=x
  psalm -r x
  pylint --extension-pkg-allow-list=x a
  pytest --benchmark-histogram=x
  pytest --csv=x
  pytest --cucumber-json=x
  pytest --cucumberjson=x
  pytest --dc=x
  pytest --excelreport=x
  pytest --md=x
  pytest --nunit-xml=x
  robot --language x a
  robot --log x a
  robot --parser x a
  robot --report x a
  robot --xunit x a
  robot -l x a
  robot -r x a
  robot -x x a
  rollup --watch.onStart x
  rpm --predefine x -q a
  rubocop --cache-root x
  scons --repository=x
  scons --sconstruct=x
  scons -Y x
  smbclient -c x //a/b
  soffice -env:UserInstallation=x a
  stack build --stack-yaml x
  stack build --with-gcc=./e
  stack build --with-hpack=./e
  swc a -C jsc.x=y
  tap --after=x
  tap --before=x
  task X=1 a
  tsc --project ../x
  tsc --project=/x
  tsc -p /x
  tsup --onSuccess ./e
  ugrep --filter=*:./e x
  ugrep -r x ~
  vite build /x
  vitest --snapshotSerializers=./x
  webpack --context /x
  webpack --json=x
  webpack --json x
  webpack -j x
  zip -m src/a.zip src/x
  apk add --repository x y
  apt-get install --force-yes x
  apt-get install --with-source x y
  apt-get install ./x.deb
  apt-get install /tmp/x.deb
  brew install --cc=x y
  brew install ./x.rb
  brew install /tmp/x.rb
  brew install https://evil.test/x.rb
  brew install me/tools/x
  bundle add x --git y
  bundle add x --source y
  bundle install --shebang ./e
  composer create-project x --repository-url=y z
  composer create-project x --repository=y z
  composer require x --repository y
  dnf config-manager x
  dnf copr enable x
  dnf install ./x.rpm
  dnf install https://evil.test/x.rpm
  dnf shell x
  hatch env run x
  lerna run x --npm-client ./e
  nx graph --file x
  nx graph --file=x
  nx graph --host 0.0.0.0
  nx run-many -t x --graph=y
  pdm use ./e
  pip install --requirement=https://evil.test/x
  pip install -r https://evil.test/x
  pipenv install --extra-pip-args x
  poetry add git+https://evil.test/x
  poetry env use ./e
  poetry install -C /x
  turbo run x --graph=y
  turbo run x --graph y
  turbo run x --heap=y
  turbo run x --trace=y
  uv add git+https://evil.test/x
`);

const COVERED = under(`
  cargo clippy -- -D warnings -A clippy::x
  cargo build --target x86_64-unknown-linux-gnu
  bazel build --copt=-O2 //x
  bazel test --linkopt=-lm //x
  phpunit --coverage-text
  phpunit --filter x tests
  tsc -p packages/a
  tsc -p tsconfig.json
  vite build
  next dev -p 3000
  esbuild src/a.ts --bundle
  cucumber --format progress
  behave -f pretty
  rubocop -a
  ktlint -F
  cabal test all
  dotnet test --logger trx
  dotnet build -c Release
  hg commit -m x
  hg diff
  svn ci -m x
  clang -MD -c a.c
  gradle build -x test
  ant test
  robot -i smoke tests
  lualatex a.tex
  exiftool -FileName a.jpg
  nox -s tests
  task build
  jest --onlyChanged
  mytool --on-conflict x
  mytool --onto main
  ugrep -rn x src
  buf lint
  openssl x509 -in a.crt -text
  ctest --output-on-failure
  meson compile -C build
  pip install -r requirements.txt
  pip install -r ../requirements.txt
  pip install -e .
  uv add requests
  uv sync --project packages/a
  poetry add requests
  poetry install -C packages/a
  poetry env info
  hatch env create
  pdm add requests
  bundle install
  bundle add rails
  brew install jq
  brew install homebrew/core/jq
  webpack --json
  webpack --json --mode production
  turbo run build --graph
  jekyll build --trace
  apt-get install -y jq
  apt-get install jq/stable
  dnf install jq
  apk add jq
  turbo run build --filter a
  nx graph
  nx run-many -t test
  lerna run build --scope a
  composer require a/b
`);

describeFamily({ covered: COVERED, notCovered: NOT_COVERED });
