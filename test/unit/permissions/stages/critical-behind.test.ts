/** Checks critical deletes behind programs, in texts that may run and under other names (D14). */
import { describe, expect, test } from 'vitest';
import { judge } from '../support.ts';

const inMode = (command: string, mode: string) => judge('Bash', { command }, [['allow', 'Bash']], { mode } as never);
const unruled = (command: string) => judge('Bash', { command }, [], { mode: 'bypass' } as never);

describe('behind a program that nobody described', () => {
  test.each([
    'ccache rm -rf /',
    'sudo-rs rm -rf ~',
    'sudo-rs -u root rm -rf /home/agent',
    'mytool -- /bin/rm -r *',
    'mytool find / -delete',
    'mytool find . -exec shred -u {} +',
    'RM -rf /',
    'RSYNC --delete empty/ ~',
    'mytool Rm -rf ~/*',
    'mytool rsync --delete empty/ ~',
    'mytool rsync -a --delete empty/ /home/agent/',
    'mytool zip -rm x ~',
    'mytool tar --remove-files -cf x.tar ~',
    'mytool fd -X rm',
    'mytool fd . / -x rm -rf',
    'mytool --exec=rm -rf /',
    'mytool -x=rm -rf ~',
    'mytool find src -name x -- find / -delete',
    'mytool tar xf a.tar rm -rf ~',
    'mytool fd -e ts rm -rf /',
  ])('%s is one in every mode', (command) => {
    for (const mode of ['default', 'acceptEdits', 'bypass'])
      expect([mode, inMode(command, mode).code]).toEqual([mode, 'critical-delete']);
    expect(unruled(command).code).toBe('critical-delete');
    const honoursNone = { mode: 'bypass', bypass: { enabled: true, honoursRules: false } } as never;
    expect(judge('Bash', { command }, [], honoursNone).verdict).toBe('ask');
  });

  test.each([
    "mytool 'ls / | xargs rm -rf'",
    "mytool 'ls | xargs rm -rf'",
    "mytool 'find / -type f | xargs rm'",
    "mytool 'fd . / -X rm'",
    "mytool 'rsync --delete empty/ ~'",
    "mytool 'tar cf x --remove-files ~'",
    "mytool 'tar xf x rm -rf /'",
    "mytool at now <<< 'rm -rf /'",
    "mytool batch <<< 'rm -rf ~'",
    "mytool 'rm -rf /'",
    "sudo-rs sh -c 'cd /; rm -rf *' x",
    "mytool 'find ~ -delete'",
  ])('%s asks, too', (command) => {
    expect(unruled(command).verdict).toBe('ask');
    expect(inMode(command, 'default').verdict).toBe('ask');
  });

  test.each([
    'mytool rsync -a --delete src/ dist/',
    'mytool rsync -a src/ ~/x',
    'mytool tar xf a.tar',
    'mytool fd -e ts',
    "mytool 'ls src | xargs wc -l'",
    'mytool --exec=prettier src',
    'mytool at now',
    'mytool rm build',
    'mytool git rm -r .',
    "mytool 'rm -rf build'",
    'mytool find src -name x',
  ])('%s is none', (command) => expect(unruled(command).verdict).toBe('allow'));
});

describe('in a text that a program may run', () => {
  test.each([
    'python3 -c \'import os; os.system("rm -rf /")\'',
    'python3 -c \'import subprocess as s; s.run(["rm", "-rf", "/home"])\'',
    'perl -e \'system("rm -rf ~/*")\'',
    'node -e \'require("child_process").execSync("rm -rf $HOME")\'',
    'awk \'BEGIN{system("rm -rf $PWD/*")}\'',
    'awk \'BEGIN{system("r\\x6d -rf /")}\'',
    "sed '1e rm -rf /' x",
    "psql -c '\\! rm -rf /etc'",
    "latex '\\write18{rm -rf /}'",
    "make -f - <<< 'a:;rm -rf $X/*'",
    "ruby -e 'system(*%w[rm -rf /])'",
    "make -f - <<< 'a:;rm -rf `pwd`'",
    'python3 -c \'import os; os.system("rm -rf $(pwd)/")\'',
  ])('%s asks in bypass', (command) => {
    expect(unruled(command)).toMatchObject({ verdict: 'ask' });
    expect(unruled(command).message).toMatch(/delete of a top-level folder/);
  });

  test.each(["echo 'rm -rf /' > x; sh x", "tee x <<< 'find / -delete'; bash ./x"])(
    '%s is covered by no rule',
    (command) => {
      const rules = ['Bash', 'Edit', 'Bash(sh:*)', 'Bash(bash:*)'].map((rule) => ['allow', rule] as const);
      expect(judge('Bash', { command }, rules).verdict).toBe('ask');
      expect(unruled(command).verdict).toBe('ask');
    },
  );

  test.each([
    'python3 -c \'import os; os.system("rm -rf build")\'',
    'python3 -c \'import os; os.system("git rm -r .")\'',
    'python3 -c \'import os; os.system("rm -f ./build/*.o"); print("/")\'',
    "npx concurrently 'rm -rf dist' 'tsc -w'",
    'git commit -m "do not rm -rf /"',
    'echo "never rm -rf /" >> README.md',
    'grep -rn "rm -rf /" .',
    'curl -d \'{"text":"rm -rf /"}\' https://api.test/',
  ])('%s does not', (command) => expect(unruled(command).verdict).toBe('allow'));
});

describe('under another name of its folder', () => {
  test.each([
    'rm -rf ../ap?',
    'rm -rf ../[a]pp',
    'rm -rf /home/ag*',
    'rm -rf /h*/a*',
    'rm -rf ~agent/../agent',
    'rm -rf ~agent/../../workspace/app',
    'rm -rf /proc/self/cwd/*',
    'rm -rf /proc/self/cwd/..',
    'rm -rf /proc/self/root/home',
    'rm -rf /proc/$$/root/*',
    'rm -rf //proc/self/cwd/*',
    'rm -rf ../../proc/self/cwd/*',
    'rm -rf /dev/fd/../cwd/*',
    'rm -rf /dev//fd/../root/home',
    'cd src && rm -rf "$OLDPWD"',
    'cd src; rm -rf ${OLDPWD}/*',
  ])('%s is one', (command) => expect([command, unruled(command).code]).toEqual([command, 'critical-delete']));

  test.each(['rm -rf ../old?', 'rm -rf /tmp/ap?', 'rm -rf ap?', 'rm -rf /proc/self/cwd/build', 'rm -f "$OLDPWD"'])(
    '%s is none',
    (command) => expect(unruled(command).code).not.toBe('critical-delete'),
  );
});

describe('by a function of a language', () => {
  test.each([
    'python -c \'import shutil; shutil.rmtree("/")\'',
    'python -c \'from shutil import rmtree; rmtree("/home/agent")\'',
    'python -c \'import shutil,os; shutil.rmtree(os.path.expanduser("~"))\'',
    "python3 << 'E'\nimport shutil\nshutil.rmtree('.')\nE",
    'node -e \'require("fs").rmSync("/", {recursive: true})\'',
    'node -e \'fs.promises.rm("/home/agent",{recursive:true})\'',
    'ruby -e \'FileUtils.rm_rf("/")\'',
    'perl -MFile::Path -e \'remove_tree("/home/agent")\'',
    'python -c \'import shutil; shutil.rmtree(path="/")\'',
    'python -c \'import shutil; shutil.rmtree(ignore_errors=True, path="/home")\'',
    'python -c \'import shutil,pathlib; shutil.rmtree(path=pathlib.Path("/"))\'',
    "python -c 'import shutil,pathlib; shutil.rmtree(pathlib.Path.home())'",
    'python -c \'import shutil,os; shutil.rmtree(os.environ["HOME"])\'',
    'python -c \'import shutil,os; shutil.rmtree(os.getenv("HOME"), True)\'',
    "python -c 'import shutil,os; shutil.rmtree(os.getcwd())'",
    'node -e \'require("fs").rmSync(require("os").homedir(),{recursive:true})\'',
    "node -e 'fs.rmSync(process.env.HOME,{recursive:true})'",
    "node -e 'fs.rmSync(process.cwd(),{recursive:true})'",
    "ruby -e 'FileUtils.rm_rf Dir.home'",
    'ruby -e \'FileUtils.rm_rf(ENV["HOME"])\'',
  ])('%s asks in bypass', (command) => expect(unruled(command).verdict).toBe('ask'));

  test.each([
    'python -c \'import shutil; shutil.rmtree("build")\'',
    'python -c \'import shutil; shutil.rmtree(path="build")\'',
    'python -c \'import shutil,os; shutil.rmtree(os.getcwd() + "/build")\'',
    'python -c \'import shutil,pathlib; shutil.rmtree(pathlib.Path.home() / ".cache")\'',
    "node -e 'fs.rmSync(`${process.cwd()}/dist`,{recursive:true})'",
    'node -e \'fs.rmSync(path.join(process.cwd(),"dist"),{recursive:true})\'',
    'python -c \'import shutil,os; shutil.rmtree(os.path.join("/tmp", name))\'',
    'node -e \'fs.rmSync("dist", {recursive: true}); fs.readdirSync("/")\'',
  ])('%s does not', (command) => expect(unruled(command).verdict).toBe('allow'));
});

describe('under a name that the text gives the program', () => {
  test.each([
    'cp /bin/rm x; ./x -rf /',
    'ln -sf /bin/rm x && ./x -rf ~',
    'mv /bin/rm y; ./y -r *',
    'hash -p /bin/rm x; x -rf /',
    'cp /bin/rm x; cp x y; ./y -rf /',
    'cat /bin/rm > x; chmod +x x; ./x -rf /',
    'cat < /bin/rm > x; ./x -rf ~',
    'cat /bin/rm | tee x > /dev/null; ./x -rf /',
    'tee x < /bin/rm; ./x -rf /',
    'dd if=/bin/rm of=x; ./x -rf /',
    'rsync /usr/bin/rm x; ./x -rf /',
    'curl file:///bin/rm -o ls; ./ls -rf /',
    'cp "$(which rm)" x; ./x -rf /',
    'cp `command -v rm` x; ./x -rf /',
    "sh -c 'cp /bin/rm x; ./x -rf /'",
    "cp /bin/rm x; bash -c './x -rf ~'",
    "sh -c 'cp /bin/rm x'; ./x -rf /",
  ])('%s is critical, and heard by rules', (command) => {
    expect(unruled(command).code).toBe('critical-delete');
    expect(judge('Bash', { command }, [['deny', 'Bash(rm:*)']], { mode: 'bypass' } as never).verdict).toBe('deny');
  });

  test.each([
    'cp src/a.ts b; ./b x',
    'ln -s /usr/bin/python3 python; ./python x.py',
    'cp a b; cat b',
    'cat /bin/ls > x; ./x -l /',
    "echo '#!/bin/sh' > x; ./x -c /",
  ])('%s is not', (command) => expect(unruled(command).verdict).toBe('allow'));
});

test.each(["cmd /c 'rd /s /q build'", "cmd /c 'del /f /q a.txt'"])('%s is not critical', (command) =>
  expect(unruled(command).verdict).toBe('allow'),
);

test.each(["cmd /v:on /c 'set x=del& !x! /s /q c:\\*'", "cmd /c 'set x=rd&call %x% /s /q c:\\'"])(
  '%s is critical',
  (command) => expect(unruled(command).code).toBe('critical-delete'),
);
