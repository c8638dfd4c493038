/** Checks how rules read commands of Windows. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../../support.ts';
import { describeFamily } from '../family.ts';

describeFamily({
  denied: [
    ['robocopy /MIR:*', ['robocopy empty x /MIR', 'robocopy empty x /mir', 'robocopy empty x /R:0 /Mir']],
    ['robocopy * /MIR', ['robocopy empty x /mir', 'robocopy empty x /MIR /R:0']],
    ['taskkill /IM b', ['taskkill /IM b', 'taskkill /F /IM b', 'taskkill /im a /im b', 'taskkill /f /im b']],
    ['Remove-Item:*', ['pwsh -c \'iex "Remove-Item x"\'', 'pwsh -c "iex \'ri x\'"']],
    ['del:*', ['cmd /c "set x=del&&%x% y"', 'cmd /c "%comspec% /c del x"']],
  ],
});

describe('a variable of cmd may be any program', () => {
  test.each(['cmd /c "%x% y"', 'cmd /c "%x:~0,3% y"', 'cmd /c "set x=delete&&%x:~0,3% y"', 'cmd /v:on /c "!x! y"'])(
    '%s',
    (command) => {
      expect(commandVerdict(command, [['deny', 'Bash(del:*)']], { mode: 'bypass' })).toBe('ask');
    },
  );

  test.each(['cmd /c "echo %cd%"', 'cmd /c "echo %PATH:~0,3%"', 'robocopy src dst /E', 'taskkill /IM a'])(
    'leaves %s alone',
    (command) => {
      const rules = ['del:*', 'robocopy /MIR:*', 'taskkill /IM b'].map((rule) => ['deny', `Bash(${rule})`] as const);
      expect(commandVerdict(command, rules, { mode: 'bypass' })).toBe('allow');
    },
  );
});

describe('a mirror of an empty folder is a critical delete', () => {
  test.each([
    'robocopy empty ~ /MIR',
    'robocopy empty . /mir',
    'robocopy empty .. /R:0 /PURGE',
    'cmd /c "%x:~0,3% /s /q ."',
    'cmd /c "!x:~0,3! /s /q ."',
  ])('%s', (command) => {
    expect(commandVerdict(command, [['allow', 'Bash']])).toBe('ask');
    expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('ask');
  });

  test.each(['robocopy src dst /MIR', 'robocopy . dst /MIR', 'robocopy empty . /E'])('and not %s', (command) => {
    expect(commandVerdict(command, [], { mode: 'bypass' })).toBe('allow');
  });
});
