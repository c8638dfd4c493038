/** Programs that run another program named in their arguments, and how their own arguments end (rules.md, "Commands"). */

export interface Wrapper {
  /** Options that take the next word as their value. */
  readonly values: ReadonlySet<string>;
  /** Options that stand alone; with any other, every later word is tried as the command. */
  readonly flags?: ReadonlySet<string> | undefined;
  /** Operands before the command, such as the duration of `timeout`. */
  readonly operands: number;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean | undefined;
  /** Options whose value is code for a shell. */
  readonly code?: ReadonlySet<string> | undefined;
  /** The rest is joined and given to a shell. */
  readonly joins?: boolean | undefined;
  /** One of the wrappers that an allow sees through (`time timeout nice nohup stdbuf`). */
  readonly plain?: boolean | undefined;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((word) => word !== ''));

function wrapper(values: string, flags: string, more: Partial<Wrapper> = {}): Wrapper {
  return { values: set(values), flags: set(flags), operands: 0, ...more };
}

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  // The plain ones, which an allow sees through.
  ['time', wrapper('', '-p', { plain: true })],
  ['nohup', wrapper('', '', { plain: true })],
  ['nice', wrapper('-n --adjustment', '', { plain: true })],
  [
    'timeout',
    wrapper('-s --signal -k --kill-after', '-v --verbose --foreground --preserve-status -f -p', {
      plain: true,
      operands: 1,
    }),
  ],
  ['stdbuf', wrapper('-i -o -e --input --output --error', '', { plain: true })],
  // All others.
  ['gtimeout', wrapper('-s --signal -k --kill-after', '--foreground --preserve-status', { operands: 1 })],
  [
    'env',
    wrapper('-u --unset -C --chdir', '-i - -0 -v --ignore-environment --null --debug', {
      assignments: true,
      code: set('-S --split-string'),
    }),
  ],
  [
    'sudo',
    wrapper(
      '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot',
      '-n -E -H -S -b -k -i -s -A -B -P',
      { assignments: true },
    ),
  ],
  ['doas', wrapper('-u -C -a', '-n -s -L', { assignments: true })],
  ['pkexec', wrapper('--user', '--disable-internal-agent --keep-cwd')],
  [
    'runuser',
    wrapper('-u -g -G -s --user --group', '-l -m -p -f -P -', { code: set('-c --command --session-command') }),
  ],
  [
    'su',
    wrapper('-g -G -s --group --shell', '-l -m -p -f -P -', {
      operands: 1,
      code: set('-c --command --session-command'),
    }),
  ],
  ['setsid', wrapper('', '-c -f -w --ctty --fork --wait')],
  ['ionice', wrapper('-c -n --class --classdata', '-t --ignore')],
  ['chrt', wrapper('-T -P -D', '-b -f -i -o -r -d -R', { operands: 1 })],
  ['taskset', wrapper('', '-a -c', { operands: 1 })],
  ['numactl', wrapper('-C -N -m -i', '')],
  ['command', wrapper('', '-p')],
  ['builtin', wrapper('', '')],
  ['exec', wrapper('-a', '-c -l')],
  ['coproc', wrapper('', '')],
  ['noglob', wrapper('', '')],
  ['nocorrect', wrapper('', '')],
  [
    'xargs',
    wrapper(
      '-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars',
      '-0 -r -t -p -x -o --replace --max-lines --eof --null --no-run-if-empty --verbose --interactive',
    ),
  ],
  ['parallel', wrapper('-j -a --jobs --arg-file --delay --timeout', '-0 -k --null --keep-order', { joins: true })],
  ['watch', wrapper('-n --interval', '-d -t -b -e -g -c -x --no-title', { joins: true })],
  [
    'flock',
    wrapper('-w -E --wait --timeout --conflict-exit-code', '-s -x -e -n -u -o -F -v', {
      operands: 1,
      code: set('-c --command'),
    }),
  ],
  ['busybox', wrapper('', '')],
  ['toybox', wrapper('', '')],
  ['chroot', wrapper('', '--skip-chdir', { operands: 1 })],
  ['unshare', wrapper('', '-m -u -i -n -p -U -f -r -c')],
  ['nsenter', wrapper('-t --target -S -G', '-m -u -i -n -p -U -a -F')],
  ['setarch', wrapper('', '-R', { operands: 1 })],
  ['linux64', wrapper('', '-R')],
  ['prlimit', wrapper('', '')],
  ['cpulimit', wrapper('-l -p -e', '-i -z --')],
  ['strace', wrapper('-o -e -p -P -s -u -E -a -O -S -I -b', '-f -ff -c -C -d -i -k -q -r -t -tt -T -v -x -y')],
  ['ltrace', wrapper('-o -e -p -s -u -l -n -a -A', '-f -c -C -i -r -S -t -T')],
  ['valgrind', wrapper('', '')],
  ['gdb', wrapper('', '--args -q -batch')],
  [
    'script',
    wrapper('-o -E -I -O -B -T -m --log-out --log-in --log-io', '-a -e -f -q', {
      operands: 1,
      code: set('-c --command'),
    }),
  ],
  ['unbuffer', wrapper('', '-p')],
  ['rlwrap', wrapper('', '')],
  ['faketime', wrapper('', '', { operands: 1 })],
  ['fakeroot', wrapper('', '--')],
  ['systemd-run', wrapper('-p -u --unit --property', '--user --scope --wait --pipe -t -q')],
  ['systemd-inhibit', wrapper('', '')],
  ['dbus-run-session', wrapper('', '--')],
  ['firejail', wrapper('', '')],
  ['bwrap', wrapper('', '')],
  ['proot', wrapper('-r -b -w', '')],
  ['caffeinate', wrapper('-t -w', '-d -i -m -s -u')],
  ['ssh-agent', wrapper('-a -t', '-D -d')],
  ['xvfb-run', wrapper('-n -s -e -f', '-a')],
  ['dumb-init', wrapper('', '-c -v --')],
  ['tini', wrapper('', '-s -g -v --')],
  ['direnv', wrapper('', '', { operands: 2 })],
  ['entr', wrapper('', '-a -c -d -n -p -r -z', { code: set('-s') })],
  ['chpst', wrapper('-u -U -b -e -d -n -l -L -m -o -p -f -c', '-v -P -0 -1 -2')],
  ['setpriv', wrapper('', '')],
  ['capsh', wrapper('', '--print', { code: set('-c') })],
  ['gosu', wrapper('', '', { operands: 1 })],
  ['su-exec', wrapper('', '', { operands: 1 })],
  ['apptainer', wrapper('', '', { operands: 2 })],
]);

/** Options of programs that are no wrappers, whose value is a command all the same. `NAME=` and `!` before it are left out of it. */
export const CODE_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'tar',
    set(
      '--to-command --checkpoint-action -I --use-compress-program -F --info-script --new-volume-script --rsh-command --rmt-command',
    ),
  ],
  ['fish', set('-c -C --command --init-command')],
  ['nu', set('-c -e --commands --execute')],
  ['pwsh', set('-c -Command -command')],
  ['powershell', set('-c -Command -command')],
  ['bsdtar', set('--use-compress-program')],
  ['rsync', set('-e --rsh --rsync-path')],
  ['sort', set('--compress-program')],
  ['rg', set('--pre --hostname-bin')],
  ['scp', set('-S -o')],
  ['sftp', set('-S -o')],
  ['man', set('-P --pager -H --html')],
  ['zip', set('-TT --unzip-command')],
  ['split', set('--filter')],
  ['vim', set('-c --cmd')],
  ['vi', set('-c --cmd')],
  ['nvim', set('-c --cmd')],
  ['ssh', set('-o')],
  ['mapfile', set('-C')],
  ['readarray', set('-C')],
  ['jobs', set('-x')],
  [
    'git',
    set(
      '-c --upload-pack --receive-pack --exec -x --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter',
    ),
  ],
]);

/** Shells, and whether `-c` gives them code. */
export const SHELLS: ReadonlySet<string> = set(
  'sh bash dash zsh ksh mksh ash fish csh tcsh rbash yash pwsh powershell elvish nu xonsh',
);

/** Interpreters, with the options whose value is code. */
export const INTERPRETERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['python', set('-c')],
  ['pypy', set('-c')],
  ['node', set('-e --eval -p --print -pe')],
  ['nodejs', set('-e --eval -p --print -pe')],
  ['deno', set('eval')],
  ['bun', set('-e --eval -p --print')],
  ['ruby', set('-e')],
  ['perl', set('-e -E -n -p')],
  ['php', set('-r -B -R -E')],
  ['lua', set('-e')],
  ['luajit', set('-e')],
  ['Rscript', set('-e')],
  ['R', set('-e')],
  ['osascript', set('-e')],
  ['tclsh', set('')],
  ['wish', set('')],
  ['expect', set('-c')],
  ['groovy', set('-e')],
  ['scala', set('-e')],
  ['julia', set('-e -E --eval --print')],
  ['elixir', set('-e --eval')],
  ['erl', set('-eval')],
  ['ghc', set('-e')],
  ['clojure', set('-e -M')],
  ['jshell', set('')],
  ['tsx', set('-e --eval -p')],
  ['ts-node', set('-e --eval -p')],
  ['irb', set('-e')],
  ['guile', set('-c')],
  ['racket', set('-e')],
  ['sqlite3', set('-cmd')],
  ['psql', set('-c --command')],
  ['mysql', set('-e --execute')],
  ['gawk', set('')],
  ['ghci', set('-e')],
  ['runghc', set('-e')],
  ['swift', set('-e')],
  ['kotlin', set('-e')],
  ['raku', set('-e')],
  ['ocaml', set('-e')],
  ['sbcl', set('--eval')],
  ['octave', set('--eval')],
  ['gnuplot', set('-e')],
  ['jrunscript', set('-e')],
  ['ipython', set('-c')],
  ['dc', set('-e')],
]);

/** Programs that are no interpreters, and take commands from their standard input all the same. */
export const STDIN_PROGRAMS: ReadonlySet<string> = set(
  'ssh slogin sftp ftp lftp telnet ex ed psql mysql mariadb sqlite3 mongosh redis-cli gdb at batch crontab',
);

/** `python3.12` is `python`, `lua5.4` is `lua`, `/usr/bin/perl5.36` is `perl`. */
export function interpreterOf(name: string): ReadonlySet<string> | undefined {
  const known = INTERPRETERS.get(name);
  if (known !== undefined) return known;
  let end = name.length;
  while (end > 0 && '0123456789.-'.includes(name[end - 1] as string)) end--;
  return end < name.length ? INTERPRETERS.get(name.slice(0, end)) : undefined;
}

/** Built-ins that run their arguments as code. */
export const CODE_BUILTINS: ReadonlySet<string> = set('eval trap source . bind complete compgen PROMPT_COMMAND fc');
