/** Checks denied commands within variables, options, PowerShell and code of other languages (G8). */
import { describe, expect, test } from 'vitest';
import { commandVerdict, SURE_TO_ALLOW } from '../support.ts';

const rules = [['deny', 'Bash(rm:*)']] as const;
const inBypass = (command: string) => commandVerdict(command, rules, { mode: 'bypass' });

describe('a variable that programs run', () => {
  test.each([
    'GIT_PAGER="rm x" git log',
    'GIT_SSH_COMMAND="rm x" git fetch',
    'env GIT_EXTERNAL_DIFF="rm x" git diff',
    'sudo PAGER="rm x" man ls',
    'export EDITOR="rm x"',
    'PAGER="rm x"; man ls',
    'LESSOPEN="||rm %s" less y',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0="!rm x" git z',
    'RUSTC_WRAPPER="rm x" cargo build',
  ])('%s is denied', (command) => expect(inBypass(command)).toBe('deny'));

  test.each([
    'GIT_PAGER=cat git log',
    'VISUAL="code --wait" git commit',
    'TEXT="rm x"; echo "$TEXT"',
    'echo EDITOR="rm x"',
  ])('%s is not', (command) => expect(inBypass(command)).toBe('allow'));
});

describe('an option that runs its value', () => {
  test.each([
    'git difftool --extcmd="rm x"',
    'git grep -O"rm x" y',
    'git grep --open-files-in-pager="rm x" y',
    'sops exec-env f "rm x"',
    'oc rsh pod rm x',
  ])('%s is denied', (command) => expect(inBypass(command)).toBe('deny'));
});

describe('words that are split or joined once more', () => {
  test.each([
    ...[
      `env -S 'sh -c "rm\\tx"'`,
      `env -S "sh -c 'r\\\\\\\\m x'"`,
      `env -S '-i sh -c "rm\\_x"'`,
      `env -S '-S"-S rm\\_x"'`,
    ],
    ...['ssh h r\\\\m x', `ssh -p 22 h "r''m" x`, `ssh -v h "r''m" x`],
    // env takes any word with `=` for a variable.
    ...['env a-b=1 rm x', 'env -i 1=1 rm x', 'env A=1 b.c=2 rm x', `env -S 'a-b=1 rm x'`, 'sudo A:=1 rm x'],
  ])('%s is denied', (command) => expect(inBypass(command)).toBe('deny'));

  test.each(["env -S 'r\\cm x'", "env -S '# rm x'", 'ssh git@h rm-old'])('%s is not', (command) =>
    expect(inBypass(command)).toBe('allow'),
  );
});

describe('PowerShell', () => {
  test.each([
    'pwsh -co "rm x"',
    'pwsh -COMMAND "rm x"',
    'pwsh "rm x"',
    'pwsh -NoP -NonI -C "rm x"',
    'pwsh -ExecutionPolicy Bypass -c "rm x"',
    'powershell rm x',
    'powershell.exe -NoProfile -Command "Get-Item x; rm x"',
  ])('%s is denied', (command) => expect(inBypass(command)).toBe('deny'));

  test.each(['pwsh -EncodedCommand AAA', 'pwsh -enc AAA', 'powershell -NoProfile -ec AAA', 'echo rm x | pwsh -'])(
    '%s is a matter for people',
    (command) => expect(inBypass(command)).not.toBe('allow'),
  );

  test('a script is no command of its own', () => expect(inBypass('pwsh -File x.ps1')).toBe('allow'));
});

describe('code of another language', () => {
  test.each([
    `python3 -c 'import os; os.system("rm x")'`,
    `python3 -c "import subprocess; subprocess.run(['/bin/rm', 'x'])"`,
    'perl -e \'system "rm x"\'',
    "ruby -e '`rm x`'",
    `node -e 'require("child_process").execSync("rm x")'`,
    `awk 'BEGIN{system("rm x")}'`,
    "sed '1e rm x' f",
    "expect -c 'spawn rm x'",
  ])('%s asks', (command) => {
    expect(inBypass(command)).toBe('ask');
    expect(commandVerdict(command, rules, { mode: 'auto' }, { classifier: SURE_TO_ALLOW })).toBe('ask');
  });

  test.each([`python3 -c 'print("alarm")'`, `node -e 'console.log(1)'`, "sed 's/rm x/ls/' f", "awk '/rm/ {print}' f"])(
    '%s does not',
    (command) => expect(inBypass(command)).toBe('allow'),
  );

  test('all words of the rule have to be there', () => {
    const push = [['deny', 'Bash(git push:*)']] as const;
    const verdictOf = (command: string) => commandVerdict(command, push, { mode: 'bypass' });
    expect(verdictOf(`python3 -c "import subprocess; subprocess.run(['git', 'push'])"`)).toBe('ask');
    expect(verdictOf(`python3 -c "import subprocess; subprocess.run(['git', 'status'])"`)).toBe('allow');
  });
});

describe('code has the input of the command that is given it', () => {
  test.each(['bash -c "xargs rm" <<< x', 'env bash -c sh <<< "rm x"'])('%s is denied', (command) =>
    expect(inBypass(command)).toBe('deny'),
  );
});
