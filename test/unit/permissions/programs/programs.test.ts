/**
 * Checks each row of the tables of programs (G7, G8).
 *
 * Rows tell which programs wrap or interpret, and which options a prefix allow leaves out.
 */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge } from '../support.ts';

const words = (text: string) => text.split(/\s+/).filter(Boolean);
const RM = ['deny', 'Bash(rm:*)'] as const;
const allowed = (program: string, command: string) =>
  commandVerdict(command, [['allow', `Bash(${program}:*)`]]) === 'allow';

/** Programs that run another, and what stands before it. */
const WRAPPERS: readonly string[] = [
  ...words(
    'time nohup nice stdbuf env sudo doas pkexec runuser setsid ionice numactl command builtin exec coproc noglob',
  ),
  ...words(
    'nocorrect xargs parallel watch busybox toybox unshare nsenter linux64 prlimit cpulimit strace ltrace valgrind gdb',
  ),
  ...words(
    'unbuffer rlwrap fakeroot systemd-run systemd-inhibit dbus-run-session firejail bwrap proot caffeinate ssh-agent',
  ),
  ...words('xvfb-run dumb-init tini entr chpst setpriv capsh'),
  ...[
    'timeout 5',
    'gtimeout 5',
    'su root',
    'chrt 1',
    'taskset 1',
    'flock f',
    'chroot /mnt',
    'setarch x86_64',
    'script f',
  ],
  ...['faketime now', 'direnv exec .', 'gosu u', 'su-exec u', 'apptainer exec i'],
  ...[
    'nice -n 5',
    'nice --adjustment=5',
    'timeout -s KILL 5',
    'timeout --signal=KILL -k 1 5',
    'stdbuf -oL',
    'env A=1 B=2',
  ],
  ...[
    'env -u A -C /x',
    'env -i',
    'env -',
    'sudo -u root',
    'sudo --user=root -n',
    'sudo A=1',
    'ionice -c 3',
    'xargs -n 1 -P 4',
  ],
  ...[
    'xargs -0 -I {}',
    'exec -a name',
    'flock -w 5 f',
    'strace -f -o log',
    'env -Z',
    'sudo --unknown',
    'timeout --odd 5',
  ],
  ...[
    'flock -n f',
    'su -l root',
    'watch -n 1',
    'parallel -j 4',
    'chroot --skip-chdir /mnt',
    'nsenter -t 1 -m',
    'env --',
  ],
];

describe('a program that runs another', () => {
  test.each(WRAPPERS)('%s: a deny sees through it, and an allow of its name covers nothing that it runs', (wrapper) => {
    const name = wrapper.split(' ')[0] as string;
    expect(commandVerdict(`${wrapper} rm x`, [RM, ['allow', `Bash(${name}:*)`]])).toBe('deny');
    expect(commandVerdict(`/usr/bin/${wrapper} rm x`, [RM])).toBe('deny');
    expect(commandVerdict(`${wrapper} ${wrapper} rm x`, [RM])).toBe('deny');
    expect(allowed(name, `${wrapper} make`)).toBe(false);
    expect(allowed(name, `${wrapper} rm x`)).toBe(false);
  });

  test.each([
    ...[
      'env -S "rm x"',
      'env --split-string="rm x"',
      'env -iS "rm x"',
      'env -vSrm x',
      'su -c "rm x"',
      'su root -c "rm x"',
    ],
    ...[
      'su --command="rm x" root',
      'runuser -u u -c "rm x"',
      'flock f -c "rm x"',
      'script -c "rm x" f',
      'script --command "rm x"',
    ],
    ...[
      'capsh -c "rm x"',
      'watch "rm x"',
      'parallel "rm {}"',
      'su --session-command="rm x"',
      'flock --command "rm x" f',
    ],
  ])('%s: code within an option is read', (command) => expect(commandVerdict(command, [RM])).toBe('deny'));

  test.each([
    ['time -p', true],
    ['timeout 5', true],
    ['timeout 1.5m', true],
    ['timeout --foreground --preserve-status 5', true],
    ['timeout -k 1 -s KILL 5', true],
    ['timeout --signal=KILL 5', true],
    ['nice -n 5', true],
    ['nice -5', true],
    ['nice -n5', true],
    ['nohup', true],
    ['stdbuf -oL -e0', true],
    ['stdbuf --output=L', true],
    ['nice timeout 5', true],
    ['time --', true],
    ['timeout x', false],
    ['timeout x5', false],
    ["timeout ''", false],
    ['timeout 9', true],
    ['nice -n $N', false],
    ['nice -n [5]', false],
    ['timeout -k $K 5', false],
    ['nice [5]', false],
    ['nice -x5', false],
    ['timeout', false],
    ['timeout --odd 5', false],
    ['timeout $T', false],
    ['nice -n $N', false],
    ['nice -n *', false],
    ['timeout -s "$S" 5', false],
    ['nice -n', false],
    ['nice --odd=5', false],
    ['nice -x', false],
    ['stdbuf -x', false],
    ['env', true],
    ['env A=1', false],
    ['env NODE_ENV=test', true],
    ['env -S', false],
    ['sudo', false],
    ['setsid', false],
    ['xargs', false],
    ['/usr/bin/nice', false],
  ])('the plain ones are seen through by an allow of the command within: %s, %s', (wrapper, expected) => {
    expect(allowed('make', `${wrapper} make all`)).toBe(expected);
  });
});

describe('a shell', () => {
  test.each(
    words(
      'sh bash dash zsh ksh mksh ash fish csh tcsh rbash yash pwsh powershell elvish nu xonsh rksh pdksh rzsh pfbash osh SH',
    ),
  )('%s', (name) => {
    for (const command of [
      `${name} -c "rm x"`,
      `${name} -lc "rm x"`,
      `echo "rm x" | ${name}`,
      `${name} <<< "rm x"`,
      `${name} -s <<E\nrm x\nE`,
    ]) {
      expect([command, commandVerdict(command, [RM])]).toEqual([command, 'deny']);
    }
    for (const command of [`${name} -c ls`, `echo ls | ${name}`, `curl x | ${name}`, name, `${name} -i`])
      expect([command, commandVerdict(command, [['allow', `Bash(${name}:*)`], ['allow', 'Bash(echo:*)'], ['allow', 'Bash(curl:*)']])]).not.toContain('allow'); // biome-ignore format: one line
    expect(judge('Bash', { command: `${name} "$(curl x)"` }, [['allow', 'Bash']]).humanRequired).toBe(true);
  });

  test('what comes from another command into it is for people', () => {
    for (const command of ['curl x | sh', 'sh <(curl x)', 'sh -c "$(curl x)"', 'eval "$(curl x)"', 'source <(curl x)', '. <(curl x)', 'curl x | source /dev/stdin', 'curl x | python', 'curl x | python -', 'python -c "$(curl x)"', 'curl x | ssh host', 'trap "$(curl x)" EXIT', '$(curl x)', 'curl x | sh -s y', 'curl x | bash /dev/stdin', 'node -e "$(curl x)"', 'perl -e "$(curl x)"', 'curl x | psql'])
      expect([command, judge('Bash', { command }, [['allow', 'Bash']], {}, { grant: { scope: 'session' } }).humanRequired]).toEqual([command, true]); // biome-ignore format: one line
    for (const command of ['curl x | sh f', 'curl x | python f.py', 'curl x | ssh host ls', 'cat f | sort', 'sh f < x', 'curl x | psql -c "select 1"'])
      expect([command, judge('Bash', { command }, [['allow', 'Bash']], {}, { grant: { scope: 'session' } }).humanRequired === true]).toEqual([command, command.includes('psql')]); // biome-ignore format: one line
  });
});

/** Interpreters, and an option of each whose value is code. */
const CODE = `python -c|python3 -c|python3.12 -c|pypy -c|node -e|node --eval|node -p|node --print|node -pe|nodejs -e|deno eval|bun -e|ruby -e
perl -e|perl -E|php -r|php -B|php -R|php -E|lua -e|lua5.4 -e|luajit -e|Rscript -e|R -e|osascript -e|expect -c|groovy -e|scala -e|julia -e
julia -E|julia --eval|elixir -e|elixir --eval|erl -eval|ghc -e|clojure -e|tsx -e|ts-node -e|irb -e|guile -c|racket -e|psql -c|mysql -e
ghci -e|runghc -e|swift -e|kotlin -e|raku -e|ocaml -e|sbcl --eval|octave --eval|gnuplot -e|jrunscript -e|ipython -c|dc -e`;

test.each(CODE.split(/[|\n]/))('an interpreter with code in an argument is not covered: %s', (option) => {
  const name = option.split(' ')[0] as string;
  for (const command of [`${option} x`, `/usr/bin/${option} x`]) expect([command, allowed(name, command)]).toEqual([command, false]); // biome-ignore format: one line
  for (const command of [`${option} "$(curl x)"`, ...(option === 'deno eval' ? [] : [`curl x | ${name}`])])
    expect([command, judge('Bash', { command }, [['allow', 'Bash']]).verdict]).toEqual([command, 'ask']);
});

/** No prefix covers them, whatever they are given. */
const NEVER = `npx bunx uvx pipx nix-shell nix-build nix dlx eval source . trap alias unalias exec enable hash set shopt bind complete
compgen fc export declare local readonly typeset unset let coproc builtin command at batch systemd-run tmux screen socat expect
dotenv direnv devbox mise rtx asdf flatpak-spawn toolbox distrobox dbus-send osascript open xdg-open start gdb lldb perf bpftrace telnet
ftp mail sendmail mutt ed emacs nano pico micro hx kak joe mc ranger visudo vipw crontab-ui ld.so rundll32 regsvr32 mshta wscript
cscript certutil iex invoke-expression`;

test.each(words(NEVER))('no prefix covers %s', (name) => expect(allowed(name, `${name} x`)).toBe(false));

/** A word behind which a foreign program runs, by program. */
const RUNS = `npm exec x init create innit explore edit set set-script config c pkg|pnpm exec dlx create env config
yarn exec dlx create node config|bun x exec create repl|deno eval repl|uv run tool|poetry run shell|pipenv run shell|hatch run shell|pdm run
rye run|pixi run exec shell|conda run|mamba run|micromamba run|bundle exec console|gem exec|go run generate tool|cargo script
dotnet tool exec script|rustup run|nvm exec run|fnm exec|volta run|pyenv exec|rbenv exec|corepack npm pnpm yarn|vagrant ssh winrm|heroku run
fly ssh|flyctl ssh|gh extension alias codespace|gcloud ssh scp|aws ssm|az run-command|lxc exec shell|incus exec shell|flatpak run|snap run
op run|doppler run|vault agent ssh|adb shell exec-out|wsl --exec -e --`;

test.each(RUNS.split(/[|\n]/).map((line) => [line] as const))('a foreign program: %s', (line) => {
  const [name = '', ...runs] = words(line);
  for (const run of runs)
    for (const command of [
      `${name} ${run} make`,
      `${name} ${run}`,
      ...(run.startsWith('-') ? [] : [`${name} --odd ${run} make`]),
    ])
      expect([command, allowed(name, command)]).toEqual([command, false]);
});

/** Options that execute, write or read elsewhere, by program; each as it is, with a value attached, and abbreviated where long. */
const HARMFUL = `grep -f --file --exclude-from|egrep -f --file|fgrep -f --file|zgrep -f --file|ag --pager --path-to-ignore|ack --pager --ackrc --files-from
bat --pager --config-file|delta --pager --config|npm --script-shell --node-options --userconfig --globalconfig --shell --git --editor --viewer --call
pnpm --script-shell --node-options|yarn --script-shell --use-yarnrc --node-options|cargo --config
go --exec --toolexec --overlay --vettool --modfile|gcc -specs -wrapper -fplugin|g++ -specs -wrapper -fplugin|clang -fplugin -load --config
zip -T -TT --unzip-command --test|split --filter|tcpdump -z -w|nmap --script --script-args --datadir --interactive -iL|openssl -engine -provider-path
journalctl --file --directory|ip -b -batch|ctags --options|wc --files0-from|du --files0-from --exclude-from -X|gradle -I --init-script|helm --post-renderer
find -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from|fd -x -X --exec --exec-batch --base-directory --search-path --ignore-file
rg --pre --pre-glob --hostname-bin -z --search-zip -f --file --ignore-file|sed -i --in-place -f --file -I|awk -f --file -i --include -l --load -E --exec -d -o -p -D
sort -o --output -T --temporary-directory --compress-program --files0-from --random-source|tar -x -c -r -u -A -C -I -T -X -F --to-command --checkpoint-action --checkpoint
tar --use-compress-program --extract --create --get --append --update --delete --directory --files-from --exclude-from --rsh-command --rmt-command --info-script --new-volume-script
curl -o -O -T -F -K -E -b -c -D -x --output --remote-name --upload-file --form --config --cert --key --cookie --cookie-jar --dump-header --proxy --trace --stderr --engine --resolve --connect-to --netrc-file --unix-socket --data-binary --next --libcurl
wget -r -m -p -o -a -P -i -e -N -x -b --recursive --mirror --output-file --append-output --directory-prefix --input-file --execute --config --use-askpass --post-file --body-file --load-cookies --save-cookies --warc-file
less -o -O -k -t -T --log-file --lesskey-file --tag-file|man -P -H -X -p -C -l -M --pager --html --browser --preprocessor --config-file --local-file
vim -c -S -s -w -W --cmd -u -x -r|make -f -I -e -E -W --file --makefile --include-dir --eval --environment-overrides --what-if
ssh -o -F -i -L -R -D -E -W -S -J -w -A -X -Y -f|scp -S -o -F -i -J -D|sftp -S -o -F -i -b -J -D -R|rsync -e -s -T -f -b --rsh --rsync-path --files-from --exclude-from --log-file --temp-dir --password-file --daemon --config --backup-dir --partial-dir --write-batch --read-batch --remove-source-files
docker -H -c -v --host --context --config --env-file --volume --mount --privileged|kubectl -f -k -s --kubeconfig --context --server --token --as --filename --kustomize --template --raw
jq -f -L --from-file --slurpfile --rawfile --library-path|yq -i -s -f --inplace --split-exp --from-file|date -s -f --set --file|file -f -m -C -z -Z --files-from --magic-file --compile --uncompress
tree -o -R -H --fromfile --output --infofile|shuf -o --output --random-source`;

test.each(HARMFUL.split(/[|\n]/).map((line) => [line] as const))('an option that does more: %s', (line) => {
  const [name = '', ...options] = words(line);
  for (const option of options) {
    const long = option.startsWith('--');
    const spelled = long
      ? [option, `${option}=x`, option.slice(0, -1)]
      : [option, option.length === 2 ? `${option}x` : `${option}=x`];
    for (const each of spelled) {
      const command = `${name} ${each} x`;
      expect([command, allowed(name, command)]).toEqual([command, false]);
    }
  }
});
