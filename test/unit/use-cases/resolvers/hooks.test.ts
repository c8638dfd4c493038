/**
 * Checks permission hooks in the gate: their answers, bounds and failures.
 *
 * Covers R4-156 … R4-158, A11 and G9. Covers R4-156 … R4-158, A11, G9.
 */
import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../../shared/domain/approval/approval.ts';
import type { HookTarget } from '../../../../shared/ports/hook-caller.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

type Reply = unknown | ((body: Asked) => unknown);
interface Asked {
  readonly hook_event_name: string;
  readonly tool_name: string;
  readonly agent_id: string;
  readonly permission_mode: string;
  readonly request_id: string;
  readonly cwd: string;
  readonly tool_input: { readonly command?: string };
}

const HOOKS = `hooks:
  review: { url: 'https://hooks.test/review', secret: review-key, tools: [Bash, 'mcp__*'], timeout: 5s }`;

/** A gate whose hooks answer from `replies`, by the name of their secret or function. */
function worldWith(replies: Readonly<Record<string, Reply>>, parts: PolicyParts = {}) {
  const asked: { readonly target: HookTarget; readonly body: Asked }[] = [];
  const clockOf: { world?: World } = {};
  const hooks = {
    after: (ms: number, work: () => void) => clockOf.world?.clock.after(ms, work) ?? (() => undefined),
    caller: {
      async call(target: HookTarget, text: string) {
        const body = JSON.parse(text) as Asked;
        asked.push({ target, body });
        const reply = replies[target.kind === 'url' ? target.secret : target.name];
        const answer = typeof reply === 'function' ? await reply(body) : reply;
        return typeof answer === 'string' ? answer : JSON.stringify(answer);
      },
    },
  };
  const world = new World(policyOf({ more: HOOKS, ...parts }), { hooks });
  clockOf.world = world;
  return { world, asked };
}

const answering = (reply: Reply, parts?: PolicyParts) => worldWith({ 'review-key': reply }, parts);

test('a hook of the parent is told where the call of the child runs (D54)', async () => {
  const { world, asked } = answering(
    { decision: 'pass' },
    {
      agents: `  lead: { owner: olga }
  helper: { owner: olga, mode: bubble, projectRoot: /prod, parents: [lead] }`,
      more: HOOKS.replace('tools:', 'agents: [lead], tools:'),
    },
  );
  const starts = { agentId: 'helper', sessionId: 'h1' };
  await world.send(bash('start', 'git status', { starts }), { agent: 'lead' });
  await world.send(bash('p1', 'make all', { sessionId: 'h1' }), { agent: 'helper' });
  await world.send(bash('p2', 'make all', { sessionId: 'h1', cwd: '/prod/x' }), { agent: 'helper' });
  expect(asked.map(({ body }) => `${body.agent_id} ${body.cwd}`)).toEqual([
    'lead /workspace',
    'lead /prod',
    'lead /prod/x',
  ]);
});

describe('a hook', () => {
  test('allows what no rule matches, and the record says that it was the hook', async () => {
    const { world, asked } = answering({ decision: 'allow', reason: 'known job' });
    await world.send(bash('p1', 'make all'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', reasonCode: 'hook' });
    const [entry] = await world.audit('p1');
    expect(entry?.calls?.[0]).toMatchObject({ verdict: 'allow', reason: 'hook', source: 'hooks' });
    expect(entry?.hooks).toEqual([{ place: 'hook.0.0.review', by: 'review', decision: 'allow', reason: 'known job' }]);
    expect(asked[0]?.body).toMatchObject({
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      agent_id: 'coder',
      permission_mode: 'default',
      request_id: `${world.pid('p1')}.call`,
    });
  });

  test.each([
    ['blocks', { decision: 'block', reason: 'not on Sundays' }],
    ['denies', { decision: 'deny', reason: 'not on Sundays' }],
    [
      'denies in the words of an agent SDK',
      {
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: 'not on Sundays' },
        },
      },
    ],
  ])('that %s is heard even where an allow rule matches', async (_, reply) => {
    const { world } = answering(reply);
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toMatchObject({
      outcome: 'denied',
      message: 'not on Sundays',
      reasonCode: 'hook',
    });
  });

  test.each([{}, { decision: 'pass' }])(
    'that falls through (%j) leaves the call to the rest of the pipeline',
    async (reply) => {
      const { world } = answering(reply);
      await world.send(bash('p1', 'git status'));
      expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'rule' } });
      await world.send(bash('p2', 'make all'));
      expect((await world.row('p2')).approval.status).toBe('pending');
    },
  );

  test('that asks has a person asked where a rule would allow, and what the person says counts', async () => {
    const { world, asked } = answering({ decision: 'ask', reason: 'look twice' });
    await world.send(bash('p1', 'git status'));
    expect(callsOf((await world.row('p1')).approval.question)[0]?.why).toBe('look twice');
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, string, string]>([
    ['a deny rule', 'rm -rf build', 'denied'],
    ['a protected path', 'cat .env', 'denied'],
    ['a critical delete', 'find / -delete', 'pending'],
    ['an ask rule', 'git push origin main', 'pending'],
    ['a command that is not understood', 'echo "$(( x ))"', 'pending'],
  ])('that allows does not lift %s', async (_, command, expected) => {
    const { world } = answering({ decision: 'allow' });
    await world.send(bash('p1', command));
    const decision = await world.decision('p1');
    expect(decision?.outcome ?? (await world.row('p1')).approval.status).toBe(expected);
  });

  test('is not asked about what is denied without it', async () => {
    const { world, asked } = answering({ decision: 'allow', mode: 'bypass' });
    await world.send(bash('p1', 'rm x'));
    await world.send({ ...bash('p2'), toolName: 'Read', input: { file_path: '.ssh/id_rsa' } });
    expect((await world.decided('p1')).outcome).toBe('denied');
    expect((await world.decided('p2')).outcome).toBe('denied');
    expect(asked).toEqual([]);
  });

  test('names the mode of one call: stricter, looser within the rules, and never a bypass that is off', async () => {
    const modes = ['dontAsk', 'acceptEdits', 'bypass'];
    const parts = { agents: '  coder: { owner: olga }', more: HOOKS.replace('[Bash,', '[Write, Bash,') };
    const { world } = answering(() => ({ mode: modes.shift() }), parts);
    await world.send(bash('p1', 'make all'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'dont_ask' });
    await world.send({ ...bash('p2'), toolName: 'Write', input: { file_path: 'src/a.ts', content: '' } });
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved', reasonCode: 'accept_edits' });
    await world.send(bash('p3', 'make all'));
    expect((await world.row('p3')).approval.status).toBe('pending');
  });
});

describe('never allowed: a hook', () => {
  const never = new Promise(() => undefined);
  const junk: [string, Reply][] = [
    ['that is down', () => Promise.reject(new TypeError('fetch failed'))],
    ['that answers nothing', ''],
    ['that answers text', 'allow'],
    ['that answers a list', [{ decision: 'allow' }]],
    ['that answers null', null],
    ['with an unknown decision', { decision: 'approved' }],
    ['with a decision in capitals', { decision: 'ALLOW' }],
    ['with a field too many', { decision: 'allow', force: true }],
    ['with the same key twice', '{"decision":"deny","decision":"allow"}'],
    ['with two answers', '{"decision":"allow"}{"decision":"allow"}'],
    ['with an unknown mode', { decision: 'allow', mode: 'root' }],
    ['with a mode by a name of Object', { decision: 'allow', mode: 'constructor' }],
    ['with a prototype', '{"__proto__":{"decision":"allow"},"decision":"allow"}'],
    ['with a reason of a megabyte', { decision: 'allow', reason: 'x'.repeat(1_000_000) }],
    [
      'in the words of another event',
      { hookSpecificOutput: { hookEventName: 'PreToolUse', decision: { behavior: 'allow' } } },
    ],
  ];
  test.each(junk)('%s asks a person instead of what a rule allows', async (_, reply) => {
    const { world } = answering(reply);
    await world.send(bash('p1', 'git status'));
    expect(callsOf((await world.row('p1')).approval.question)[0]?.why).toBe('The hook review gave no usable answer.');
    expect((await world.audit('p1'))[0]?.hooks?.[0]).toMatchObject({ by: 'review', failed: expect.any(String) });
  });

  test.each(junk)('%s denies where the policy file says so', async (_, reply) => {
    const { world } = answering(reply, { more: HOOKS.replace('timeout: 5s', 'onFailure: deny') });
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'denied', reasonCode: 'hook' });
  });

  test('that is slow asks a person when its time is up, and not before', async () => {
    const { world } = answering(() => never);
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(4_999);
    await expect(world.row('p1')).rejects.toThrow();
    await world.clock.advance(1);
    expect((await world.row('p1')).approval.status).toBe('pending');
    expect((await world.audit('p1'))[0]?.hooks?.[0]?.failed).toBe('no answer in time');
  });

  test('and nothing else: where no worker can ask hooks, nothing is decided, and in the end nothing is allowed', async () => {
    const world = new World(policyOf({ more: HOOKS }));
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(60 * 60_000);
    expect((await world.decision('p1'))?.outcome).toBe('expired');
  });
});

describe('several hooks', () => {
  const two = `hooks:
  first: { function: first }
  second: { function: second }`;
  test.each([
    ['a block beats an allow', { decision: 'allow' }, { decision: 'block' }, 'denied'],
    ['a failure undoes an allow', { decision: 'allow' }, 'oops', 'pending'],
    ['an ask undoes an allow', { decision: 'ask' }, { decision: 'allow' }, 'pending'],
    ['falling through leaves an allow', {}, { decision: 'allow' }, 'approved'],
    ['two modes are one too many', { decision: 'allow', mode: 'plan' }, { decision: 'allow', mode: 'auto' }, 'pending'],
  ])('%s', async (_, first, second, expected) => {
    const { world, asked } = worldWith({ first, second }, { more: two });
    await world.send(bash('p1', 'make all'));
    const decision = await world.decision('p1');
    expect(decision?.outcome ?? (await world.row('p1')).approval.status).toBe(expected);
    expect(asked).toHaveLength(2);
  });

  test('each hears of the calls that it is for: by agent, by tool, and each call of a proposal', async () => {
    const more = `hooks:
  coders: { function: coders, agents: [coder] }
  mcp: { function: mcp, tools: ['mcp__github__*'] }`;
    const { world, asked } = worldWith({ coders: {}, mcp: {} }, { more });
    const heard = () =>
      asked.splice(0).map(({ target, body }) => `${target.kind === 'function' ? target.name : ''} ${body.tool_name}`);
    await world.send({ ...bash('p1'), toolName: 'mcp__github__merge', input: { pr: 1 } });
    expect(heard().toSorted()).toEqual(['coders mcp__github__merge', 'mcp mcp__github__merge']);
    await world.send(bash('p2', 'git status'), { agent: 'writer' });
    expect(heard()).toEqual([]);
    const calls = ['git status', 'make all'].map((command, n) => ({
      id: `c${n}`,
      toolName: 'Bash',
      input: { command },
    }));
    await world.send({ kind: 'tool-call', proposalId: 'p3', calls });
    expect(heard()).toEqual(['coders Bash', 'coders Bash']);
  });
});

test('a classifier is asked only about what the hooks leave open', async () => {
  const parts: PolicyParts = {
    agents: '  coder: { owner: olga, mode: auto }',
    more: `${HOOKS}\nclassifier: { allow: ['Bash(make:*)'] }`,
  };
  const { world } = answering(
    ({ tool_input }: Asked) => (tool_input.command === 'make one' ? { decision: 'block' } : {}),
    parts,
  );
  await world.send(bash('p1', 'make one'));
  await world.send(bash('p2', 'make two'));
  expect((await world.decided('p1')).outcome).toBe('denied');
  expect((await world.audit('p1'))[0]?.classifiers).toBeUndefined();
  expect(await world.decided('p2')).toMatchObject({ outcome: 'approved', decidedBy: { type: 'classifier' } });
});

test("a parent's own hook is heard when a sub-agent's call comes to the parent (D9)", async () => {
  const parts: PolicyParts = {
    agents: '  coder: { owner: olga }\n  helper: { owner: olga, mode: bubble, parents: [coder] }',
    allow: ['Read', "'Bash(git status:*)'"],
    more: 'hooks:\n  parent: { function: parent, agents: [coder] }\n  all: { function: all }',
  };
  const { world, asked } = worldWith(
    {
      parent: (body: Asked) => (body.tool_name === 'Bash' ? {} : { decision: 'block', reason: 'not for helpers' }),
      all: {},
    },
    parts,
  );
  await world.send({ ...bash('start', 'git status'), starts: { agentId: 'helper', sessionId: 'child' } });
  expect((await world.decided('start')).outcome).toBe('approved');
  asked.splice(0);
  await world.send(
    { ...bash('p1'), toolName: 'Read', input: { file_path: 'a.ts' }, sessionId: 'child' },
    { agent: 'helper' },
  );
  expect(await world.decided('p1', 'helper')).toMatchObject({ outcome: 'denied', message: 'not for helpers' });
  expect(asked.map(({ body }) => body.agent_id)).toEqual(['helper', 'coder']);
});

test('a hook may name a looser mode for an agent in bubble above which nobody denies', async () => {
  const parts: PolicyParts = {
    agents: '  coder: { owner: olga }\n  helper: { owner: olga, mode: bubble, parents: [coder] }',
    more: 'hooks:\n  names: { function: names, agents: [helper] }',
  };
  const { world } = worldWith({ names: { mode: 'acceptEdits' } }, parts);
  const write = { ...bash('p1'), toolName: 'Write', input: { file_path: 'src/a.ts', content: '' } };
  await world.send(write, { agent: 'helper' });
  expect((await world.decided('p1', 'helper')).outcome).toBe('approved');
});

test.each(['acceptEdits', 'auto', 'default', 'bypass', 'dontAsk'])(
  'a hook that names the mode %s lifts no denial of an agent above (D9)',
  async (mode) => {
    const parts: PolicyParts = {
      agents: '  coder: { owner: olga, mode: plan }\n  helper: { owner: olga, mode: bubble, parents: [coder] }',
      more: 'hooks:\n  names: { function: names, agents: [helper] }\nclassifier: { allow: [Write] }',
    };
    const { world } = worldWith({ names: { mode } }, parts);
    const write = { ...bash('p1'), toolName: 'Write', input: { file_path: 'src/a.ts', content: '' } };
    await world.send(write, { agent: 'helper' });
    expect((await world.decided('p1', 'helper')).outcome).toBe('denied');
  },
);

test('a hook in the middle that names another mode lifts no question of an agent at the top (D9)', async () => {
  const parts: PolicyParts = {
    agents: `  coder: { owner: olga }
  middle: { owner: olga, mode: bubble, parents: [coder] }
  helper: { owner: olga, mode: bubble, parents: [middle] }`,
    more: `hooks:
  top: { function: top, agents: [coder], tools: [Write] }
  names: { function: names, agents: [middle], tools: [Write] }
  own: { function: own, agents: [helper], tools: [Write] }`,
  };
  const { world } = worldWith(
    { top: { decision: 'ask' }, names: { mode: 'default' }, own: { decision: 'allow' } },
    parts,
  );
  const start = { ...bash('m', 'git status'), starts: { agentId: 'middle', sessionId: 'm1' } };
  await world.send(start);
  await world.send(
    { ...start, proposalId: 'h', sessionId: 'm1', starts: { agentId: 'helper', sessionId: 'h1' } },
    { agent: 'middle' },
  );
  const write = { ...bash('p1'), toolName: 'Write', input: { file_path: 'src/a.ts', content: '' }, sessionId: 'h1' };
  await world.send(write, { agent: 'helper' });
  expect(await world.decision('p1', 'helper')).toBeUndefined();
  expect((await world.row('p1', 'helper')).approval).toBeDefined();
});

test.each([
  ['no target', 'review: { tools: [Bash] }', 'needs one of url and function'],
  ['two targets', "review: { url: 'https://x.test', secret: s, function: f }", 'needs one of url and function'],
  ['an address that anybody may listen to', "review: { url: 'http://x.test', secret: s }", 'https'],
  ['an unsigned address', "review: { url: 'https://x.test' }", 'a url needs a secret'],
  ['an agent that is not there', 'review: { function: f, agents: [nobody] }', 'nobody is not declared under agents'],
  ['too long a time-out', 'review: { function: f, timeout: 16s }', 'longer than 15s'],
  ['allow on failure', 'review: { function: f, onFailure: allow }', 'onFailure'],
  ['an unknown key', 'review: { function: f, retries: 3 }', 'unknown key retries'],
])('a policy file with a hook of %s is refused', (_, hook, problem) => {
  expect(() => policyOf({ more: `hooks:\n  ${hook}` })).toThrow(problem);
});
