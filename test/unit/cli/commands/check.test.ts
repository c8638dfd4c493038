/** Checks `countersign check`: the decision's rule, the asked people, JSON, modes and settings. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { acts, cli, FIXTURES, textOf } from '../run-cli.ts';

const on = ['--policy', 'policy.yaml', '--agent', 'builder'];
const bash = (command: string) => ['--tool', 'Bash', '--input', JSON.stringify({ command })];
const MAIN = new URL('../../../../shared/cli/main.ts', import.meta.url).pathname;

describe('check', () => {
  test.each([
    ['git status', 0, 'allow'],
    ['git push origin main', 3, 'ask'],
    ['rm -rf /', 4, 'deny'],
  ])('%s exits %i: %s', async (command, code, verdict) => {
    const ran = await cli(['check', ...bash(command), ...on]);
    expect(ran).toMatchObject({ code, err: '' });
    expect(ran.out.startsWith(verdict)).toBe(true);
  });

  test('names the rule with its file and line', async () => {
    const { out } = await cli(['check', ...bash('rm -rf build'), ...on]);
    expect(out).toBe(
      [
        'deny  Deleting files is not for agents.',
        'reason  rule_match',
        'rule    deny Bash(rm:*) (project:1), policy.yaml:14:7',
        '',
      ].join('\n'),
    );
  });

  test('names the folder that the call runs in, where one is given', async () => {
    const given = [...bash('git status'), ...on, '--cwd', '/workspace/app'];
    expect((await cli(['check', ...given])).out).toContain('folder  /workspace/app\n');
    expect((await cli(['explain', ...given])).out).toContain('in the folder /workspace/app\n');
    expect((await cli(['check', ...given, '--json'])).lines[0]).toMatchObject({ cwd: '/workspace/app' });
  });

  test('shows the input that would run in place of the proposed one (D44)', async () => {
    const policy = new URL('../../../../countersign.yaml', import.meta.url).pathname;
    const call = ['check', ...bash('git status -s'), '--policy', policy];
    const effective = { command: "'git' 'status' '-s'" };
    expect((await cli(call)).out).toContain(`runs as ${JSON.stringify(effective)}\n`);
    expect((await cli([...call, '--json'])).lines).toMatchObject([{ verdict: 'allow', effective }]);
  });

  test('asks about a command whose printed form would repeat a secret, as the gate does', async () => {
    const policy = new URL('../../../../countersign.yaml', import.meta.url).pathname;
    const secret = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret ?? '';
    const ran = await cli(['check', ...bash(`ls ${secret.slice(0, 6)}''${secret.slice(6)}`), '--policy', policy]);
    expect(ran.code).toBe(3);
    expect(ran.out).toMatch(/^ask/);
    expect(ran.out).not.toContain(secret);
  });

  test('says whom the gate would ask', async () => {
    const { out } = await cli(['check', ...bash('git push'), ...on]);
    expect(out).toContain('asks    platform ×1 within 1h\ncards   in C0APPROVALS\n');
  });

  test('the help names every field of the JSON form', async () => {
    const { out: help } = await cli(['check', '--help']);
    const told = help.split('Fields of --json')[1]?.split('Examples')[0] ?? '';
    const calls = [bash('git push'), bash('rm x'), bash('git status'), [...bash('make'), '--cwd', '/elsewhere']];
    for (const call of calls) {
      const { lines } = await cli(['check', ...call, ...on, '--json']);
      const fields = lines.flatMap((line) => [
        ...Object.keys(line as object),
        ...Object.keys((line as { rule?: object }).rule ?? {}),
      ]);
      expect(fields.filter((name) => !new RegExp(`\\b${name}\\b`).test(told))).toEqual([]);
    }
  });

  test('prints JSON that programs read', async () => {
    const { lines } = await cli(['check', ...bash('rm x'), ...on, '--json']);
    expect(lines).toEqual([
      {
        verdict: 'deny',
        reason: 'rule_match',
        code: 'rule_match',
        stage: 'rules',
        message: 'Deleting files is not for agents.',
        rule: {
          id: 'project:1',
          effect: 'deny',
          pattern: 'Bash(rm:*)',
          source: 'project',
          file: 'policy.yaml',
          line: 14,
          column: 7,
        },
        tool: 'Bash',
        agent: 'builder',
        mode: 'default',
      },
    ]);
  });

  test('takes the mode of the option, else of the agent', async () => {
    const write = ['check', '--tool', 'Write', '--input', '{"file_path":"a"}', '--policy', 'policy.yaml', '--json'];
    const planner = await cli([...write, '--agent', 'planner']);
    const edits = await cli([...write, '--agent', 'planner', '--mode', 'acceptEdits']);
    expect(planner.lines[0]).toMatchObject({ mode: 'plan', verdict: 'deny' });
    expect(edits.lines[0]).toMatchObject({ mode: 'acceptEdits', verdict: 'allow' });
  });

  test.each([
    ['{"command":"ls","command":"rm -rf /"}', 'duplicate_key'],
    ['{"command":', 'invalid_json'],
    ['[1]', 'not_an_object'],
    ['{}, "mode":"bypass"', 'invalid_json'],
    [`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`, 'too_deep'],
  ])('an input that the gate would refuse is an error: %s', async (input, code) => {
    const ran = await cli(['check', '--tool', 'Bash', '--input', input, ...on, '--json']);
    expect(ran.code).toBe(5);
    expect(ran.lines[0]).toMatchObject({ verdict: 'error' });
    if (code !== 'not_an_object') expect(ran.lines[0]).toMatchObject({ code });
  });

  test.each([
    [['check', ...bash('ls'), '--policy', 'policy.yaml'], 'name the agent with --agent: builder, planner'],
    [['check', ...bash('ls'), '--policy', 'policy.yaml', '--agent', 'x'], 'declares no agent x'],
    [['check', ...bash('ls'), '--policy', 'none.yaml'], 'none.yaml: there is no such policy file'],
    [['check', ...bash('ls'), ...on, '--mode', 'yolo'], 'there is no mode yolo; the modes are default, plan'],
    [['check', ...bash('ls'), ...on, '--mode', 'plann'], '; did you mean plan?'],
    [['check', ...bash('ls'), '--policy', 'policy.yaml', '--agent', 'bilder'], '; did you mean builder?'],
    [['check', '--batch', '.', ...on], '.: is a folder, not a file'],
    [['check', '--tool', 'Bash', ...on], 'give --tool and --input'],
    [['check', '--batch', 'x.jsonl', '--tool', 'Bash', ...on], 'leave --tool and --input away'],
    [['check', '--nope'], "unknown option '--nope' (Did you mean --mode?)\n"],
    [['policy', 'check', '--policy', 'policy.yaml'], "unknown option '--policy'; see countersign policy check --help"],
    [['dead', 'show'], "missing required argument 'message'; see countersign dead show --help"],
    [['check', '--tool', '--input', '{}'], '--tool <name> needs a value, and --input is an option'],
    [['decide', '--proposal', '--approve'], '--proposal <id> needs a value, and --approve is an option'],
    [['decide', '--call', '--approve'], '--call <id...> needs a value, and --approve is an option'],
    [['check', '--tool=--input', '{}'], '--tool <name> needs a value, and --input is an option'],
    [
      ['pause', '--agent', 'a', '--deny', '--agent', 'b', '--reason', 'r'],
      '--agent <name> takes one value, and is given two',
    ],
    [['check', '--tool', 'Read', '--tool', 'Bash', '--input', '{}'], '--tool <name> takes one value, and is given two'],
    [
      ['sessions', 'add-rule', 's', '--allow', 'Read', '--allow', 'Grep', '--reason', 'r'],
      '--allow <rule> takes one value, and is given two',
    ],
    [['grants', 'revoke', '--agent', '-h', 'g1'], '--agent <name> needs a value, and -h is an option'],
    [['chekc'], "unknown command 'chekc' (Did you mean check?)"],
  ])('not understood: %j', async (argv, says) => {
    const ran = await cli(argv);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err.trim().split('\n')).toHaveLength(1);
    expect(ran.err).toContain(says);
  });

  test('the environment names agent and policy file', async () => {
    const env = { COUNTERSIGN_AGENT: 'planner', COUNTERSIGN_POLICY: 'policy.yaml' };
    const ran = await cli(['check', ...bash('git status'), '--json'], { env });
    expect(ran.lines[0]).toMatchObject({ agent: 'planner', mode: 'plan' });
  });

  test('nothing that a call holds takes effect on the terminal', async () => {
    const hostile = '\u001b[2J\u009b31m\u202e';
    const argv = ['--tool', `Ba${hostile}sh`, '--input', JSON.stringify({ command: `ls ${hostile}` }), ...on];
    for (const command of ['check', 'explain']) {
      for (const json of [[], ['--json']]) {
        const { out, err } = await cli([command, ...argv, ...json]);
        expect(acts(`${out}${err}`)).toBe(false);
      }
    }
  });
});

test.each([
  [['--tool', 'Bash', '--input', '{comand'], '--input is not JSON at line 1, column 2'],
  [['--tool', '', '--input', '{}'], 'toolName: '],
  [['--tool', 'Bash', '--input', '{"comand":"ls"}'], 'Bash needs command (you gave comand).'],
  [['--tool', 'Bash', '--input', '{"command":1}'], 'command of Bash must be text.'],
])('an error says what its author has to look at: %j', async (argv, says) => {
  const ran = await cli(['check', ...argv, ...on]);
  expect(ran.code).toBe(5);
  expect(ran.out.startsWith(`error  ${says}`)).toBe(true);
});

test('a name near that of a listed tool is warned of, and any other is not', async () => {
  const warning = 'countersign: warning: the policy file lists no tool Reed; did you mean Read?\n';
  for (const command of ['check', 'explain']) {
    const near = await cli([command, '--tool', 'Reed', '--input', '{}', ...on]);
    expect(near).toMatchObject({ code: 3, err: warning });
    expect((await cli([command, '--tool', 'mcp__other__run', '--input', '{}', ...on])).err).toBe('');
  }
});

describe('check --batch', () => {
  test('a file of Windows has a byte order mark, and its line ends', async () => {
    const line = `${JSON.stringify({ tool: 'Bash', input: { command: 'rm x' } })}\r\n`;
    const { lines } = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(`\ufeff${line}${line}`) });
    expect(lines).toMatchObject([
      { line: 1, verdict: 'deny' },
      { line: 2, verdict: 'deny' },
    ]);
  });

  test.each([
    ['{"tool":"Bash","input":{},"mode":"plann"}', 'Bash', 'mode: plann is not a mode; the modes are default'],
    ['{"tool":"Bash","input":{},"mode":"plann"}', 'Bash', '; did you mean plan?'],
    ['{"tool":"Bash","input":{},"agent":"bilder"}', 'Bash', 'agent: bilder is none of builder, planner; did you mean'],
    ['{"tool":"Bash","inptu":{}}', 'Bash', 'inptu: is not a field of this message'],
    ['{"tolName":"Bash","input":{}}', '', 'tolName: is not a field of this message'],
    ['{"tool":"Bash"}', 'Bash', 'input: is missing'],
    ['{"tool":', '', 'the line is not JSON at line 1, column 9'],
  ])('%s', async (line, tool, says) => {
    const { lines } = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(line) });
    expect(lines).toMatchObject([{ verdict: 'error', tool, message: expect.stringContaining(says) }]);
  });

  const lines = [
    { id: 7, tool: 'Bash', input: { command: 'git status' } },
    { toolName: 'Bash', input: { command: 'git push' }, agent: 'builder' },
    { tool: 'Write', input: { file_path: 'a' }, agent: 'planner' },
    { tool: 'Write', input: { file_path: 'a' }, mode: 'acceptEdits' },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');

  test.each([[''], ['\n  \n']])('input without a call is not understood: a pipe broke before it', async (input) => {
    const ran = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(input) });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('-: holds no call');
  });

  test('answers every line in order, from standard input in any pieces', async () => {
    const whole = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(`${text}\n`) });
    const pieces = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(...text) });
    expect(whole.code).toBe(0);
    expect(whole.lines).toMatchObject([
      { line: 1, id: 7, verdict: 'allow' },
      { line: 2, verdict: 'ask' },
      { line: 3, verdict: 'deny', agent: 'planner' },
      { line: 4, verdict: 'allow', mode: 'acceptEdits' },
    ]);
    expect(pieces.out).toBe(whole.out);
  });

  test.each([
    ['not json', 'invalid_json'],
    ['[]', 'invalid_proposal'],
    ['{"tool":"Bash","input":{"command":"ls"},"nope":1}', 'unknown_field'],
    ['{"tool":"Bash","toolName":"Read","input":{}}', 'invalid_proposal'],
    ['{"tool":"Bash","input":{"command":"ls"},"mode":"yolo"}', 'invalid_proposal'],
    ['{"tool":"Bash","input":{"command":"ls"},"agent":"nobody"}', 'invalid_proposal'],
    ['{"calls":[]}', 'invalid_proposal'],
  ])('a line that cannot be read is an error, and the others are answered: %s', async (line, code) => {
    const ran = await cli(['check', '--batch', '-', ...on], { stdin: () => textOf(`${line}\n${text}`) });
    expect(ran.code).toBe(5);
    expect(ran.lines).toHaveLength(5);
    expect(ran.lines[0]).toMatchObject({ verdict: 'error', code });
    expect(ran.lines[1]).toMatchObject({ verdict: 'allow' });
  });
});

test('explain shows each stage of the same run', async () => {
  const { out, code } = await cli(['explain', ...bash('git push --force'), ...on]);
  expect(code).toBe(3);
  await expect(out).toMatchFileSnapshot('golden/explain.txt');
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test('help says what the exit codes mean', async () => {
  const { out, code } = await cli(['check', '--help']);
  expect(code).toBe(0);
  await expect(out).toMatchFileSnapshot('golden/check-help.txt');
});

describe('as a process', () => {
  const node = promisify(execFile);

  test('the exit code is the verdict', async () => {
    const failed = node(process.execPath, [MAIN, 'check', ...bash('rm x'), ...on], { cwd: FIXTURES });
    await expect(failed).rejects.toMatchObject({ code: 4, stderr: '' });
  });

  test('errors are one line without a stack', async () => {
    const failed = node(process.execPath, [MAIN, 'pending'], { cwd: FIXTURES, env: { PATH: process.env['PATH'] } });
    await expect(failed).rejects.toMatchObject({ code: 2, stdout: '' });
    const { stderr } = (await failed.catch((error: unknown) => error)) as { stderr: string };
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('COUNTERSIGN_STATE_TABLE is not set');
    expect(stderr).toContain("stack's output StateTable");
  });

  test('a reader that stops early is no error', async () => {
    const child = spawn(process.execPath, [MAIN, 'check', '--batch', '-', ...on], { cwd: FIXTURES });
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    child.stdin.end('{"tool":"Read","input":{"file_path":"a"}}\n'.repeat(5000));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk);
    });
    const [code] = (await once(child, 'exit')) as [number];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
