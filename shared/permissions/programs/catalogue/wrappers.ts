/** Records programs that run another one: with a limit, as another user, again, elsewhere. */
import type { Field } from '../../shell/syntax/fields.ts';
import { optionSpec } from '../record/options.ts';
import { NEVER, type ProgramRecord, program, programs, RUNS, type Runner, runner, set } from '../record/record.ts';

const wraps = (names: string, text: Parameters<typeof runner>[1] = {}): ProgramRecord[] =>
  programs(names, { grant: 'never', runner: runner('never', text) });

/** An allow sees through it where its options are literal and known. */
const plain = (names: string, text: Parameters<typeof runner>[1] = {}): ProgramRecord[] =>
  programs(names, { grant: 'never', runner: runner('inner', text) });

/** Without a command in its words it starts a shell, which takes commands from its input. `options`: only with one of these. */
const readsOn = (names: string, text: Parameters<typeof runner>[1], options = ''): ProgramRecord[] =>
  wraps(names, text).map((record) => ({ ...record, stdin: set(options) }));

const TIMEOUT = {
  values: '-s --signal -k --kill-after',
  flags: '-v --verbose --foreground --preserve-status -f -p',
  operands: 1,
} as const;

const XARGS: Runner = runner('inner', {
  values: '-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars',
  flags: '-0 -r -t -p -x -o -i --replace --max-lines --eof --null --no-run-if-empty --verbose --interactive',
});

export const WRAPPERS: readonly ProgramRecord[] = [
  // A negation may stand before the command.
  program('time', { grant: 'never', runner: runner('inner', { flags: '-p !' }), runsBuiltins: true }),
  ...plain('nohup gnohup'),
  ...plain('nice gnice', { values: '-n --adjustment' }),
  ...plain('timeout gtimeout', TIMEOUT),
  ...plain('stdbuf gstdbuf', { values: '-i -o -e --input --output --error' }),
  ...plain('env genv', {
    values: '-u --unset -C --chdir',
    folders: '-C --chdir',
    // A variable may say that scripts do not run, or which settings hold.
    unsets: '-u --unset -i - --ignore-environment',
    flags: '-i - -0 -v --ignore-environment --null --debug',
    assignments: true,
    code: '-S --split-string',
  }),
  program('xargs gxargs', { takesWords: true, passesLines: true, grant: 'never', runner: XARGS }),
  ...readsOn(
    'sudo',
    {
      values: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot',
      folders: '-D -R --chdir --chroot',
      flags: '-n -E -H -S -b -k -i -s -A -B -P',
      assignments: true,
    },
    '-s -i --shell --login',
  ),
  ...readsOn('doas', { values: '-u -C -a', flags: '-n -s -L', assignments: true }, '-s'),
  ...wraps('pkexec', { values: '--user', flags: '--disable-internal-agent --keep-cwd' }),
  ...wraps('runuser', {
    values: '-u -g -G -s --user --group',
    flags: '-l -m -p -f -P -',
    code: '-c --command --session-command',
  }),
  ...readsOn('su', {
    values: '-g -G -s --group --shell',
    flags: '-l -m -p -f -P -',
    operands: 1,
    code: '-c --command --session-command',
  }),
  ...readsOn('sg newgrp', { operands: 1, code: '-c', joins: true }),
  ...wraps('setsid', { flags: '-c -f -w --ctty --fork --wait' }),
  ...wraps('ionice', { values: '-c -n --class --classdata', flags: '-t --ignore' }),
  ...wraps('chrt', { values: '-T -P -D', flags: '-b -f -i -o -r -d -R', operands: 1 }),
  ...wraps('taskset', { flags: '-a -c', operands: 1 }),
  ...wraps('numactl', { values: '-C -N -m -i' }),
  ...readsOn('parallel', {
    values: '-j -a --jobs --arg-file --delay --timeout',
    flags: '-0 -k --null --keep-order',
    joins: true,
  }).map((record) => ({ ...record, takesWords: true })),
  ...wraps('sem', { values: '-j --jobs --id', joins: true }).map((record) => ({ ...record, takesWords: true })),
  ...wraps('watch', { values: '-n --interval', flags: '-d -t -b -e -g -c -x --no-title', joins: true }),
  ...wraps('flock', {
    values: '-w -E --wait --timeout --conflict-exit-code',
    flags: '-s -x -e -n -u -o -F -v',
    operands: 1,
    code: '-c --command',
  }),
  ...wraps('busybox toybox prlimit valgrind rlwrap firejail bwrap setpriv systemd-inhibit'),
  ...readsOn('chroot gchroot', { flags: '--skip-chdir', operands: 1 }),
  ...readsOn('unshare', { flags: '-m -u -i -n -p -U -f -r -c' }),
  ...readsOn('nsenter', { values: '-t --target -S -G', flags: '-m -u -i -n -p -U -a -F' }),
  ...plain('arch', { values: '-arch -d -e', flags: '-x86_64 -arm64 -arm64e -i386 -32 -64 -c -h' }).map((record) => ({
    ...record,
    free: (words: readonly Field[]) => words.length === 0,
  })),
  ...wraps('linux32 linux64 uname26 i386 x86_64', { flags: '-R' }),
  ...wraps('cpulimit', { values: '-l -p -e', flags: '-i -z --' }),
  ...wraps('strace', {
    values: '-o -e -p -P -s -u -E -a -O -S -I -b',
    flags: '-f -ff -c -C -d -i -k -q -r -t -tt -T -v -x -y',
  }),
  ...wraps('ltrace', { values: '-o -e -p -s -u -l -n -a -A', flags: '-f -c -C -i -r -S -t -T' }),
  ...wraps('gdb lldb', { flags: '--args -q -batch' }).map((record) => ({
    ...record,
    stdin: true,
    commandOptions: set(
      '-ex -iex --ex -eval-command --eval-command -init-eval-command -o --one-line -O --one-line-before-file -k',
    ),
  })),
  ...readsOn('script', {
    values: '-o -E -I -O -B -T -m --log-out --log-in --log-io',
    flags: '-a -e -f -q',
    operands: 1,
    code: '-c --command',
  }),
  ...wraps('unbuffer', { flags: '-p' }),
  ...wraps('faketime', { operands: 1 }),
  ...wraps('fakeroot dbus-run-session', { flags: '--' }),
  ...wraps('systemd-run', { values: '-p -u --unit --property', flags: '--user --scope --wait --pipe -t -q' }),
  ...wraps('proot', { values: '-r -b -w' }),
  ...wraps('caffeinate', { values: '-t -w', flags: '-d -i -m -s -u' }),
  ...wraps('ssh-agent', { values: '-a -t', flags: '-D -d' }),
  ...wraps('xvfb-run', { values: '-n -s -e -f', flags: '-a' }),
  ...wraps('dumb-init', { flags: '-c -v --' }),
  ...wraps('tini', { flags: '-s -g -v --' }),
  ...wraps('entr', { flags: '-a -c -d -n -p -r -z', code: '-s' }),
  ...wraps('chpst', { values: '-u -U -b -e -d -n -l -L -m -o -p -f -c', flags: '-v -P -0 -1 -2' }),
  ...wraps('capsh', { flags: '--print', code: '-c' }),
  ...wraps('gosu su-exec setuidgid s6-setuidgid', { operands: 1 }),
  ...wraps('apptainer singularity direnv', { operands: 2 }),
  ...wraps('chronic eatmydata proxychains proxychains4 torsocks torify tsocks softlimit s6-envdir catchsegv'),
  ...wraps('envdir', { operands: 1 }),
  ...wraps('aa-exec', { values: '-p -n --profile --namespace', flags: '-i -d -v --immediate' }),
  ...wraps('ifne', { flags: '-n' }),
  ...wraps('cgexec', { values: '-g', flags: '--sticky' }),
  ...wraps('qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-riscv64 wine wine64 box64 rosetta'),
  // Runners with too many words of their own to list; one word may hold the whole command.
  ...programs(
    'coreutils start-stop-daemon daemonize watchexec watchman reflex modd concurrently nodemon onchange chokidar ' +
      'cross-env cross-env-shell env-cmd dotenv dotenvx perf bpftrace ssh-add tmux screen op doppler infisical chamber aws-vault vault-env teller ' +
      'logsave dtach abduco ts tsp pee mbuffer ' +
      'toolbox distrobox flatpak-spawn heaptrack rr wait-on start-server-and-test npm-run-all run-s run-p pm2 forever supervisor ' +
      'setarch xcrun sshpass autossh mosh fab uwsgi c8 nyc salt salt-call salt-ssh bolt envconsul consul-template systemd-nspawn systemd-cat ' +
      'systemd-socket-activate machinectl multipass colima limactl orb orbctl buildah ctr crictl k3s yadm websocat',
    RUNS,
  ),
  program('hyperfine', {
    ...RUNS,
    commandOptions: set('-p --prepare -s --setup -c --cleanup -C --conclude --reference'),
  }),
  // Both run the commands of their input at another time.
  ...programs('at batch', { grant: 'never', stdin: true, runner: runner('never', { anywhere: true }) }),
  ...programs('telnet ftp lftp', { grant: 'never', stdin: true }),
  ...programs('mail mailx s-nail sendmail msmtp ssmtp swaks mutt neomutt', NEVER),
  program('socat', { grant: 'never', commandOptions: set('EXEC SYSTEM SHELL') }),
  // Inventories, recipes and templates of theirs run commands.
  ...programs(
    'ansible-inventory ansible-console ansible-pull puppet chef chef-client chef-apply knife run-parts anacron incrontab runsv svscan ' +
      's6-svscan cookiecutter copier cruft run-mailcap sensible-browser sensible-editor sensible-pager busctl gdbus qdbus',
    NEVER,
  ),
  program('crontab', {
    stdin: true,
    options: optionSpec({ flags: 'l', operands: (operands) => (operands.length > 0 ? 'a new crontab' : undefined) }),
  }),
];
