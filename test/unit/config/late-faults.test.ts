/** Checks that a value which would fail only later, or do nothing, is refused when the file is loaded. */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';

const load = (section: string, asks = 'approvers: team') =>
  loadPolicy(
    `people: { o: { team: T1A, user: U1A, name: O }, b: { team: T1A, user: U1B, name: B } }
agents: { a: { owner: o } }
channels: { c: { team: T1A, id: C1A } }
approvers: { team: { members: [b], channel: c } }
approvals: { ${asks} }
${section}
`,
    'p.yaml',
  );

describe('protected paths', () => {
  test.each([
    ['add: ["["]', '6:25: protectedPaths.add[0]: the bracket is not closed'],
    ['add: [a, "!b"]', '6:28: protectedPaths.add[1]: a pattern cannot be negated'],
    ['add: [" "]', '6:25: protectedPaths.add[0]: a protected pattern is blank'],
    ['enabled: false, add: [infra]', '6:40: protectedPaths.add: protects nothing while enabled is false'],
    ['remove: [.evn]', '6:28: protectedPaths.remove[0]: .evn is no built-in pattern; did you mean .env?'],
    ['add: [secrets], remove: [secrets]', '6:44: protectedPaths.remove[0]: secrets is no built-in pattern'],
  ])('{ %s } is refused', (fields, problem) => {
    expect(() => load(`protectedPaths: { ${fields} }`)).toThrow(`p.yaml:${problem}`);
  });

  test('patterns that can be read are taken', () => {
    const { protectedPaths } = compilePolicy(
      load('protectedPaths: { add: ["infra/**", secrets], remove: [.env, "*.pem"] }'),
    );
    expect(protectedPaths.patterns).toEqual(expect.arrayContaining(['infra/**', 'secrets']));
    expect(protectedPaths.patterns).not.toContain('.env');
    expect(protectedPaths.patterns).not.toContain('*.pem');
  });
});

describe('no time at all', () => {
  test.each([
    ['', 'stages: [{ group: team, timeout: 0s }]', 'approvals.stages[0].timeout: must be at least 1s'],
    ['', 'stages: [{ group: team, remind: 0m }]', 'approvals.stages[0].remind: must be at least 1s'],
    ['hooks: { h: { function: f, timeout: 0s } }', undefined, 'hooks.h.timeout: must be at least 1s'],
  ])('%s %s is refused', (section, asks, problem) => {
    expect(() => load(section, asks)).toThrow(problem);
  });
});

describe('a model is sent its key over TLS only', () => {
  const access = (baseUrl: string) => `{ provider: anthropic, secret: key, baseUrl: "${baseUrl}"`;

  test.each([
    ['http://models.example', 'must be https'],
    ['https://user:word@models.example', 'without a password'],
    ['ftp://models.example', 'must be a URL'],
    ['javascript:1', 'must be a URL'],
  ])('%s is refused', (url, problem) => {
    expect(() => load(`classifier: { model: ${access(url)}, model: m } }`)).toThrow(
      `classifier.model.baseUrl: ${problem.startsWith('without') ? `must be https, ${problem}` : problem}`,
    );
    expect(() => load(`models: { main: ${access(url)} } }`)).toThrow('models.main.baseUrl: must be ');
  });

  test.each(['https://models.example/v1', 'http://127.0.0.1:8080', 'http://localhost:8080'])('%s is taken', (url) => {
    expect(load(`models: { main: ${access(url)} } }`).policy.models['main']?.baseUrl).toBe(url);
  });
});

test.each(['https://printer./x', 'https://db.internal./x', 'https://localhost./x'])(
  'a private address is one whatever dots end it: %s',
  (url) => {
    expect(() => load(`hooks: { h: { url: "${url}", secret: s } }`)).toThrow('hooks.h.url: is a private address');
    expect(() => load(`webhooks: { w: { url: "${url}", secret: s } }`)).toThrow('webhooks.w.url: is a private address');
  },
);

test('no name of a server may end where "__" begins', () => {
  expect(() => load('mcpServers: { pay_: { url: "https://pay.example" } }')).toThrow(
    'mcpServers.pay_: may not end in "_": "__" separates server and tool',
  );
});
