/** Checks the section `mcpServers`: an address or a program, and no secret in either. */
import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { targetSecrets } from '../../../shared/config/readers/target-resources.ts';

const load = (server: string, more = '') =>
  loadPolicy(`agents: {}\n${more}mcpServers: { desk: ${server} }\n`, 'test.yaml').policy;

test('a server has an address, or a program in the words of the settings of MCP clients', () => {
  const remote = load('{ url: "https://desk.example.com/mcp", secret: desk-token }');
  expect(remote.mcpServers['desk']).toEqual({ url: 'https://desk.example.com/mcp', secret: 'desk-token' });
  expect(targetSecrets(remote)).toEqual(['desk-token']);
  const program = load(
    `{ command: npx, args: ["-y", "@desk/mcp", "--token-env", "DESK"], env: { DESK: "$\{TOKEN}", LEVEL: debug }, cwd: tools }`,
  );
  expect(program.mcpServers['desk']).toEqual({
    command: 'npx',
    args: ['-y', '@desk/mcp', '--token-env', 'DESK'],
    env: { DESK: `$\{TOKEN}`, LEVEL: 'debug' },
    cwd: 'tools',
  });
  expect(targetSecrets(program)).toEqual([]);
  expect(load('{ command: desk }').mcpServers['desk']).toEqual({ command: 'desk', args: [], env: {} });
});

describe('is refused', () => {
  test.each([
    ['{}', 'mcpServers.desk.url: is missing'],
    [
      '{ url: "https://d.example", command: desk }',
      'mcpServers.desk.command: unknown key command; allowed here: url, secret',
    ],
    [
      '{ command: desk, secret: token }',
      'mcpServers.desk.secret: unknown key secret; allowed here: command, args, env, cwd',
    ],
    ['{ command: "" }', 'mcpServers.desk.command: must not be empty'],
    [
      '{ command: desk, arg: [] }',
      'mcpServers.desk.arg: unknown key arg; allowed here: command, args, env, cwd; did you mean args?',
    ],
    ['{ command: desk, args: "-y" }', 'mcpServers.desk.args: must be a list'],
    ['{ command: desk, args: [1] }', 'mcpServers.desk.args[0]: must be text'],
    ['{ command: desk, env: { A-B: x } }', 'mcpServers.desk.env.A-B: is not the name of a variable'],
    ['{ command: desk, env: { PORT: 80 } }', 'mcpServers.desk.env.PORT: must be text'],
    ['{ args: [] }', 'mcpServers.desk.command: is missing'],
    ['{ url: "http://d.example" }', 'mcpServers.desk.url: must be https'],
  ])('%s', (server, problem) => expect(() => load(server)).toThrow(problem));

  const SECRET = 'holds a secret, which the policy file never does';
  test.each([
    ['{ command: desk, env: { GITHUB_TOKEN: hunter2-hunter2 } }', `env.GITHUB_TOKEN: ${SECRET}`],
    ['{ command: desk, env: { URL: "postgres://olga:hunter22@db.example/x" } }', `env.URL: ${SECRET}`],
    ['{ command: desk, args: ["--password", "hunter2-hunter2"] }', `args[1]: ${SECRET}`],
    ['{ command: desk, args: ["--api-key=hunter2-hunter2"] }', `args[0]: ${SECRET}`],
    [`{ command: desk, args: ["--token", "$\{TOKEN}"] }`, 'args[1]: holds "${", which is read in env alone'],
    [`{ command: "$\{DESK}" }`, 'command: holds "${"'],
    [`{ command: desk, cwd: "$\{HOME}" }`, 'cwd: holds "${"'],
    [`{ command: desk, env: { TOKEN: "$\{env:TOKEN}" } }`, 'env.TOKEN: holds "${" without a name'],
  ])('%s', (server, problem) => expect(() => load(server)).toThrow(`mcpServers.desk.${problem}`));

  test('a name that the file itself calls secret', () => {
    const names = 'redaction: { names: [customerPin] }\n';
    expect(() => load('{ command: desk, env: { CUSTOMER_PIN: "4711" } }', names)).toThrow(`CUSTOMER_PIN: ${SECRET}`);
    expect(load(`{ command: desk, env: { CUSTOMER_PIN: "$\{PIN}" } }`, names).mcpServers['desk']).toBeDefined();
  });
});
