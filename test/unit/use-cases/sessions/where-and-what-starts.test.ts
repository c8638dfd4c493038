/**
 * Checks that approvals are for the call's own folder and for what it starts (D22, A3, A24).
 *
 * Parents are trusted in the policy file's order.
 */
import { describe, expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { family, heard, LISTED, outcomeOf, redemptionOf, startHelper } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const starts = { agentId: 'helper', sessionId: 'h' };
const cardsOf = (world: World) => JSON.stringify([...world.slack.cards.values()]);

describe('a grant', () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    ['in another project', '/prod', {}, 'waits'],
    ['in another project that states the parent’s folder', '/prod', { cwd: '/workspace' }, 'approved bubble'],
    ['in another folder', '/workspace', { cwd: '/workspace/app' }, 'waits'],
    ['in the same folder', '/workspace', {}, 'approved bubble'],
    ['in the same folder, which it states', '/workspace', { cwd: '/workspace' }, 'approved bubble'],
  ])('of a parent, and a helper %s', async (_, root, more, expected) => {
    for (const remember of ['session', 'session-all-tools'] as const) {
      const world = new World(family({ root }));
      await startHelper(world);
      await world.send(bash('given', 'make x'), { agent: 'lead' });
      await world.click('given', 'alice', 'approve', { remember, agent: 'lead' });
      const proposal = bash('p', 'make x', { sessionId: 'h', ...more });
      expect(await outcomeOf(world, proposal, 'helper')).toBe(expected);
    }
  });

  test.each([
    ['that starts nothing', undefined, starts],
    ['that starts another session', { ...starts, sessionId: 'other' }, starts],
    ['that starts a session', starts, undefined],
  ])('for a call %s does not answer one that starts another or none', async (_, before, now) => {
    for (const remember of ['session', 'session-all-tools'] as const) {
      const world = new World(family());
      await world.send(bash('given', 'make go', before ? { starts: before } : {}), { agent: 'lead' });
      await world.click('given', 'alice', 'approve', { remember, agent: 'lead' });
      expect(await outcomeOf(world, bash('p', 'make go', now ? { starts: now } : {}), 'lead')).toBe('waits');
    }
  });
});

describe('what a call starts', () => {
  test('stands on the card', async () => {
    const world = new World(family());
    await world.send(bash('p', 'make go', { starts }), { agent: 'lead' });
    expect(cardsOf(world)).toContain('starts the session h of helper');
    await world.send(bash('q', 'make stay'), { agent: 'lead' });
    expect(cardsOf(world).split('starts the session').length).toBe(cardsOf(world).split('starts the session h').length);
  });

  test('is part of the call: one with it and one without are asked about apart, and start what they say', async () => {
    const world = new World(family());
    await world.send(bash('without', 'make go'), { agent: 'lead' });
    await world.send(bash('with', 'make go', { starts }), { agent: 'lead' });
    await world.send(bash('same', 'make go', { starts }), { agent: 'lead' });
    expect(world.slack.cards.size).toBe(2);
    await world.click('without', 'alice', 'approve', { agent: 'lead' });
    const child = () => memorySessionStore(world.gate.parts.state).read('helper', 'h');
    expect(await child()).toBeUndefined();
    await world.click('with', 'alice', 'approve', { agent: 'lead' });
    expect(await heard(world, 'same', 'lead')).toBe('approved approved');
    expect(await child()).toMatchObject({ parent: { agentId: 'lead', sessionId: 'main' } });
  });

  test('has to be named to redeem the permit, unless the gate keeps the call', async () => {
    const world = new World(family());
    await world.send(bash('p', 'make x', { starts }), { agent: 'lead' });
    await world.click('p', 'alice', 'approve', { agent: 'lead' });
    expect(await redemptionOf(world, 'p', { agent: 'lead' })).toBe('action_digest_mismatch none');
    expect(await redemptionOf(world, 'p', { agent: 'lead', starts: { ...starts, sessionId: 'x' } })).toBe(
      'action_digest_mismatch none',
    );
    expect(await redemptionOf(world, 'p', { agent: 'lead', starts })).toBe('granted');

    const kept = new World(family());
    await kept.send(bash('p', 'make x', { starts }), { agent: 'lead' });
    await kept.click('p', 'alice', 'approve', { agent: 'lead' });
    expect(await redemptionOf(kept, 'p', { agent: 'lead', input: undefined })).toBe('granted');
  });
});

describe('parents that the file lists', () => {
  const document = policyOf({
    more: LISTED,
    agents: `  trusted: { owner: olga, mode: plan }
  looser: { owner: olga, mode: acceptEdits }
  helper: { owner: olga, mode: bubble, parents: [trusted, looser] }`,
    allow: ["'Bash(git status:*)'"],
  });
  const started = async (world: World, by: string, sessionId = 'main') => {
    const mine = {
      kind: 'tool-call',
      proposalId: `s-${by}-${sessionId}`,
      sessionId,
      toolName: 'Read',
      input: { file_path: '/workspace/a' },
      starts,
    };
    return outcomeOf(world, mine, by);
  };
  const parentOf = async (world: World) =>
    (await memorySessionStore(world.gate.parts.state).read('helper', 'h'))?.parent;

  test('the first listed takes a session over that a later one started', async () => {
    const world = new World(document);
    expect(await started(world, 'looser')).toMatch(/^approved/);
    expect(await parentOf(world)).toMatchObject({ agentId: 'looser' });
    expect(await started(world, 'trusted')).toMatch(/^approved/);
    expect(await parentOf(world)).toMatchObject({ agentId: 'trusted' });
  });

  test('a later one does not take over, and neither does another session of the same', async () => {
    const world = new World(document);
    await started(world, 'trusted');
    expect(await started(world, 'looser')).toBe('error session_has_parent');
    expect(await started(world, 'trusted', 'second')).toBe('error session_has_parent');
    expect(await parentOf(world)).toEqual({ agentId: 'trusted', sessionId: 'main' });
  });
});
