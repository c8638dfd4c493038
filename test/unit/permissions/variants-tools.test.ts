/**
 * Checks paths, addresses, MCP tools and malformed inputs that no case names (G6, G9).
 *
 * All are siblings of the cases.
 */
import { expect, test } from 'vitest';
import { judge } from './support.ts';

type Verdict = 'allow' | 'ask' | 'deny' | 'error';
const RANK = { allow: 0, ask: 1, deny: 2, error: 3 } as const;
const ALL = ['Bash', 'Read', 'Edit', 'Write', 'WebFetch', 'mcp__x__*'].map((tool) => `allow ${tool}`);

/** Verdict (allow exactly, the others at least), tool, input as JSON, rules; `all` allows every tool in use. */
const CASES: readonly (readonly [Verdict, string, string, readonly string[]])[] = [
  ['deny', 'Read', '{"file_path":".env"}', ['all']],
  ['deny', 'Read', '{"file_path":"a/.Env.local"}', ['all']],
  ['deny', 'Read', '{"file_path":".env.examples"}', ['all']],
  ['allow', 'Read', '{"file_path":".environment"}', ['all']],
  ['deny', 'Read', '{"file_path":"x/../.env"}', ['all']],
  ['deny', 'Read', '{"file_path":".env/"}', ['all']],
  ['deny', 'Read', '{"file_path":".env."}', ['all']],
  ['deny', 'Read', '{"file_path":".env "}', ['all']],
  ['deny', 'Read', '{"file_path":".env::$DATA"}', ['all']],
  ['deny', 'Read', '{"file_path":"%2eenv"}', ['all']],
  ['ask', 'Read', '{"file_path":"%252eenv"}', ['all']],
  ['deny', 'Read', '{"file_path":"file:///workspace/app/.env"}', ['all']],
  ['deny', 'Read', '{"file_path":".\u200benv"}', ['all']],
  ['deny', 'Read', '{"file_path":"\uff0eenv"}', ['all']],
  ['deny', 'Read', '{"file_path":".\uff45\uff4e\uff56"}', ['all']],
  ['deny', 'Read', '{"file_path":"a\\\\.git\\\\config"}', ['all']],
  ['deny', 'Read', '{"file_path":"GIT~1/config"}', ['all']],
  ['deny', 'Read', '{"file_path":".GIT/HEAD"}', ['all']],
  ['deny', 'Read', '{"file_path":".git"}', ['all']],
  ['allow', 'Read', '{"file_path":".gitattributes"}', ['all']],
  ['deny', 'Read', '{"file_path":".gitmodules"}', ['all']],
  ['allow', 'Read', '{"file_path":"my.git"}', ['all']],
  ['deny', 'Read', '{"file_path":"id_rsa"}', ['all']],
  ['allow', 'Read', '{"file_path":"id_rsa.pub"}', ['all']],
  ['deny', 'Read', '{"file_path":"certs/server.pem"}', ['all']],
  ['deny', 'Read', '{"file_path":"a.key"}', ['all']],
  ['allow', 'Read', '{"file_path":"a.keys"}', ['all']],
  ['deny', 'Read', '{"file_path":".aws/credentials"}', ['all']],
  ['allow', 'Read', '{"file_path":".aws/readme"}', ['all']],
  ['deny', 'Read', '{"file_path":"~/.docker/config.json"}', ['all']],
  ['allow', 'Read', '{"file_path":"docker/config.json"}', ['all']],
  ['deny', 'Read', '{"file_path":".config/fish/x"}', ['all']],
  ['deny', 'Read', '{"file_path":".config/git/x"}', ['all']],
  ['allow', 'Read', '{"file_path":".config/x"}', ['all']],
  ['deny', 'Read', '{"file_path":".vscode/settings.json"}', ['all']],
  ['deny', 'Read', '{"file_path":".idea/x"}', ['all']],
  ['deny', 'Read', '{"file_path":".husky/pre-commit"}', ['all']],
  ['deny', 'Read', '{"file_path":".claude/settings.json"}', ['all']],
  ['error', 'Read', '{"file_path":"a\\u0000b"}', ['all']],
  ['error', 'Read', '{"file_path":""}', ['all']],
  ['error', 'Read', '{"file_path":5}', ['all']],
  ['error', 'Read', '{}', ['all']],
  ['error', 'Read', 'null', ['all']],
  ['error', 'Read', '[]', ['all']],
  ['error', 'read', '{"file_path":"a"}', ['all']],
  ['error', 'READ', '{"file_path":"a"}', ['all']],
  ['error', 'Read ', '{"file_path":"a"}', ['all']],
  ['error', 'toString', '{}', ['all']],
  ['error', 'hasOwnProperty', '{}', ['all']],
  ['error', '__proto__', '{}', ['all']],
  ['ask', 'Foo', '{}', ['all']],
  [
    'error',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    '{}',
    ['all'],
  ],
  ['error', 'R\u00e9ad', '{}', ['all']],
  ['deny', 'mcp__x__y', '{"args":{"nested":[{"path":".env"}]}}', ['all']],
  ['deny', 'mcp__x__y', '{"options":{"output":"a/.git/x"}}', ['all']],
  ['allow', 'mcp__x__y', '{"text":".env is a file"}', ['all']],
  ['allow', 'mcp__x__y', '{"note":".env"}', ['all']],
  ['deny', 'mcp__x__y', '{"uri":"file:///workspace/app/.env"}', ['all']],
  ['deny', 'mcp__x__y', '{"files":["a",".env"]}', ['all']],
  ['deny', 'mcp__x__y', '{"Path":".env"}', ['all']],
  ['deny', 'mcp__x__y', '{"filePath":".env"}', ['all']],
  ['deny', 'mcp__x__y', '{"patch":"*** Update File: .env\\n+x"}', ['all']],
  ['deny', 'mcp__x__y', '{"diff":"--- a/.env\\n+++ b/.env\\n"}', ['all']],
  ['deny', 'mcp__x__y', '{"old_path":".npmrc"}', ['all']],
  ['deny', 'mcp__x__y', '{"filename":"id_ed25519"}', ['all']],
  ['deny', 'Glob', '{"pattern":"**/.env"}', ['all', 'allow Glob']],
  ['allow', 'Glob', '{"pattern":"**/*"}', ['all', 'allow Glob']],
  ['deny', 'Grep', '{"pattern":"x","glob":".env*"}', ['all', 'allow Grep']],
  ['allow', 'Grep', '{"pattern":".env"}', ['all', 'allow Grep']],
  ['allow', 'Edit', '{"file_path":"src/a.ts"}', ['allow Edit(src/**)']],
  ['ask', 'Edit', '{"file_path":"src/../b.ts"}', ['allow Edit(src/**)']],
  ['ask', 'Edit', '{"file_path":"srcx/a"}', ['allow Edit(src/**)']],
  ['allow', 'Write', '{"file_path":"src/a","content":""}', ['allow Edit(src/**)']],
  ['allow', 'MultiEdit', '{"file_path":"src/a","edits":[]}', ['allow Write(src/**)']],
  ['allow', 'NotebookEdit', '{"notebook_path":"src/a.ipynb"}', ['allow Edit(src/**)']],
  ['allow', 'Edit', '{"file_path":"/workspace/app/src/a"}', ['allow Edit(/src/**)']],
  ['ask', 'Edit', '{"file_path":"/src/a"}', ['allow Edit(/src/**)']],
  ['allow', 'Edit', '{"file_path":"/src/a"}', ['allow Edit(//src/**)']],
  ['allow', 'Edit', '{"file_path":"/home/agent/x/a"}', ['allow Edit(~/x/**)']],
  ['ask', 'Edit', '{"file_path":"src/a/b.ts"}', ['allow Edit(src/*.ts)']],
  ['deny', 'Edit', '{"file_path":"a/secrets/k"}', ['allow Edit', 'deny Edit(secrets/)']],
  ['deny', 'Edit', '{"file_path":"SECRETS/k"}', ['allow Edit', 'deny Edit(secrets/**)']],
  ['deny', 'Edit', '{"file_path":"secrets"}', ['allow Edit', 'deny Edit(secrets/)']],
  ['allow', 'Edit', '{"file_path":"my-secrets/k"}', ['allow Edit', 'deny Edit(secrets/**)']],
  ['deny', 'Edit', '{"file_path":"a/k"}', ['allow Edit', 'deny Read(a/**)']],
  ['allow', 'Read', '{"file_path":"a/k"}', ['allow Read', 'deny Edit(a/**)']],
  ['ask', 'Edit', '{"file_path":"a[1].ts"}', ['allow Edit(a[1].ts)']],
  ['allow', 'Edit', '{"file_path":"a1.ts"}', ['allow Edit(a[1].ts)']],
  ['allow', 'Edit', '{"file_path":"a[1].ts"}', ['allow Edit(a\\[1\\].ts)']],
  ['allow', 'Edit', '{"file_path":"ab.ts"}', ['allow Edit(a?.ts)']],
  ['allow', 'Edit', '{"file_path":"./x.ts"}', ['allow Edit(./x.ts)']],
  ['allow', 'WebFetch', '{"url":"https://a.example.com/"}', ['allow WebFetch(domain:*.example.com)']],
  ['allow', 'WebFetch', '{"url":"https://a.b.example.com/"}', ['allow WebFetch(domain:*.example.com)']],
  ['ask', 'WebFetch', '{"url":"https://xexample.com/"}', ['allow WebFetch(domain:*.example.com)']],
  ['ask', 'WebFetch', '{"url":"http://127.0.0.1/"}', ['allow WebFetch(domain:*)']],
  ['ask', 'WebFetch', '{"url":"http://2130706433/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://0x7f.1/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://[::1]/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://[::ffff:10.0.0.1]/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://169.254.169.254/x"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://metadata.google.internal/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://localhost:3000/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://foo.localhost/"}', ['allow WebFetch']],
  ['allow', 'WebFetch', '{"url":"http://192.168.1.1/"}', ['allow WebFetch(domain:192.168.1.1)']],
  ['ask', 'WebFetch', '{"url":"ftp://example.com/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"javascript:1"}', ['allow WebFetch']],
  ['deny', 'WebFetch', '{"url":"file:///workspace/app/.env"}', ['allow WebFetch']],
  ['allow', 'WebFetch', '{"url":"https://EXAMPLE.com./"}', ['allow WebFetch(domain:example.com)']],
  ['allow', 'WebFetch', '{"url":"https://example.com:8443/"}', ['allow WebFetch(domain:example.com)']],
  ['allow', 'WebFetch', '{"url":"https://user:pw@example.com/"}', ['allow WebFetch(domain:example.com)']],
  ['ask', 'WebFetch', '{"url":"example.com"}', ['allow WebFetch']],
  ['deny', 'WebFetch', '{"url":"https://exam\u00adple.com/"}', ['deny WebFetch(domain:example.com)', 'allow WebFetch']],
  ['deny', 'WebFetch', '{"url":"https://\uff45xample.com/"}', ['deny WebFetch(domain:example.com)', 'allow WebFetch']],
  ['allow', 'WebFetch', '{"url":"https://a.example.com/"}', ['deny WebFetch(domain:example.com)', 'allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://100.64.0.1/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://[fe80::1]/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://[fd00::1]/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://0.0.0.0/"}', ['allow WebFetch']],
  ['ask', 'WebFetch', '{"url":"http://0/"}', ['allow WebFetch']],
  ['allow', 'mcp__github__get_pr', '{}', ['allow mcp__github__*']],
  ['ask', 'mcp__github2__get_pr', '{}', ['allow mcp__github__*']],
  ['ask', 'mcp__github__get_pr', '{}', ['allow mcp__*']],
  ['allow', 'mcp__github__get_pr', '{}', ['allow mcp__github']],
  ['ask', 'mcp__github2__get_pr', '{}', ['allow mcp__github']],
  ['deny', 'mcp__github__get_pr', '{}', ['deny mcp__github', 'allow mcp__github__*']],
  ['deny', 'mcp__github__get_pr', '{}', ['deny *', 'allow mcp__github__*']],
  ['allow', 'mcp__github__get_pr', '{"n":1}', ['allow mcp__github__get_pr(n:1)']],
  ['allow', 'mcp__github__get_pr', '{"n":"1"}', ['allow mcp__github__get_pr(n:1)']],
  ['ask', 'mcp__github__get_pr', '{"n":12}', ['allow mcp__github__get_pr(n:1)']],
  ['ask', 'mcp__github__get_pr', '{"n":[1]}', ['allow mcp__github__get_pr(n:1)']],
  ['ask', 'mcp__github__get_pr', '{"m":{"n":1}}', ['allow mcp__github__get_pr(n:1)']],
  ['error', 'mcp__g__x', '{"constructor":{"a":1}}', ['allow mcp__g__x']],
  ['allow', 'mcp__g__x', '{"constructor":"x"}', ['allow mcp__g__x']],
  ['error', 'mcp__g__x', '{"a":{"__proto__":1}}', ['allow mcp__g__x']],
];

test.each(CASES)('%s: %s %s under %j', (verdict, tool, input, written) => {
  const rules = written
    .flatMap((one) => (one === 'all' ? ALL : [one]))
    .map((one) => {
      const [effect, ...pattern] = one.split(' ');
      return [effect as 'allow' | 'ask' | 'deny', pattern.join(' ')] as const;
    });
  const found = judge(tool, JSON.parse(input), rules).verdict;
  if (verdict === 'allow') expect(found).toBe('allow');
  else expect(RANK[found]).toBeGreaterThanOrEqual(RANK[verdict]);
});

test('a deny on Edit hears the patch tool of Codex, and no allow covers it', () => {
  const input = { input: '*** Begin Patch\n*** Add File: a\n+b\n*** End Patch' };
  expect(judge('apply_patch', input, [['deny', 'Edit']], { mode: 'bypass' }).verdict).toBe('deny');
  expect(judge('apply_patch', input, [['allow', 'Edit']]).verdict).toBe('ask');
});
