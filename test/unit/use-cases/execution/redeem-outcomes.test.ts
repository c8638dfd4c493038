/** Tests the ends of redeemed permits: reported outcomes, and runs that nobody reports (A19, G32). */
import { describe, expect, test } from 'vitest';
import type { RedeemAnswer } from '../../../../shared/contract/index.ts';
import type { GuardrailEvent } from '../../../../shared/ports/guardrail-events.ts';
import { recordReport } from '../../../../shared/use-cases/execution/record-outcome.ts';
import { UNREGISTERED } from '../../../../shared/use-cases/identity.ts';
import { approvedCall, guarded, redeemed, report } from '../running.ts';
import { policyOf, World } from '../world.ts';

const MINUTE = 60_000;

const codeOf = (answer: RedeemAnswer) => (answer.granted ? 'granted' : answer.error.code);

describe('outcomes', () => {
  const ran = async (world: World) => (await world.audit('p1')).filter(({ type }) => type === 'ran');

  test('are on the record once, however often they are reported', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await redeemed(world, call);
    await report(world, call);
    await report(world, call);
    expect(await ran(world)).toMatchObject([
      { reasonCode: 'succeeded', ran: { callId: 'call', by: 'holder', durationMs: 5 } },
    ]);
    // Another word on the same run comes too late.
    await report(world, call, { status: 'failed' });
    const refused = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused.map(({ reasonCode }) => reasonCode)).toEqual(['already_recorded']);
    expect(await ran(world)).toHaveLength(1);
  });

  test('are counted by codes of the gate: a code that its reporter chose is on the record, and no series of its own', async () => {
    const counted: unknown[] = [];
    const onEvent = ({ name, detail }: GuardrailEvent) =>
      void (name === 'ToolFailed' && counted.push((detail['error'] as { code: unknown }).code));
    const world = new World(guarded(), { onEvent });
    const call = await approvedCall(world);
    for (const [index, code] of ['E-8f3a', 'Timeout', 'Cancelled'].entries()) {
      const one = index ? await approvedCall(world, { proposalId: `p${index + 1}` }) : call;
      await redeemed(world, one);
      await report(world, one, { status: 'failed', error: { code, message: '' } });
      await world.clock.advance(MINUTE);
    }
    expect(counted).toEqual(['ToolFailed', 'Timeout', 'Cancelled']);
    expect(await ran(world)).toMatchObject([{ ran: { status: 'failed', errorCode: 'E-8f3a' } }]);
  });

  test('with figures that no row holds are on the record: so close to 0 they are 0', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await redeemed(world, call);
    await report(world, call, { durationMs: 1e-200, cost: 5e-324 });
    expect(await ran(world)).toMatchObject([{ reasonCode: 'succeeded', ran: { durationMs: 0 } }]);
    const held = await world.gate.parts.permits.read(world.pid('p1'), 'call');
    expect(held?.ended).toMatchObject({ durationMs: 0, cost: 0 });
  });

  test('are on the record with the text of their error, without its secrets', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await redeemed(world, call);
    const message = 'refused: password=hunter2hunter2';
    await report(world, call, { status: 'failed', error: { code: 'ToolFailed', message } });
    const [entry] = await ran(world);
    expect(entry?.detail).toMatch(/^refused: password=‹redacted/);
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });

  test.each([
    ['of a permit that nobody redeemed', {}, 'coder', 'unknown_permit', false],
    ['of another permit', { permitId: 'guess' }, 'coder', 'unknown_permit', true],
    ['of another action', { actionDigest: 'b'.repeat(64) }, 'coder', 'action_digest_mismatch', true],
    ["of another agent's", {}, 'writer', 'unknown_permit', true],
    ['with a cost that is none (G29)', { cost: -1 }, 'coder', 'invalid_outcome', true],
    ['with a field that nobody knows', { approved: true }, 'coder', 'invalid_outcome', true],
  ])('%s are refused and audited', async (_, more, agent, code, redeem) => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    if (redeem) await redeemed(world, call);
    await report(world, call, more, agent);
    const records = await world.look.audit.recent(agent, 5);
    expect(records.map(({ entry }) => entry.reasonCode)).toContain(code);
    expect(await ran(world)).toEqual([]);
  });

  const byServer = (world: World, { decision, ...call }: Awaited<ReturnType<typeof approvedCall>>, more = {}) => {
    const { proposalId, callId, permitId } = call;
    const { actionDigest } = decision.calls[0] ?? {};
    const outcome = { status: 'succeeded', startedAt: '2026-11-21T09:00:00.000Z', durationMs: 5 };
    const raw = {
      agent: 'coder',
      proposalId,
      callId,
      permitId,
      actionDigest,
      redemptionId: 'guess',
      ...outcome,
      ...more,
    };
    return recordReport({ messageId: world.ids.next(), raw }, world.gate.parts);
  };

  test('a report of a tool server is read as the queue reads: no forbidden key, no number that readers disagree on', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, call);
    const redemptionId = answer.granted ? answer.redemptionId : '';
    for (const more of [
      JSON.parse('{"__proto__":{"status":"failed"}}') as object,
      { cost: Infinity },
      { cost: 2 ** 53 },
    ])
      expect(await byServer(world, call, { redemptionId, extra: more, ...more })).toMatchObject({
        recorded: false,
        code: 'invalid_outcome',
      });
    // An event that claims to come from a queue is a report like any other.
    const posing = { Records: [{ body: '{}', attributes: { SenderId: 'AROAEXAMPLE:x' } }] };
    expect(await recordReport({ messageId: 'm', raw: posing }, world.gate.parts)).toMatchObject({
      recorded: false,
      code: 'invalid_outcome',
    });
    expect(await ran(world)).toEqual([]);
  });

  test.each([
    ['by a guessed redemption', {}, 'coder', 'unknown_permit'],
    ['for another agent', { agent: 'writer' }, 'writer', 'unknown_permit'],
    ['for an agent that nobody knows', { agent: 'nobody' }, UNREGISTERED, 'unknown_permit'],
    ['of another action', { actionDigest: 'b'.repeat(64) }, 'coder', 'action_digest_mismatch'],
    ['of a cost that is none', { cost: Number.NaN }, UNREGISTERED, 'invalid_outcome'],
    ['that is none', { agent: 7 }, UNREGISTERED, 'invalid_outcome'],
  ])('a report of a tool server %s is refused and audited', async (_, more, recordOf, code) => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, call);
    const redemptionId = answer.granted && 'actionDigest' in more ? answer.redemptionId : 'guess';
    expect(await byServer(world, call, { redemptionId, ...more })).toMatchObject({ recorded: false, code });
    const [record] = await world.look.audit.recent(recordOf, 1);
    expect(record?.entry).toMatchObject({ type: 'refused', reasonCode: code });
    expect(await ran(world)).toEqual([]);
  });

  test('a tool server reports once what it redeemed; a second word of another kind is refused and audited', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, call);
    const redemptionId = answer.granted ? answer.redemptionId : '';
    expect(await byServer(world, call, { redemptionId })).toEqual({ recorded: true });
    expect(await byServer(world, call, { redemptionId })).toEqual({ recorded: true });
    expect(await byServer(world, call, { redemptionId, status: 'failed' })).toMatchObject({ code: 'already_recorded' });
    const refused = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused.map(({ reasonCode }) => reasonCode)).toEqual(['already_recorded']);
    expect(await ran(world)).toHaveLength(1);
  });

  test('a tool server that says so reports alone what it redeemed: no agent tells in its place how the run ended', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, { ...call, reporter: 'redeemer' });
    const redemptionId = answer.granted ? answer.redemptionId : '';
    await report(world, call, { status: 'failed', cost: 0 });
    expect(await ran(world)).toEqual([]);
    const [refused] = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused?.reasonCode).toBe('unknown_permit');
    expect(await byServer(world, call, { redemptionId: 'guess' })).toMatchObject({ code: 'unknown_permit' });
    expect(await byServer(world, call, { redemptionId })).toEqual({ recorded: true });
    expect(await ran(world)).toMatchObject([{ reasonCode: 'succeeded' }]);
  });

  test('teach the breaker: reported failures open it, for whoever redeems next (R3-044)', async () => {
    const world = new World(guarded('{ environments: { production: { failureThreshold: 2, ratePerSecond: 100 } } }'));
    for (const proposalId of ['p1', 'p2']) {
      const call = await approvedCall(world, { proposalId });
      expect(codeOf(await redeemed(world, call))).toBe('granted');
      await report(world, call, { status: 'failed', error: { code: 'ToolFailed', message: 'no' } });
    }
    const third = await approvedCall(world, { proposalId: 'p3' });
    expect(await redeemed(world, third)).toMatchObject({
      permit: 'usable',
      error: { code: 'CircuitOpen', details: { circuitState: 'open', retryAfterMs: 60_000 } },
    });
  });

  test('R3-049 a reported 429, or another refusal of a policy, does not count against the tool', async () => {
    const world = new World(guarded('{ environments: { production: { failureThreshold: 2, ratePerSecond: 100 } } }'));
    for (const [index, code] of ['RateLimited', 'CircuitOpen', 'BudgetExceeded', 'ConcurrencyLimited'].entries()) {
      const call = await approvedCall(world, { proposalId: `p${index}` });
      expect(codeOf(await redeemed(world, call))).toBe('granted');
      await report(world, call, { status: 'failed', error: { code, message: 'not now' } });
    }
    expect(codeOf(await redeemed(world, await approvedCall(world, { proposalId: 'last' })))).toBe('granted');
  });

  test('R3-049 GR-024 what the tool refused, bad input above all, does not count against it', async () => {
    const causes: unknown[] = [];
    const onEvent = ({ name, detail }: GuardrailEvent) =>
      void (name === 'ToolFailed' && causes.push((detail['error'] as { cause: string }).cause));
    const policy = '{ environments: { production: { failureThreshold: 2, ratePerSecond: 100 } } }';
    const world = new World(guarded(policy), { onEvent });
    const categories = ['ContractError', 'AuthError', 'ContractError', 'SystemError', 'SystemError'];
    for (const [index, category] of categories.entries()) {
      const call = await approvedCall(world, { proposalId: `p${index}` });
      expect(codeOf(await redeemed(world, call))).toBe('granted');
      await report(world, call, { status: 'failed', error: { category, code: 'Invalid', message: 'no' } });
    }
    expect(causes).toEqual(['contract', 'auth', 'contract', 'system', 'system']);
    expect(codeOf(await redeemed(world, await approvedCall(world, { proposalId: 'last' })))).toBe('CircuitOpen');
  });

  test('G28 charge the budget with what the call cost', async () => {
    const world = new World(
      guarded('{ agents: { coder: { budget: { costPerDay: 10 } } }, tools: { Refund: { costPerCall: 6 } } }'),
    );
    const [first, second, third] = await Promise.all(
      ['p1', 'p2', 'p3'].map((proposalId) => approvedCall(world, { proposalId })),
    );
    if (!first || !second || !third) throw new Error('three calls');
    expect(codeOf(await redeemed(world, first))).toBe('granted');
    expect(await redeemed(world, second)).toMatchObject({
      error: { code: 'BudgetExceeded', details: { resetAfterMs: expect.any(Number) } },
    });
    await report(world, first, { cost: 1 });
    expect(codeOf(await redeemed(world, second))).toBe('granted');
    await report(world, second, { cost: 6 });
    expect(codeOf(await redeemed(world, third))).toBe('BudgetExceeded');
  });
});

describe('a run that is never reported', () => {
  const silent = async (guardrails: string) => {
    const world = new World(guarded(guardrails));
    const call = await approvedCall(world);
    await redeemed(world, call);
    await world.clock.advance(3 * MINUTE);
    return { world, call };
  };
  const budgeted = (more: string) =>
    `{ agents: { coder: { budget: { costPerDay: 10 } } }, tools: { Refund: { costPerCall: 6 } }${more} }`;

  test('G32 AU-018 is recorded as unknown once its time is over, and a person hears of it', async () => {
    const { world, call } = await silent('{}');
    const [entry] = (await world.audit('p1')).filter(({ type }) => type === 'ran');
    expect(entry).toMatchObject({ reasonCode: 'unknown', ran: { status: 'unknown' } });
    expect(world.slack.notices).toEqual([
      expect.stringContaining('Nobody knows whether a call took effect: Refund of coder, started 2026-'),
    ]);
    // People read no ids: the record has them.
    expect(world.slack.notices[0]).not.toMatch(/p1|proposal|call c/);
    await report(world, call);
    expect((await world.audit('p1')).at(-1)).toMatchObject({
      reasonCode: 'already_recorded',
      detail: expect.stringContaining('recorded as unknown: no report came in time'),
    });
    expect(codeOf(await redeemed(world, call))).toBe('already_consumed');
  });

  test.each([
    ['nobody but the requester is asked about the tool', ', stages: [{ by: requester }]', undefined, 1],
    ['the policy names nobody to ask: in every channel', '', '{}', 2],
  ])('G32 a person hears of it also where %s', async (_, stages, approvals, times) => {
    const more = `tools:\n  Note: { permissions: [Write]${stages} }`;
    const world = new World(policyOf({ allow: ['Note'], more, ...(approvals ? { approvals } : {}) }));
    await redeemed(world, await approvedCall(world, { toolName: 'Note' }));
    await world.clock.advance(3 * MINUTE);
    expect(world.slack.notices).toHaveLength(times);
    expect(world.slack.notices[0]).toContain('Nobody knows whether a call took effect: Note');
  });

  test('stays charged, or gives back what it reserved, as the policy says', async () => {
    for (const [more, expected] of [
      ['', 'BudgetExceeded'],
      [', unreported: { charge: false }', 'granted'],
    ] as const) {
      const { world } = await silent(budgeted(more));
      const next = await approvedCall(world, { proposalId: 'p2' });
      expect(codeOf(await redeemed(world, next))).toBe(expected);
    }
  });

  test('says nothing about the tool: the breaker stays as it is', async () => {
    const { world } = await silent('{ environments: { production: { failureThreshold: 1 } } }');
    expect(codeOf(await redeemed(world, await approvedCall(world, { proposalId: 'p2' })))).toBe('granted');
  });

  test('announces nothing if it only read', async () => {
    const world = new World(guarded());
    await redeemed(world, await approvedCall(world, { toolName: 'Search' }));
    await world.clock.advance(3 * MINUTE);
    expect(world.slack.notices).toEqual([]);
  });
});
