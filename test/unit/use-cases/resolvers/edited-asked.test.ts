/** Checks that hooks and models are asked about an edited call before others see it (D23, D56). */
import { describe, expect, test } from 'vitest';
import type { EmittedEvent } from '../../../../shared/ports/gate-events.ts';
import { withEvents } from '../../../../shared/use-cases/audit/emit-events.ts';
import { AUTO, answer, bash, HOOK, isUnsure, many, outsideWorld } from '../outside-world.ts';

const deniesEvil = ({ tool_input: input }: { readonly tool_input: unknown }) =>
  JSON.stringify(input).includes('evil') ? { decision: 'deny', reason: 'no evil here' } : { decision: 'ask' };
const last = (list: readonly { readonly tool_input: Readonly<Record<string, unknown>> }[]) =>
  list.at(-1)?.tool_input['command'];

describe('a hook', () => {
  test('that denies the edited call ends it, with words to the agent and on the card', async () => {
    const { world, bodies, outcome } = outsideWorld({ more: HOOK }, { hook: deniesEvil });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make evil' });
    expect(last(bodies)).toBe('make evil');
    expect(await outcome('p')).toBe('denied/edit_denied');
    const { message } = await world.decided('p');
    expect(message).toBe('U0ALICE changed this call, and the changed call is refused. It was not run. no evil here');
    expect(world.slack.titles).toEqual(['Changed, then denied by policy: coder · make evil']);
    expect(JSON.stringify([...world.slack.cards.values()])).toContain('Alice changed this call, and the changed call');
    expect(world.slack.thread).toEqual([expect.stringContaining('does not run although people changed it')]);
  });

  test('that denies the edited call is stronger than a rule that allows it', async () => {
    const { world, outcome } = outsideWorld({ more: HOOK, allow: ["'Bash(make evil:*)'"] }, { hook: deniesEvil });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make evil' });
    expect(await outcome('p')).toBe('denied/edit_denied');
  });

  test('that is asked about the edited call ends the wait once in the eyes of others', async () => {
    const ended: EmittedEvent[] = [];
    const sink = { emit: (event: EmittedEvent) => event.name === 'ApprovalEnded' && ended.push(event) };
    const told = <Port extends object>(port: Port) =>
      withEvents({ claims: port, approvals: port, audit: port } as never, sink as never)['approvals'] as Port;
    const wrap = <Port extends object>(name: string, port: Port) => (name === 'approvals' ? told(port) : port);
    const { world, outcome } = outsideWorld({ more: HOOK }, { hook: deniesEvil }, { wrap });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make evil' });
    expect(await outcome('p')).toBe('denied/edit_denied');
    expect(ended.map(({ detail }) => detail['status'])).toEqual(['edited']);
  });

  test('that asks opens the linked approval, and its answer is not asked for again', async () => {
    const { world, bodies, outcome } = outsideWorld({ more: HOOK }, { hook: deniesEvil });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make y' });
    expect((await world.row('p')).approval).toMatchObject({ round: 2, status: 'pending' });
    await world.click('p', 'bob');
    expect(await outcome('p')).toBe('approved/edited');
    expect(bodies.map(({ tool_input: input }) => input['command'])).toEqual(['make x', 'make y']);
  });

  test('that allows the edited call lets it run as it was edited', async () => {
    const allowsY = ({ tool_input: input }: { readonly tool_input: unknown }) =>
      JSON.stringify(input).includes('make y') ? { decision: 'allow' } : { decision: 'ask' };
    const { world, outcome } = outsideWorld({ more: HOOK }, { hook: allowsY });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make y' });
    expect(await outcome('p')).toBe('approved/edited');
    const { calls } = await world.decided('p');
    expect(calls[0]?.effective?.input).toEqual({ command: 'make y' });
  });

  test.each([
    ['ask', 'waits'],
    ['deny', 'denied/edit_denied'],
  ])('that fails leaves the edited call to onFailure: %s', async (onFailure, expected) => {
    const more = HOOK.replace('review-key', `review-key, onFailure: ${onFailure}`);
    const fails = ({ tool_input: input }: { readonly tool_input: unknown }) =>
      JSON.stringify(input).includes('make y') ? Promise.reject(new Error('down')) : { decision: 'ask' };
    const { world, outcome } = outsideWorld({ more }, { hook: fails });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make y' });
    expect(await outcome('p')).toBe(expected);
  });

  test('is heard about each edit of several, and not about the calls beside it that nobody edited', async () => {
    const { world, bodies } = outsideWorld(
      { more: HOOK, allow: ["'Bash(make beside:*)'"] },
      {
        hook: ({ tool_input: input }) =>
          String(input['command']).includes('beside') ? {} : deniesEvil({ tool_input: input }),
      },
    );
    await world.send({
      ...many('p', ['make beside']),
      calls: [
        { id: 'beside', toolName: 'Bash', input: { command: 'make beside' } },
        { id: 'call', toolName: 'Bash', input: { command: 'make x' } },
      ],
    });
    await world.edit('p', 'alice', { command: 'make y' });
    await world.edit('p', 'bob', { command: 'make z' });
    expect(bodies.map(({ tool_input: input }) => input['command']).toSorted()).toEqual([
      'make beside',
      'make x',
      'make y',
      'make z',
    ]);
    await world.click('p', 'alice');
    const { calls } = await world.decided('p');
    expect(calls.map(({ outcome: each, reasonCode }) => `${each}/${reasonCode}`)).toEqual([
      'approved/rule_match',
      'approved/edited',
    ]);
  });
});

describe('a model', () => {
  test('that is sure of the edited call denies it, and its answer is in the record', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, {
      model: (question) =>
        JSON.stringify(question.body).includes('evil')
          ? answer(question.nonce, true, 1, 'it is evil')
          : isUnsure(question),
    });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make evil' });
    expect(await outcome('p')).toBe('denied/edit_denied');
    expect(questions).toHaveLength(2);
    const record = (await world.audit('p')).find(({ type }) => type === 'decided');
    expect(record?.classifiers?.at(-1)).toMatchObject({
      by: 'anthropic/judge-1',
      shouldBlock: true,
      reason: 'it is evil',
    });
  });

  test('that is unsure leaves the edited call to other people, once', async () => {
    const { world, questions, outcome } = outsideWorld(AUTO, { model: isUnsure });
    await world.send(bash('p', 'make x'));
    await world.edit('p', 'alice', { command: 'make y' });
    expect((await world.row('p')).approval.round).toBe(2);
    await world.click('p', 'bob');
    expect([await outcome('p'), questions.length]).toEqual(['approved/edited', 2]);
  });
});

test('an edit that is worked twice asks once, and has one decision', async () => {
  const { world, bodies, outcome } = outsideWorld({ more: HOOK }, { hook: deniesEvil });
  await world.send(bash('p', 'make x'));
  await world.edit('p', 'alice', { command: 'make y' });
  await world.gate.parts.deferred.handOver(world.pid('p'));
  await world.gate.parts.deferred.handOver(world.pid('p'));
  await world.gate.reconcile();
  await world.rest();
  await world.click('p', 'bob');
  expect([await outcome('p'), bodies.length, world.faults]).toEqual(['approved/edited', 2, []]);
});

test('where no worker can ask the hook, an edited call runs for nobody', async () => {
  const { world } = outsideWorld({ more: HOOK }, { hook: deniesEvil });
  await world.send(bash('p', 'make x'));
  Object.assign(world.gate.parts.deferred, { handOver: async () => undefined });
  await world.edit('p', 'alice', { command: 'make y' });
  expect(await world.decision('p')).toBeUndefined();
  await world.clock.advance(60 * 60_000);
  expect((await world.decision('p'))?.outcome).toBe('expired');
});
