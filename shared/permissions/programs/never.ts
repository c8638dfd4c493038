/** Programs that a prefix allow never covers, or not with these words or options (rules.md, "Commands"). */

const set = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((word) => word !== ''));

/** Runners of foreign programs, shells' own code words, and what installs code for later. */
export const NEVER: ReadonlySet<string> = set(
  'npx bunx uvx pipx nix-shell nix-build nix dlx eval source . trap alias unalias exec enable hash set shopt bind complete compgen fc export declare local readonly typeset unset let coproc function builtin command ' +
    'at batch systemd-run tmux screen socat expect dotenv direnv devbox mise rtx asdf flatpak-spawn toolbox distrobox dbus-send osascript open xdg-open start gdb lldb perf bpftrace telnet ftp mail sendmail mutt ed emacs nano pico micro hx kak joe mc ranger visudo vipw crontab-ui ' +
    'ld.so rundll32 regsvr32 mshta wscript cscript certutil iex invoke-expression',
);

/** Words after the program that make it run a foreign program. */
export const RUN_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['npm', set('exec x init create innit explore edit set set-script config c pkg')],
  ['pnpm', set('exec dlx create env config')],
  ['yarn', set('exec dlx create node config')],
  ['bun', set('x exec create repl')],
  ['deno', set('eval repl x')],
  ['uv', set('run tool')],
  ['poetry', set('run shell')],
  ['pipenv', set('run shell')],
  ['hatch', set('run shell')],
  ['pdm', set('run')],
  ['rye', set('run')],
  ['pixi', set('run exec shell')],
  ['conda', set('run')],
  ['mamba', set('run')],
  ['micromamba', set('run')],
  ['bundle', set('exec console')],
  ['gem', set('exec')],
  ['go', set('run generate tool')],
  ['cargo', set('script')],
  ['dotnet', set('tool exec script')],
  ['rustup', set('run')],
  ['nvm', set('exec run')],
  ['fnm', set('exec')],
  ['volta', set('run')],
  ['pyenv', set('exec')],
  ['rbenv', set('exec')],
  ['corepack', set('npm pnpm yarn')],
  ['vagrant', set('ssh winrm')],
  ['heroku', set('run')],
  ['fly', set('ssh')],
  ['flyctl', set('ssh')],
  ['gh', set('extension alias codespace')],
  ['gcloud', set('ssh scp')],
  ['aws', set('ssm')],
  ['az', set('run-command')],
  ['lxc', set('exec shell')],
  ['incus', set('exec shell')],
  ['flatpak', set('run')],
  ['snap', set('run')],
  ['op', set('run')],
  ['doppler', set('run')],
  ['vault', set('agent ssh')],
  ['adb', set('shell exec-out')],
  ['wsl', set('--exec -e --')],
]);

/** Harmful options of programs that are otherwise covered whole; abbreviations of long ones count. */
export const HARMFUL_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['grep', set('-f --file --exclude-from')],
  ['egrep', set('-f --file --exclude-from')],
  ['fgrep', set('-f --file --exclude-from')],
  ['zgrep', set('-f --file')],
  ['ag', set('--pager --path-to-ignore')],
  ['ack', set('--pager --ackrc --files-from')],
  ['bat', set('--pager --config-file')],
  ['delta', set('--pager --config')],
  [
    'npm',
    set('--script-shell --node-options --userconfig --globalconfig --prefix -C --shell --git --editor --viewer --call'),
  ],
  ['pnpm', set('--script-shell --node-options --dir -C')],
  ['yarn', set('--script-shell --use-yarnrc --cwd --node-options')],
  ['cargo', set('--config')],
  // `--w` is `go env -w`, `--C` another directory.
  ['go', set('--exec --toolexec --overlay --vettool --modfile --w --C')],
  ['gcc', set('-specs --specs -wrapper -fplugin')],
  ['g++', set('-specs --specs -wrapper -fplugin')],
  ['clang', set('-fplugin -load --config')],
  ['zip', set('-T -TT --unzip-command --test')],
  ['split', set('--filter')],
  ['mapfile', set('-C')],
  ['readarray', set('-C')],
  ['jobs', set('-x')],
  ['tcpdump', set('-z -w')],
  ['nmap', set('--script --script-args --datadir --interactive -iL')],
  ['openssl', set('-engine -provider-path')],
  ['journalctl', set('--file --directory')],
  ['ip', set('-b -batch')],
  ['ctags', set('--options')],
  ['wc', set('--files0-from')],
  ['du', set('--files0-from --exclude-from -X')],
  ['gradle', set('-I --init-script')],
  ['helm', set('--post-renderer')],
]);

/** Without its dashes: many programs take one for two, and two for one. */
function optionName(word: string): string {
  let start = 0;
  while (word[start] === '-') start++;
  return word.slice(start).split('=')[0] as string;
}

/** A word that is, abbreviates or attaches a value to a harmful option, with however many dashes. */
export function isHarmfulOption(word: string, harmful: ReadonlySet<string>): boolean {
  if (!word.startsWith('-')) return false;
  const name = optionName(word);
  return [...harmful].some((each) => {
    if (each.length === 2) return !word.startsWith('--') && word.slice(1).includes(each[1] as string);
    const full = optionName(each);
    // A cluster or an attached value is `-rf.env`, `-fpatterns`; an abbreviation has two letters at least.
    return name === full || (name.length > 1 && full.startsWith(name));
  });
}

/** Texts within any word of a program that hand it another program all the same. */
export const HARMFUL_TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['go', ['-extld', '-toolexec', '-vettool', '-fplugin', '-wrapper']],
  ['gcc', ['-fplugin', '-wrapper']],
  ['g++', ['-fplugin', '-wrapper']],
  ['clang', ['-fplugin', '-Xclang']],
]);
