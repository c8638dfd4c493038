/**
 * Checks that a call is bound to the folder that it was judged in (D22, D52).
 *
 * A policy file that names another folder takes no yes along.
 */
import { describe, expect, test } from 'vitest';
import { heard, LISTED, redemptionOf } from '../giving-steps.ts';
import { AUTO, allows, HOOK, MODEL, many, outsideWorld } from '../outside-world.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

const OVER_AN_HOUR = 61 * 60_000;
const inFolder = (folder: string, parts: PolicyParts = {}, more = '') =>
  policyOf({ more: LISTED, ...parts, agents: `  coder: { owner: olga, projectRoot: ${folder}${more} }` });
const SILENT = 'tools: { Bash: { permissions: [Execute], timeoutBehavior: Approve } }\n';

interface Case {
  readonly parts?: PolicyParts;
  readonly mode?: string;
  readonly answers?: Parameters<typeof outsideWorld>[1];
  readonly allow?: (world: World) => Promise<unknown>;
}

const CASES: Readonly<Record<string, Case>> = {
  'a rule': { parts: { allow: ["'Bash(make:*)'"] } },
  'a person': { allow: (world) => world.click('p', 'alice') },
  silence: { parts: { more: SILENT }, allow: (world) => world.clock.advance(OVER_AN_HOUR) },
  'a hook': { parts: { more: LISTED + HOOK }, answers: { hook: () => ({ decision: 'allow' }) } },
  'a model': { parts: { more: LISTED + MODEL }, mode: ', mode: auto', answers: { model: allows } },
};

describe.each(Object.entries(CASES))('a permit that %s gave', (_, { parts, mode = '', answers = {}, allow }) => {
  const permitted = async (more: Record<string, unknown> = {}) => {
    const { world } = outsideWorld({ ...AUTO, more: LISTED, ...parts }, answers);
    world.gate.usePolicy(inFolder('/workspace', parts, mode));
    await world.send(bash('p', 'make x', more));
    await allow?.(world);
    expect(await heard(world, 'p')).toMatch(/^approved/);
    return world;
  };

  test('is void once the file names another folder, and good again in the first one', async () => {
    const world = await permitted();
    world.gate.usePolicy(inFolder('/prod', parts, mode));
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
    world.gate.usePolicy(inFolder('/workspace', parts, mode));
    expect(await redemptionOf(world, 'p')).toBe('granted');
  });

  test('is void once `~` is another folder', async () => {
    const world = await permitted();
    world.gate.usePolicy(inFolder('/workspace', parts, `${mode}, home: /root`));
    expect(await redemptionOf(world, 'p')).toBe('revoked none');
  });

  test('is for the folder that the call states, whatever the file names', async () => {
    const world = await permitted({ cwd: '/workspace' });
    world.gate.usePolicy(inFolder('/', parts, mode));
    expect(await redemptionOf(world, 'p', { cwd: '/workspace' })).toBe('granted');
  });
});

test('a permit names the folders of its agent', async () => {
  const world = new World(policyOf({ more: LISTED }));
  await world.send(bash('p', 'git status'));
  const { permit } = (await world.decided('p')).calls[0] ?? {};
  expect(permit?.allowedBy?.folders).toEqual({ projectRoot: '/workspace', home: '/home/agent' });
});

describe('while it waits, the file names another folder:', () => {
  const waiting = async (more: Record<string, unknown> = {}, parts: PolicyParts = {}) => {
    const world = new World(inFolder('/workspace', parts));
    await world.send(bash('p', 'make x', more));
    world.gate.usePolicy(inFolder('/prod', parts));
    return world;
  };

  test('a yes is for neither of them, and answers nothing later', async () => {
    const world = await waiting();
    await world.click('p', 'alice', 'approve', { remember: 'session-all-tools' });
    expect(await heard(world, 'p')).toBe('superseded superseded');
    expect((await world.decided('p')).message).toContain('names another folder');
    await world.send(bash('q', 'make x'));
    expect(await heard(world, 'q')).toBe('waits');
  });

  test('an edit is not asked about again', async () => {
    const world = await waiting();
    await world.edit('p', 'alice', { command: 'git status' });
    expect(await heard(world, 'p')).toBe('superseded superseded');
  });

  test('silence is no yes', async () => {
    const world = await waiting({}, { more: SILENT });
    await world.clock.advance(OVER_AN_HOUR);
    expect(await heard(world, 'p')).toBe('superseded superseded');
  });

  test('a refusal holds for the folder that was seen', async () => {
    const world = await waiting();
    await world.click('p', 'alice', 'reject');
    expect(await heard(world, 'p')).toBe('denied rejected');
    await world.send(bash('there', 'make x', { cwd: '/workspace' }));
    await world.send(bash('here', 'make x'));
    expect([await heard(world, 'there'), await heard(world, 'here')]).toEqual(['denied remembered_refusal', 'waits']);
  });

  test('an identical call asks by itself', async () => {
    const world = await waiting();
    await world.send(bash('q', 'make x'));
    expect((await world.row('q')).approval.follows).toBeUndefined();
    expect(world.slack.cards.size).toBe(2);
  });

  test('a call that states its folder stays approved, and those beside it that a hook allowed do not', async () => {
    const parts = { more: LISTED + HOOK };
    const allowsBeside = ({ tool_input: input }: { readonly tool_input: Readonly<Record<string, unknown>> }) =>
      input['command'] === 'make beside' ? { decision: 'allow' } : { decision: 'ask' };
    const { world } = outsideWorld(parts, { hook: allowsBeside });
    world.gate.usePolicy(inFolder('/workspace', parts));
    const { calls } = many('p', ['make beside', 'make x']);
    await world.send({
      ...many('p', []),
      calls: calls.map((call, index) => (index ? { ...call, cwd: '/workspace' } : call)),
    });
    world.gate.usePolicy(inFolder('/prod', parts));
    await world.click('p', 'alice');
    expect((await world.decided('p')).calls.map(({ outcome }) => outcome)).toEqual(['superseded', 'approved']);
  });
});
