/**
 * Checks that every proposal ends well after up to six outages of any ports (G27, G33).
 *
 * Outages last up to a day each, over thirty proposals of all kinds with clicks. In the end each proposal has one
 * decision, its sender reads it, people were asked where there was time, and nothing is left behind. No message is
 * sent again by hand.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../permissions/properties/arbitraries.ts';
import { choice } from './choice-world.ts';
import { Outages } from './outages.ts';
import { resultOf, scriptedTools } from './running.ts';
import { bash, policyOf, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** People have so long, and nothing is asked after the first day. */
const APPROVAL_TIMEOUT_MS = 2 * DAY;
/** In so long without any outage a card is posted: after the longest pause of a row that could not be read, and its turn in line. */
const ENOUGH = 25 * MINUTE;

const PORTS = [
  ['cards'],
  ['workflow'],
  ['replies'],
  ['deferred'],
  ['sealer'],
  ['unsealer'],
  ['rates'],
  ['agents'],
  ['people'],
  ['slack'],
  ['approvals.read'],
  ['approvals.write', 'approvals.finish'],
  ['approvals.storeToken'],
  ['journal'],
  ['audit'],
  ['permits'],
  ['results', 'limits'],
  ['delegations'],
  ['hooks'],
  ['sessions', 'claims', 'control'],
  ['approvals', 'claims', 'journal', 'sessions', 'audit', 'permits', 'results', 'control', 'rates'],
  ['cards', 'deferred', 'replies'],
] as const;

const POLICY = policyOf({
  agents: `  coder: { owner: olga }
  writer: { owner: olga }
  builder: { owner: olga }
  helper: { owner: olga, mode: bubble, parents: [coder, writer, builder] }`,
  ask: ["'Bash(git push:*)'", "{ rule: 'Bash(git merge:*)', severity: high }", "'Bash(make:*)'"],
  allow: ["'Bash(git status:*)'", 'Refund'],
  approvals: '{ stages: [{ group: platform, remind: 1h, timeout: 12h, escalateTo: security }], timeout: 2d }',
  more: `tools: { Refund: { permissions: [Sensitive] }, Deploy: { permissions: [Execute] } }
hooks:
  review: { url: 'https://hooks.test/review', secret: review-key, tools: [Deploy], timeout: 5s }
policies:
  first: { type: first-available }
  person: { type: human-in-the-loop, delegate: { type: first-available }, approvers: platform, timeout: 1d }
`,
});

const AGENTS = ['coder', 'writer', 'builder'] as const;
const KINDS = [
  'allow',
  'deny',
  'ask',
  'same',
  'high',
  'secret',
  'question',
  'batch',
  'short',
  'grant',
  'edit',
  'child',
  'hook-allows',
  'hook-asks',
  'choice',
  'choice-of-person',
  'run',
] as const;

const outage = fc.record({
  ports: fc.constantFrom(...PORTS),
  at: fc.nat(DAY),
  lasts: fc.integer({ min: MINUTE, max: DAY }),
});
const proposal = fc.record({
  agent: fc.constantFrom(...AGENTS),
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(DAY),
  end: fc.record({
    how: fc.constantFrom('approve', 'reject', 'cancel', 'nobody'),
    after: fc.nat(30 * HOUR),
  }),
});
type Proposed = typeof proposal extends fc.Arbitrary<infer One> ? One : never;

function messageOf(id: string, { kind }: Pick<Proposed, 'kind'>, now: number): Record<string, unknown> {
  switch (kind) {
    case 'allow':
      return bash(id, 'git status');
    case 'deny':
      return bash(id, 'rm -rf build');
    case 'same':
      return bash(id, 'git push origin main');
    case 'high':
      return bash(id, `git merge ${id}`);
    case 'secret':
      return bash(id, `git push https://x:ghp_${'a1B2c3D4e5F6'.repeat(3)}@git.example/r.git ${id}`);
    case 'question':
      return { kind: 'input-request', proposalId: id, question: `Which branch for ${id}?` };
    // An approved call is remembered, and answers the next ones.
    case 'grant':
      return bash(id, 'make release');
    case 'edit':
      return bash(id, `git push --force ${id}`);
    // Started by a session of the agent, which asks for it, too.
    case 'child':
      return bash(id, `git push ${id}`, { sessionId: 'h1' });
    case 'hook-allows':
    case 'hook-asks':
      return { kind: 'tool-call', proposalId: id, toolName: 'Deploy', input: { of: id, says: kind } };
    case 'choice':
      return choice(id, 'first');
    case 'choice-of-person':
      return choice(id, 'person');
    case 'run':
      return { kind: 'tool-call', proposalId: id, toolName: 'Refund', input: { order: id } };
    case 'batch':
      return {
        kind: 'tool-call',
        proposalId: id,
        calls: ['one', 'two'].map((call) => ({
          id: call,
          toolName: 'Bash',
          input: { command: `git push ${id}-${call}` },
        })),
      };
    case 'short':
      return { ...bash(id, `git push ${id}`), expiresAt: new Date(now + HOUR).toISOString() };
    case 'ask':
      return bash(id, `git push ${id}`);
    default:
      return kind satisfies never;
  }
}

async function played(
  outagesAt: readonly { ports: readonly string[]; at: number; lasts: number }[],
  all: readonly Proposed[],
) {
  const outages: Outages = new Outages(() => world);
  const hooks = {
    after: (ms: number, work: () => void) => world.clock.after(ms, work),
    caller: outages.wrap('hooks', {
      call: async (_: unknown, body: string) =>
        JSON.stringify({ decision: body.includes('hook-allows') ? 'allow' : 'ask' }),
    }),
  };
  const { tools } = scriptedTools('Refund');
  const world: World = new World(POLICY, { wrap: outages.wrap, hooks, tools });
  const { slack, gate, clock } = world;
  const began = clock.now();
  for (const { ports, at, lasts } of outagesAt)
    outages.planned.push({ ports, from: began + at, until: began + at + lasts });
  for (const at of [0, ...outagesAt.flatMap((one) => [one.at, one.at + one.lasts])])
    clock.after(at, () => {
      slack.down = outages.isDown('slack');
    });

  const sent = all.map((one, index) => ({
    ...one,
    id: `p${index}`,
    agent: one.kind === 'child' ? ('helper' as const) : one.agent,
  }));
  const requested: { readonly agent: string; readonly id: string }[] = [];
  await world.send(bash('start', 'git status', { starts: { agentId: 'helper', sessionId: 'h1' } }));
  for (const one of sent) {
    clock.after(one.at, () => void publish(one));
    if (one.kind === 'run') clock.after(one.at + MINUTE / 2, () => void run(one));
    clock.after(one.at + one.end.after, () => void answered(one));
  }
  const calm = began + Math.max(DAY, ...outagesAt.map(({ at, lasts }) => at + lasts));
  await clock.advance(calm - began);
  // Nobody does anything by hand. The one thing that operators are told to do after an outage, `countersign redrive cards`, only makes cards
  // come sooner that the reconciler asks for again; letters of all other queues are answered by the gate.
  await clock.advance(DAY + APPROVAL_TIMEOUT_MS + HOUR);
  return { world, sent, requested, outages, began };

  async function publish(one: (typeof sent)[number]): Promise<void> {
    const { queue } = gate.agentSide(one.agent);
    await queue.publish(JSON.stringify(messageOf(one.id, one, clock.now())), one.agent);
  }

  /** The gate runs what it approved, where the agent knows of it in time. */
  async function run({ agent, id }: (typeof sent)[number]): Promise<void> {
    const [call] = (await world.decision(id, agent))?.calls ?? [];
    if (!call?.permit) return;
    const { permitId } = call.permit;
    const request = { proposalId: id, callId: call.id, permitId, toolName: 'Refund', input: { order: id } };
    await gate.agentSide(agent).executions.publish(JSON.stringify({ ...request, requestId: 'r1' }), agent);
    requested.push({ agent, id });
  }

  /** People try once more a little later, as people do; then they leave it. */
  async function answered(one: (typeof sent)[number], tries = 2): Promise<void> {
    const { how } = one.end;
    if (how === 'nobody' || !tries) return;
    if (how === 'cancel') {
      const { queue } = gate.agentSide(one.agent);
      return queue.publish(JSON.stringify({ kind: 'cancel', proposalId: `c-${one.id}`, cancels: one.id }), one.agent);
    }
    const view = await world.look.approvals.read(world.pid(one.id, one.agent));
    if (!view?.cards.length) return;
    for (const who of ['alice', 'bob'] as const)
      await clicked(one, who, how).catch(() => clock.after(10 * MINUTE, () => void answered(one, tries - 1)));
  }

  function clicked({ id, agent, kind }: (typeof sent)[number], who: 'alice' | 'bob', how: 'approve' | 'reject') {
    // An edited call is asked about once more.
    if (kind === 'edit' && how === 'approve' && who === 'alice')
      return world.edit(id, who, { command: `git push ${id}` }, agent);
    if (kind === 'question' && how === 'approve') return world.click(id, who, how, { agent, answer: 'main' });
    return world.click(id, who, how, { agent, ...(kind === 'grant' ? { remember: 'session' as const } : {}) });
  }
}

async function checked({ world, sent, requested, outages, began }: Awaited<ReturnType<typeof played>>): Promise<void> {
  const { state } = world.gate.parts;
  for (const { id, agent } of sent) {
    const told = await world.decision(id, agent);
    expect(told, `${agent} reads the decision on ${id}`).toBeDefined();
    const records = await world.look.audit.ofProposal(agent, world.pid(id, agent));
    const decisions = records.filter(({ decision }) => decision !== undefined && decision.proposalId === id);
    expect(
      decisions.map(({ decision }) => decision),
      `one decision on ${id}`,
    ).toEqual([told]);
    const view = await world.look.approvals.read(world.pid(id, agent));
    if (!view) continue;
    expect(view.decision).toEqual(told);
    const { requestedAt, endedAt, expiresAt, askedAs, follows } = view.approval;
    const until = Date.parse(endedAt ?? expiresAt);
    const hadTime = quiet(Date.parse(requestedAt), until);
    const shared = askedAs !== undefined || follows !== undefined;
    if (hadTime && !shared) expect(view.cards.length, `a card of ${id}`).toBeGreaterThan(0);
  }
  for (const { agent, id } of requested)
    expect(await resultOf(world, id, 'r1', agent), `${agent} reads what became of the run of ${id}`).toBeDefined();
  for (const agent of [...AGENTS, 'helper']) expect(world.waiting('agent', agent), agent).toBe(0);
  for (const group of ['platform', 'security']) expect(world.waiting('group', group), group).toBe(0);
  expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  expect([...state.permits.values()].filter(({ dueAt }) => dueAt !== undefined)).toEqual([]);
  expect(world.gate.queues.cards.isIdle).toBe(true);

  /** Whether there was time enough without any outage between the two. */
  function quiet(from: number, until: number): boolean {
    let free = Math.max(from, began);
    for (const one of outages.planned.toSorted((a, b) => a.from - b.from)) {
      if (one.from - free >= ENOUGH && free + ENOUGH <= until) return true;
      free = Math.max(free, one.until);
    }
    return until - free >= ENOUGH;
  }
}

test('G27 whatever is out of service when, every proposal ends with one decision and people were asked where there was time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(outage, { minLength: 1, maxLength: 6 }),
      fc.array(proposal, { minLength: 30, maxLength: 30 }),
      async (outagesAt, all) => checked(await played(outagesAt, all)),
    ),
    { numRuns: runs(6), endOnFailure: true },
  );
});

test('each kind of proposal ends as people and rules want it where nothing is out of service', async () => {
  const all = KINDS.map((kind, index) => ({
    agent: 'coder' as const,
    kind,
    at: index * MINUTE,
    end: { how: 'approve' as const, after: 10 * MINUTE },
  }));
  const result = await played([], all);
  await checked(result);
  const { world, sent } = result;
  const ends: Record<string, string> = {};
  for (const { id, kind, agent } of sent) {
    const { outcome, reasonCode } = await world.decided(id, agent);
    ends[kind] = `${outcome}: ${reasonCode}`;
  }
  expect(ends).toEqual({
    allow: 'approved: rule_match',
    ask: 'approved: approved',
    batch: 'approved: approved',
    child: 'approved: approved',
    choice: 'answered: chosen',
    'choice-of-person': 'answered: chosen',
    deny: 'denied: rule_match',
    edit: 'approved: edited',
    grant: 'approved: approved',
    high: 'approved: approved',
    'hook-allows': 'approved: hook',
    'hook-asks': 'approved: approved',
    question: 'answered: answered',
    run: 'approved: rule_match',
    same: 'approved: approved',
    secret: 'approved: approved',
    short: 'approved: approved',
  });
  const [ran] = result.requested;
  expect(await resultOf(world, ran?.id, 'r1')).toMatchObject({ status: 'succeeded' });
});
