/**
 * Checks that an operator has events of the record sent to a webhook again.
 *
 * Receivers compare the ids, which are those of the first time.
 */
import { describe, expect, test } from 'vitest';
import { memoryWebhookQueue, type QueuedEvent } from '../../../../shared/adapters/memory/queues/webhook-queue.ts';
import { withCanary } from '../../../../shared/config/canary.ts';
import { CANARY, CANARY_TOOL } from '../../../../shared/domain/canary.ts';
import { eventIdOf } from '../../../../shared/domain/record/event-id.ts';
import type { EmittedEvent, GateEvent } from '../../../../shared/ports/gate-events.ts';
import { withEvents } from '../../../../shared/use-cases/audit/emit-events.ts';
import { bash, policyOf, World } from '../world.ts';

const WEBHOOKS = `
webhooks:
  siem: { url: "https://events.example/in", secret: siem-key }
  opened: { url: "https://events.example/in", secret: siem-key, events: [ApprovalOpened] }
`;

class Replays {
  readonly told: EmittedEvent[] = [];
  readonly queued: QueuedEvent[] = [];
  readonly world: World;
  #operations = 0;

  constructor(fails: () => boolean = () => false, document = policyOf({ more: WEBHOOKS })) {
    this.world = new World(document, {
      wrap: (name, port) => {
        const sink = { emit: (event: EmittedEvent) => void this.told.push(event) };
        // Each store is wrapped by itself; `withEvents` wraps the three together.
        const told = (key: 'claims' | 'approvals' | 'audit') =>
          withEvents({ claims: port, approvals: port, audit: port } as never, sink)[key] as never;
        if (name === 'claims' || name === 'approvals' || name === 'audit') return told(name);
        if (name !== 'webhooks') return port;
        const { put } = memoryWebhookQueue(this.queued);
        return {
          put: async (...given: Parameters<typeof put>) => {
            await put(...given);
            if (fails()) throw new Error('the queue did not take a message');
          },
        } as never;
      },
    });
  }

  /** A proposal that people approved, and one that was allowed. */
  async happened(): Promise<this> {
    await this.world.send(bash('p1'));
    await this.world.clock.advance(60_000);
    await this.world.click('p1', 'alice');
    await this.world.clock.advance(60_000);
    await this.world.send(bash('p2', 'git status'));
    await this.world.clock.advance(60_000);
    return this;
  }

  async replay(wanted: object) {
    const { world } = this;
    const operationId = `replay-${++this.#operations}`;
    const times = { from: new Date(0).toISOString(), until: new Date(world.clock.now()).toISOString() };
    world.gate.operateAs(
      'oncall',
      JSON.stringify({
        kind: 'replay',
        operationId,
        reason: 'the receiver was down',
        webhook: 'siem',
        ...times,
        ...wanted,
      }),
    );
    await world.rest();
    const page = await world.look.audit.find({ agents: ['-operations'], limit: 100 });
    return page.records.map(({ entry }) => entry).find(({ operation }) => operation?.operationId === operationId);
  }

  ids = (events: readonly EmittedEvent[]) =>
    events.map((event) => eventIdOf(this.world.gate.parts.deployment, event as GateEvent));
}

describe('the events of a time', () => {
  test('are sent again, oldest first, with the ids that they had', async () => {
    const world = await new Replays().happened();
    const before = world.told.filter(({ name }) => name !== 'ApprovalEnded');
    expect(await world.replay({})).toMatchObject({
      accepted: true,
      reasonCode: 'replayed',
      detail: 'the receiver was down',
      operation: { kind: 'replay', from: '1970-01-01T00:00:00.000Z', about: expect.stringContaining('webhook siem') },
    });
    expect(world.queued.map(({ webhook, event }) => [webhook, event.name, event.proposalId]).toSorted()).toEqual([
      ['siem', 'ApprovalOpened', 'p1'],
      ['siem', 'ProposalDecided', 'p1'],
      ['siem', 'ProposalDecided', 'p2'],
      ['siem', 'VoteCounted', 'p1'],
    ]);
    const times = world.queued.map(({ event }) => event.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const again = world.queued.map(({ event }) => event);
    expect(world.ids(again).toSorted()).toEqual(world.ids(before).toSorted());
    expect(new Set(world.ids(again)).size).toBe(4);
  });

  test('hold what the entries hold, and no name of a person', async () => {
    const world = await new Replays().happened();
    await world.replay({});
    for (const { event } of world.queued) {
      const first = world.told.find((one) => one.name === event.name && 'entry' in one && one.entry === event.entry);
      const { detail, ...words } = event;
      expect(first).toMatchObject(words);
      const { durationUs: _, ...figures } = detail;
      expect(first?.detail).toMatchObject(figures);
    }
    expect(JSON.stringify(world.queued)).not.toMatch(/U0ALICE|alice/i);
  });

  test('are those that the webhook is sent, of the time that was named', async () => {
    const world = await new Replays().happened();
    await world.replay({ webhook: 'opened' });
    expect(world.queued.map(({ webhook, event }) => [webhook, event.name])).toEqual([['opened', 'ApprovalOpened']]);
    world.queued.length = 0;
    await world.replay({ from: new Date(world.world.clock.now() - 90_000).toISOString() });
    expect(world.queued.map(({ event }) => event.proposalId)).toEqual(['p2', null]);
    // The operation before is an event, too.
    expect(world.queued.at(-1)?.event.name).toBe('OperationDone');
  });

  test('are one, by its id', async () => {
    const world = await new Replays().happened();
    const voted = world.told.find(({ name }) => name === 'VoteCounted') as EmittedEvent;
    const [event] = world.ids([voted]);
    await world.replay({ event });
    expect(world.queued.map(({ event: { name } }) => name)).toEqual(['VoteCounted']);
  });

  test('come again, with the same ids, after a fault midway', async () => {
    let faults = 1;
    const world = await new Replays(() => faults-- > 0).happened();
    await world.replay({});
    await world.world.clock.advance(600_000);
    expect(world.queued).toHaveLength(8);
    const ids = world.ids(world.queued.map(({ event }) => event));
    expect(ids.slice(4)).toEqual(ids.slice(0, 4));
  });

  test.each([
    [{ webhook: 'seim' }, 'unknown_webhook', 'webhook: the policy file declares no webhook seim'],
    [{ event: '0'.repeat(32) }, 'no_such_event', 'from: '],
    [{ from: '2099-01-01T00:00:00Z' }, 'until_is_before_from', 'until: '],
    [{ event: 'x' }, 'invalid_operation', 'event: must be the id of an event'],
  ])('are not sent for %j', async (wanted, code, problem) => {
    const world = await new Replays().happened();
    expect(await world.replay(wanted)).toMatchObject({
      accepted: false,
      reasonCode: code,
      operation: { problem: expect.stringContaining(problem) },
    });
    expect(world.queued).toEqual([]);
  });

  test('are those that can be read, and the operator hears how many were left out', async () => {
    const world = await new Replays().happened();
    const { look } = world.world;
    const [entry] = await world.world.audit('p2');
    if (!entry) throw new Error('p2 has no entry');
    const later = { ...entry, decidedBy: { type: 'a kind of the next release', id: 'x' } as never };
    await look.audit.put({ key: { agent: 'coder', pid: world.world.pid('p2'), sort: 'vote#9' }, entry: later });
    const voted = world.told.find(({ name }) => name === 'VoteCounted') as EmittedEvent;
    const [event] = world.ids([voted]);
    expect((await world.replay({ event }))?.operation).not.toHaveProperty('problem');
    world.queued.length = 0;
    const problem = expect.stringContaining('1 entry of this time was left out');
    expect(await world.replay({})).toMatchObject({ accepted: true, operation: { problem } });
    expect(world.queued.length).toBeGreaterThan(3);
    expect(world.world.slack.notices.join()).toContain('Done. 1 entry of this time was left out');
    const none = { accepted: false, reasonCode: 'no_such_event', operation: { problem } };
    expect(await world.replay({ event: '0'.repeat(32) })).toMatchObject(none);
  });

  test('are all or none: more than one operation takes are refused', async () => {
    const world = await new Replays().happened();
    const [entry] = await world.world.audit('p2');
    if (!entry) throw new Error('p2 has no entry');
    const pid = world.world.pid('p2');
    for (let n = 0; n < 997; n += 1)
      await world.world.look.audit.put({ key: { agent: 'coder', pid, sort: `ran#${n}` }, entry });
    expect(await world.replay({})).toMatchObject({ accepted: false, reasonCode: 'too_many_events' });
    expect(world.queued).toEqual([]);
  });

  test('are those of every sender but the canary, which had none', async () => {
    const replays = await new Replays(undefined, withCanary(policyOf({ more: WEBHOOKS }))).happened();
    const call = { id: '1', toolName: CANARY_TOOL, input: { verdict: 'deny' } };
    await replays.world.send({ kind: 'tool-call', proposalId: 'c1', calls: [call] }, { agent: CANARY });
    await replays.world.send(bash('p3'), { agent: 'ghost' });
    expect(await replays.replay({})).toMatchObject({ accepted: true });
    const agents = new Set(replays.queued.map(({ event }) => event.agentId));
    expect([...agents].toSorted()).toEqual(['-unregistered', 'coder']);
  });

  test('are sent for operators only', async () => {
    const world = await new Replays().happened();
    world.world.gate.operateAs(
      'coder',
      JSON.stringify({ kind: 'replay', operationId: 'x', reason: 'x', webhook: 'siem' }),
    );
    await world.world.rest();
    expect(world.queued).toEqual([]);
  });
});
