/** Tests what cards, threads and messages tell people: what is true, who can act, and until when. */
import { describe, expect, test } from 'vitest';
import type { RenderedCard } from '../../../../../shared/adapters/slack/cards/card.ts';
import type { Person } from '../../../../../shared/contract/index.ts';
import type { Ran } from '../../../../../shared/ports/stores/outbox.ts';
import { bash, PEOPLE, policyOf, World } from '../../world.ts';
import { mentionsIn } from './burst-world.ts';

const MINUTE = 60_000;

const cardIn = (world: World, channel = 'C0APPROVALS'): RenderedCard => {
  const found = [...world.slack.cards].filter(([at]) => at.startsWith(channel)).at(-1)?.[1];
  if (!found) throw new Error(`no card in ${channel}`);
  return found;
};
/** The texts of a card in the order of reading. */
function textOf({ blocks }: RenderedCard): string {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('');
}
const batch = {
  kind: 'tool-call',
  proposalId: 'p1',
  calls: ['one', 'two', 'three'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } })),
};

describe('a batch of which people approve a part', () => {
  test('is told call by call, and not as overruled', async () => {
    const world = new World();
    await world.send(batch);
    const calls = [
      { id: 'one', choice: 'approve' },
      { id: 'two', choice: 'reject', reason: 'Not with force.' },
      { id: 'three', choice: 'approve' },
    ] as const;
    await world.click('p1', 'alice', 'approve', { calls });
    const card = cardIn(world);
    expect(card.text).toMatch(/^2 of 3 approved: coder/);
    expect(textOf(card)).toContain('approved 1 and 3 · rejected 2: “Not with force.”');
    expect(textOf(card)).not.toContain('denied by policy');
    expect(world.slack.thread).toEqual([]);
  });

  test('shows while it waits which calls are decided, and offers the rest', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, quorum: 1 }], timeout: 1h }' }));
    await world.send(batch);
    await world.click('p1', 'alice', 'approve', { calls: [{ id: 'two', choice: 'reject', reason: 'No.' }] });
    const text = textOf(cardIn(world));
    expect(text).toContain('✗ 2 · Bash · rejected by Alice: “No.”');
    expect(text).toContain('Approve the remaining 2');
  });
});

describe('the deadline on a card', () => {
  test('is that of the stage, with what happens then', async () => {
    const approvals = '{ stages: [{ group: platform, timeout: 30m, escalateTo: security }], timeout: 1h }';
    const world = new World(policyOf({ approvals }));
    await world.send(bash('p1'));
    const half = new Date(world.clock.now() + 30 * MINUTE).toISOString();
    const card = cardIn(world);
    expect(card.text).toContain(`until ${half.slice(11, 16)} UTC.`);
    expect(textOf(card)).toContain(`<!date^${Date.parse(half) / 1_000}^`);
    expect(textOf(card)).toContain('then security are asked too');
    await world.clock.advance(32 * MINUTE);
    expect(textOf(cardIn(world))).toContain('then it expires and is not run');
    expect(textOf(cardIn(world))).toContain('security are asked too');
  });

  test('of a stage that ends the wait is its own, too', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, timeout: 5m }], timeout: 1h }' }));
    await world.send(bash('p1'));
    const end = new Date(world.clock.now() + 5 * MINUTE).toISOString();
    expect(cardIn(world).text).toContain(`until ${end.slice(11, 16)} UTC.`);
  });
});

describe('who is mentioned', () => {
  test('on a card: everybody whose vote would count, once, and never the owner', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0ALICE', 'U0BOB']);
    expect(textOf(cardIn(world))).toContain('Owner: Olga (may not approve)');
  });

  describe('of a Slack user group', () => {
    const inGroup = (members: readonly Person[] | undefined) =>
      new World(policyOf({ approvers: '  platform: { userGroup: S0PLATFORM, channel: approvals }' }), {
        people: { accountStatus: async () => 'member', nameOf: async () => undefined, membersOf: async () => members },
      });
    const groupMention = '<!subteam^S0PLATFORM>';

    test('the group as a whole, where everybody in it can answer', async () => {
      const world = inGroup([PEOPLE.alice, PEOPLE.bob]);
      await world.send(bash('p1'));
      expect(textOf(cardIn(world))).toContain(groupMention);
      expect(mentionsIn(cardIn(world).blocks)).toEqual([]);
    });

    test('its members who can answer, where the owner is in it', async () => {
      const world = inGroup([PEOPLE.alice, PEOPLE.bob, PEOPLE.olga]);
      await world.send(bash('p1'));
      expect(textOf(cardIn(world))).not.toContain(groupMention);
      expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0ALICE', 'U0BOB']);
    });

    test('the group, where Slack does not tell now who is in it: somebody has to hear of it', async () => {
      const world = inGroup(undefined);
      await world.send(bash('p1'));
      expect(textOf(cardIn(world))).toContain(groupMention);
    });

    test('once one of two has voted, the others alone', async () => {
      const approvers = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
      const approvals = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
      const world = new World(policyOf({ approvers, approvals }), {
        people: {
          accountStatus: async () => 'member',
          nameOf: async () => undefined,
          membersOf: async () => [PEOPLE.alice, PEOPLE.bob, PEOPLE.stranger],
        },
      });
      await world.send(bash('p1'));
      expect(textOf(cardIn(world))).toContain(groupMention);
      await world.click('p1', 'alice');
      expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0BOB', 'U0SAM']);
    });
  });

  test('the others, once somebody voted', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }' }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0BOB']);
    expect(textOf(cardIn(world))).toContain('1 so far (Alice)');
  });

  test('in an escalation: each group in its own channel', async () => {
    const approvers =
      '  platform: { members: [alice, olga], channel: approvals }\n  security: { members: [bob], channel: security }';
    const approvals = '{ stages: [{ group: platform, timeout: 10m, escalateTo: security }], timeout: 1h }';
    const world = new World(policyOf({ approvers, approvals }));
    await world.send(bash('p1'));
    await world.clock.advance(12 * MINUTE);
    expect(mentionsIn(cardIn(world, 'C0SECURITY').blocks)).toEqual(['U0BOB']);
    expect(mentionsIn(world.slack.thread)).toEqual(['U0ALICE']);
  });

  test('in a reminder, with the call itself', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, remind: 4m }], timeout: 1h }' }));
    await world.send(bash('p1'));
    await world.clock.advance(5 * MINUTE);
    expect(mentionsIn(world.slack.thread)).toEqual(['U0ALICE', 'U0BOB']);
    expect(world.slack.thread[0]).toContain('git push origin main of coder still waits');
  });

  test('when it is passed on: whoever has it now, in the thread, since an update tells nobody', async () => {
    const approvers = '  platform: { members: [alice], channel: approvals }';
    const world = new World(policyOf({ approvers }));
    await world.send(bash('p1'));
    await world.passOn('p1', 'alice', 'bob');
    expect(world.slack.thread).toEqual([expect.stringMatching(/^<@U0BOB> Alice passed this on to you/)]);
    expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0BOB']);
    expect(textOf(cardIn(world))).toContain('Alice passed it on to Bob');
  });

  test('never by the words of an agent', async () => {
    const world = new World();
    await world.send(bash('p1', 'git push <@U0OLGA> <!channel>', { title: '<!here> <@U0OLGA>', reason: '@everyone' }));
    const { text, blocks } = cardIn(world);
    expect(mentionsIn({ text })).toEqual([]);
    const markup = JSON.stringify(blocks).match(/"type":"mrkdwn","text":"[^"]*"/g) ?? [];
    expect(markup.join('')).not.toMatch(/<!channel>|<!here>|U0OLGA/);
  });

  test('nor does anything that agents or people wrote stand where it would be formatted', async () => {
    const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, remind: 4m }], timeout: 1h }' }));
    const notes: unknown[] = [];
    const { reply } = world.slack;
    world.slack.reply = async (at, note) => {
      notes.push(note.blocks);
      return reply.call(world.slack, at, note);
    };
    await world.send(bash('p1', 'git push *bold* _it_ ~no~ `x`'));
    await world.clock.advance(5 * MINUTE);
    const pending = JSON.stringify(cardIn(world).blocks);
    await world.click('p1', 'alice', 'reject', { reason: '*never* <@U0OLGA>' });
    const all = `${pending}${JSON.stringify(cardIn(world).blocks)}${JSON.stringify(notes)}`;
    const markup = (all.match(/"type":"mrkdwn","text":"[^"]*"/g) ?? []).join('');
    expect(notes).toHaveLength(1);
    expect(markup).not.toMatch(/bold|_it_|~no~|never|OLGA/);
    expect(textOf(cardIn(world))).toContain('“*never* <@U0OLGA>”');
  });
});

describe('a person who prefers a direct message', () => {
  const withDm = (notify: string) => {
    const document = policyOf();
    const { alice } = document.policy.people;
    return new World({
      ...document,
      policy: {
        ...document.policy,
        people: { ...document.policy.people, alice: { ...alice, notify } as never },
      },
    });
  };

  test('gets one, with what the card says, and is named and not mentioned', async () => {
    const world = withDm('dm');
    await world.send(bash('p1'));
    expect(world.slack.direct).toEqual([
      { user: 'U0ALICE', text: expect.stringMatching(/^coder wants to run git push origin main\./) },
    ]);
    expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0BOB']);
    expect(textOf(cardIn(world))).toContain('Alice');
  });

  test('gets none that is delivered twice, nor after somebody answered', async () => {
    const world = withDm('dm');
    await world.send(bash('p1'));
    const person = { team: 'T0DEMO', user: 'U0ALICE' };
    const { cards } = world.gate.parts;
    const key = [...(await world.row('p1')).cards].map(({ ts }) => `card-${ts}`)[0] ?? '';
    await world.clock.advance(6 * MINUTE);
    await cards.direct(world.pid('p1'), person, key);
    await world.rest();
    expect(world.slack.direct).toHaveLength(1);
    await world.click('p1', 'bob');
    await cards.direct(world.pid('p1'), person, 'another');
    await world.rest();
    expect(world.slack.direct).toHaveLength(1);
  });

  test('holds up no card where the message cannot be sent', async () => {
    const world = withDm('dm');
    world.slack.message = async () => Promise.reject(new Error('user_not_found'));
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('is named below a note in the thread, and not before its first word', async () => {
    const world = withDm('dm');
    await world.send(bash('p1'));
    await world.passOn('p1', 'bob', 'alice');
    expect(world.slack.thread).toEqual([expect.stringMatching(/^Bob passed this on to you: /)]);
  });

  test('or none at all, is told nothing', async () => {
    const world = withDm('none');
    await world.send(bash('p1'));
    expect(world.slack.direct).toEqual([]);
    expect(mentionsIn(cardIn(world).blocks)).toEqual(['U0BOB']);
  });
});

describe('risk', () => {
  const SEVERE = "{ rule: 'Bash(terraform:*)', reason: It changes production., severity: critical }";

  test('is the first word of title and notification, and approving asks once more with the call’s own words', async () => {
    const world = new World(policyOf({ ask: [SEVERE] }));
    await world.send(bash('p1', 'terraform apply', { cwd: '/workspace/infra' }));
    const card = cardIn(world);
    expect(card.text).toMatch(/^Critical: coder wants to run terraform apply in \/workspace\/infra\. 2 of platform/);
    expect(textOf(card)).toMatch(/^Critical: coder wants to run terraform apply/);
    const confirm = JSON.stringify(card.blocks).match(/"confirm":\{.*?\}\s*,"deny"/)?.[0] ?? '';
    expect(confirm).toContain('terraform apply');
    expect(confirm).toContain('1 more person has to agree.');
  });

  test('medium asks nothing twice', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect(JSON.stringify(cardIn(world).blocks)).not.toContain('"confirm"');
  });
});

describe('a decided card', () => {
  const ran = async (world: World, more: Partial<Ran>) => {
    const { calls } = await world.decided('p1');
    const one = { callId: 'call', permitId: calls[0]?.permit?.permitId ?? '', status: 'succeeded', durationMs: 1_200 };
    await world.gate.parts.cards.ran(world.pid('p1'), 'C0APPROVALS', { ...one, ...more } as Ran, 'coder');
    await world.rest();
  };
  const approved = async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    return world;
  };

  test('is two lines and a button, and tells by whom', async () => {
    const world = await approved();
    const { blocks, text } = cardIn(world);
    expect(blocks.map(({ type }) => type)).toEqual(['rich_text', 'context', 'actions']);
    expect(text).toBe('Approved, waits to run: coder · git push origin main');
    expect(textOf(cardIn(world))).toContain('Alice');
    expect(mentionsIn(blocks)).toEqual([]);
  });

  test('tells that it ran, and its thread nothing more', async () => {
    const world = await approved();
    await ran(world, {});
    expect(cardIn(world).text).toMatch(/^Approved, ran: /);
    expect(textOf(cardIn(world))).toContain('succeeded in 1.2 s');
    expect(world.slack.thread).toEqual([]);
  });

  test('tells that it failed, also after it is drawn again, and whoever approved it is told', async () => {
    const world = await approved();
    await ran(world, { status: 'failed', errorCode: 'Timeout' });
    const { approval } = await world.row('p1');
    await world.gate.parts.cards.refresh(approval.pid, 'C0APPROVALS', 'again', {
      agent: 'coder',
      only: 'update',
      anew: true,
    });
    await world.rest();
    expect(cardIn(world).text).toMatch(/^Approved, but failed: /);
    expect(textOf(cardIn(world))).toContain('failed after 1.2 s: Timeout');
    expect(world.slack.thread).toEqual([expect.stringMatching(/^<@U0ALICE> git push origin main ran and failed/)]);
  });

  test('of another channel than the first is drawn in the line of its updates', async () => {
    const world = await approved();
    const { calls } = await world.decided('p1');
    const one = {
      callId: 'call',
      permitId: calls[0]?.permit?.permitId ?? '',
      status: 'succeeded',
      durationMs: 5,
    } as const;
    await world.gate.parts.cards.ran(world.pid('p1'), 'C0ELSEWHERE', one, 'coder');
    await world.rest();
    expect(cardIn(world).text).toMatch(/^Approved, ran: /);
  });

  test('of a call that was changed tells before and after, while it waits and at the end', async () => {
    const world = new World(
      policyOf({ ask: ["'Bash(git push:*)'", 'Mail'], more: 'tools: { Mail: { permissions: [Network] } }' }),
    );
    await world.send({ ...bash('p1'), toolName: 'Mail', input: { to: 'all@example.org' } });
    await world.edit('p1', 'alice', { to: 'beta@example.org' });
    const change = 'Changed by Alice: to: all@example.org → beta@example.org';
    expect(textOf(cardIn(world))).toContain(change);
    expect(world.slack.thread).toEqual([expect.stringContaining('The call was changed.')]);
    await world.click('p1', 'bob');
    expect(cardIn(world).text).toMatch(/^Approved with changes: /);
    expect(textOf(cardIn(world))).toContain(change);
  });
});

test('the channel of a stage that has answered sees no buttons, and who is asked now', async () => {
  const approvals = '{ stages: [{ group: platform }, { group: security }], timeout: 1h }';
  const world = new World(policyOf({ approvals }));
  await world.send(bash('p1'));
  await world.click('p1', 'alice');
  const first = cardIn(world);
  expect(textOf(first)).toContain('platform approved (Alice). Now with *security* in <#C0SECURITY>');
  expect(first.blocks.some(({ type }) => type === 'actions')).toBe(false);
  expect(textOf(cardIn(world, 'C0SECURITY'))).toContain('stage 2 of 2, after platform');
});

test('the same call before counts apart from others under the rule', async () => {
  const world = new World();
  await world.send(bash('p1', 'git push origin main'));
  await world.click('p1', 'alice');
  await world.send(bash('p2', 'git push --force origin main'));
  expect(textOf(cardIn(world))).toContain('exactly this before: never · other calls under this rule: 1 approved');
  await world.send(bash('p3', 'git push origin main'));
  expect(textOf(cardIn(world))).toContain('exactly this before: 1 approved, 0 rejected');
});

test('a call has the name that the policy file gives it', async () => {
  const more = "tools: { Refund: { permissions: [Sensitive], title: 'Refund {amount} EUR for {order}' } }";
  const world = new World(policyOf({ ask: ['Refund'], more }));
  await world.send({ ...bash('p1'), toolName: 'Refund', input: { order: 'A-7', amount: 120.5 } });
  expect(cardIn(world).text).toMatch(/^coder wants to: Refund 120.5 EUR for A-7\./);
});

test('secrets that were taken out are counted', async () => {
  const world = new World();
  await world.send(bash('p1', `git push https://x:ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8@git.example/x main`));
  expect(textOf(cardIn(world))).toContain('1 secret was taken out before this was shown; the call runs with it.');
});

test('every button tells a screen reader what it is about', async () => {
  const world = new World();
  await world.send(batch);
  const buttons =
    JSON.stringify(cardIn(world).blocks).match(/"type":"button".*?(?="type":"button"|"type":"overflow"|$)/g) ?? [];
  expect(buttons).toHaveLength(3);
  for (const one of buttons) expect(one).toContain('accessibility_label');
});
