/**
 * Checks that a run has the true input, and that no secret of its output stays (D33, A20, G37).
 *
 * The input is not sent again; an output's secret is neither stored nor shown.
 */
import { describe, expect, test } from 'vitest';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { approvedCall, guarded, redeemed, requestRun, resultOf, scriptedTools, TOOLS } from '../running.ts';
import { policyOf, World } from '../world.ts';

const TOKEN = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret as string;
const asking = (more = '') => policyOf({ ask: ['Refund', 'mcp__desk__look'], more: `${TOOLS}${more}` });

/** Everything that the gate holds but the vault. */
const heldBy = ({ gate }: World): string => {
  const deep = (part: unknown): unknown => (part instanceof Map ? [...part].map(deep) : part);
  return JSON.stringify(Object.values(gate.parts.state).map(deep));
};

/** Approved by a person, and what is needed to run it without its input. */
async function approvedByPeople(world: World, input: Record<string, unknown>, toolName = 'Refund') {
  await world.send({ kind: 'tool-call', proposalId: 'p1', toolName, input });
  await world.click('p1', 'alice');
  const decision = await world.decided('p1');
  const permitId = decision.calls[0]?.permit?.permitId ?? '';
  return { agent: 'coder', proposalId: 'p1', callId: 'call', permitId, toolName, decision };
}

describe('a call that people approved runs without its input being sent again', () => {
  test('the gate opens what was sealed, and runs the true input; only the tool sees it', async () => {
    const scripted = scriptedTools('Refund');
    const world = new World(asking(), { tools: scripted.tools });
    const input = { order: 7, header: `Bearer ${TOKEN}` };
    await requestRun(world, await approvedByPeople(world, input));
    expect(await resultOf(world)).toMatchObject({
      status: 'succeeded',
      output: { done: { order: 7, header: expect.stringContaining('‹redacted: ') } },
      redactions: ['done.header'],
    });
    expect(scripted.calls[0]?.input).toEqual(input);
    expect(heldBy(world)).not.toContain(TOKEN);
  });

  test('a tool server that redeems it is given the input', async () => {
    const world = new World(asking());
    const input = { order: 7, header: `Bearer ${TOKEN}` };
    expect(await redeemed(world, await approvedByPeople(world, input))).toMatchObject({ granted: true, input });
  });

  test('one that brought its input is not given it again', async () => {
    const world = new World(asking());
    const call = { ...(await approvedByPeople(world, { order: 7 })), input: { order: 7 } };
    expect(await redeemed(world, call)).not.toHaveProperty('input');
  });

  test('what is shown in its place does not run', async () => {
    const world = new World(asking());
    const call = await approvedByPeople(world, { header: `Bearer ${TOKEN}` });
    const shown = JSON.parse((await world.row('p1')).proposal).calls[0].input;
    expect(await redeemed(world, { ...call, input: shown })).toMatchObject({
      error: { code: 'action_digest_mismatch' },
    });
  });

  test('what is not kept, or not any more, has to be sent; the permit stays usable', async () => {
    const world = new World(guarded());
    const { input, ...call } = await approvedCall(world);
    expect(await redeemed(world, call)).toMatchObject({ permit: 'usable', error: { code: 'input_not_kept' } });
    expect(await redeemed(world, { ...call, input })).toMatchObject({ granted: true });

    let gone = false;
    const later = new World(asking(), {
      wrap: (name, port) =>
        name === 'unsealer'
          ? ({
              open: (key: never) => (gone ? undefined : (port as unknown as { open(key: never): unknown }).open(key)),
            } as unknown as typeof port)
          : port,
    });
    const sealed = await approvedByPeople(later, { header: `Bearer ${TOKEN}` });
    gone = true;
    expect(await redeemed(later, sealed)).toMatchObject({ permit: 'usable', error: { code: 'input_not_kept' } });
  });
});

describe('an output', () => {
  test.each(INVENTED_SECRETS)('keeps no $kind', async ({ secret, text }) => {
    const scripted = scriptedTools('Refund');
    const world = new World(guarded(), { tools: scripted.tools });
    scripted.behave = async () => ({ log: ['fine', text], [text]: 1 });
    await requestRun(world, await approvedCall(world));
    const result = await resultOf(world);
    expect(result).toMatchObject({
      status: 'succeeded',
      output: { log: ['fine', expect.stringContaining('‹redacted')] },
    });
    expect(result?.redactions).toContain('log[1]');
    expect(JSON.stringify(result) + heldBy(world)).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  test("loses what only the policy file's own patterns and names know", async () => {
    const scripted = scriptedTools('Refund');
    const own = 'redaction: { names: [iban], patterns: [{ kind: customer id, pattern: "CUST-*" }] }\n';
    const world = new World(guarded('{}', own), { tools: scripted.tools });
    scripted.behave = async () => ({ iban: 'DE02 1234', note: 'of CUST-4711', order: 7 });
    await requestRun(world, await approvedCall(world));
    expect(await resultOf(world)).toMatchObject({
      output: { iban: '‹redacted: iban›', note: 'of ‹redacted: customer id›', order: 7 },
      redactions: ['iban', 'note'],
    });
  });

  test('that cannot be searched is not shown, and the call ran all the same', async () => {
    const scripted = scriptedTools('Refund');
    const world = new World(guarded(), {
      tools: scripted.tools,
      detector: async () => {
        throw new Error('no detector');
      },
    });
    const call = await approvedCall(world);
    scripted.behave = async () => ({ header: `Bearer ${TOKEN}` });
    await requestRun(world, call);
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded', error: { code: 'RedactionFailed' } });
    expect(await resultOf(world)).not.toHaveProperty('output');
  });
});

describe('an MCP tool that is listed anew asks again (D22)', () => {
  const listed = (digest: string, more = '') =>
    asking(`  mcp__desk__look: { permissions: [Network], definition: ${digest.repeat(64)} }
mcpServers: { desk: { url: "https://desk.example/mcp" } }
${more}`);

  test('the permit of the earlier definition is void', async () => {
    const world = new World(listed('a'));
    const call = await approvedByPeople(world, { drawer: 1 }, 'mcp__desk__look');
    world.gate.usePolicy(listed('b'));
    expect(await redeemed(world, call)).toMatchObject({ permit: 'none', error: { code: 'tool_changed' } });
    world.gate.usePolicy(listed('a'));
    expect(await redeemed(world, call)).toMatchObject({ granted: true });
  });

  test('votes about the earlier definition do not count', async () => {
    const world = new World(listed('a'));
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'mcp__desk__look', input: { drawer: 1 } });
    world.gate.usePolicy(listed('b'));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'superseded' });
  });

  test('what was approved for the session is asked again', async () => {
    const unmatched = (digest: string) => {
      const document = listed(digest);
      return { ...document, policy: { ...document.policy, rules: { ...document.policy.rules, ask: [] } } };
    };
    const look = (proposalId: string) => ({
      kind: 'tool-call',
      proposalId,
      toolName: 'mcp__desk__look',
      input: { drawer: 1 },
    });
    const world = new World(unmatched('a'));
    await world.send(look('p1'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(look('p2'));
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved' });
    world.gate.usePolicy(unmatched('b'));
    await world.send(look('p3'));
    expect(await world.decision('p3')).toBeUndefined();
  });
});
