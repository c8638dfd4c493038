/**
 * Checks App Home as an inbox, on a gate in memory.
 *
 * Covers its order, its links, the result of votes, and what a person arranges there.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { AWAY } from '../../../shared/adapters/slack/home/away-form.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { type MemoryWorkspace, startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';
import { pidOf } from '../../../shared/domain/digest.ts';

const [ALICE, BOB, CAROL] = ['U0ALICE', 'U0BOB', 'U0CAROL'];
const APPROVALS = 'C0APPROVALS';
const POLICY = loadPolicy(
  `
people:
  alice: { team: T0ROOM, user: ${ALICE}, name: Alice Approver }
  bob: { team: T0ROOM, user: ${BOB}, name: Bob Approver }
  carol: { team: T0ROOM, user: ${CAROL}, name: Carol Releaser }
  olga: { team: T0ROOM, user: U0OLGA, name: Olga Owner }
agents:
  builder: { owner: olga }
channels:
  approvals: { team: T0ROOM, id: ${APPROVALS} }
  releases: { team: T0ROOM, id: C0RELEASES }
approvers:
  platform: { members: [alice, bob], channel: approvals }
  release: { members: [carol], channel: releases }
approvals: { approvers: platform, timeout: 1h, newCards: { burst: 100, perMinute: 600, listFrom: 1000 } }
tools:
  Deploy:
    permissions: [Execute, Network]
    severity: high
    title: Deploy {version}
    stages: [{ group: platform, quorum: 2, timeout: 20m, escalateTo: release }, { group: release }]
    argsSchema: { type: object, properties: { version: { type: string } } }
rules:
  ask: ['Bash(git push:*)', 'Write']
`,
  'home.yaml',
);

let room: MemoryWorkspace;
let client: CountersignClient;

beforeEach(async () => {
  room = await startMemoryWorkspace(POLICY, { rateLimits: false });
  client = new CountersignClient({ ...room.gate.agentSide('builder'), queueUrl: 'memory', auditTable: 'memory' });
});
afterEach(() => room?.stop());

const bash = (command: string) => ({ toolName: 'Bash', input: { command } });
const deploy = (version: string) => ({ toolName: 'Deploy', input: { version } });
type Block = {
  type: string;
  text?: { text: string };
  accessory?: { action_id: string; url?: string; value?: string; confirm?: unknown; accessibility_label?: string };
  elements?: { text?: string; action_id?: string }[];
};

const blocksOf = (user: string) => (room.slack.home(user)?.content.blocks ?? []) as Block[];
const textOf = ({ text, elements = [] }: Block) => [text?.text ?? '', ...elements.map((one) => one.text)].join(' ');
const words = (user: string) => blocksOf(user).map(textOf).join('\n');
/** The calls that are listed with a link, from the top. */
const listed = (user: string) =>
  blocksOf(user)
    .filter(({ accessory }) => accessory?.action_id === ACTIONS.openCard)
    .map(textOf);

async function open(user: string): Promise<string> {
  await room.slack.openHome(user);
  return words(user);
}

/** Proposes, and waits until the card stands. */
async function ask(call: Parameters<CountersignClient['propose']>[0]) {
  const id = await client.propose(call);
  const pid = pidOf('memory', 'builder', id);
  const isOfIt = (blocks: unknown) => JSON.stringify(blocks).includes(pid);
  await expect.poll(() => room.slack.messages(APPROVALS).find(({ blocks }) => isOfIt(blocks))?.ts).toBeDefined();
  const card = () => room.slack.messages(APPROVALS).find(({ blocks }) => isOfIt(blocks));
  return {
    id,
    ts: card()?.ts ?? '',
    approve: (user: string) =>
      room.slack.click({ user, channel: APPROVALS, ts: card()?.ts ?? '', actionId: ACTIONS.approve }),
  };
}

describe('what waits', () => {
  it('stands with the most severe first, in plain words, with a link to its card and who is needed until when', async () => {
    const push = await ask(bash('git push origin main'));
    const release = await ask(deploy('v1.2.3'));
    const home = await open(ALICE);
    expect(home).toContain('2 wait for you');
    expect(listed(ALICE)).toEqual(['*High* · `Deploy v1.2.3`', '`git push origin main`']);
    const link = (ts: string) => `${room.slack.url}/archives/${APPROVALS}/p${ts.replace('.', '')}`;
    const accessories = blocksOf(ALICE).flatMap(({ accessory }) => accessory ?? []);
    expect(accessories.slice(0, 2).map(({ url }) => url)).toEqual([link(release.ts), link(push.ts)]);
    expect(accessories[1]?.accessibility_label).toBe('Open the card of git push origin main');
    expect(home).toMatch(
      /builder · 2 of platform, none yet · stage 1 of 2 · .*until .*, then release are asked too · <#C0APPROVALS>/,
    );
    expect(home).toMatch(/builder · one of platform · <!date\^\d+\^until \{date_short_pretty\} at \{time\}/);
    expect(await open(CAROL)).toContain('Nothing waits for you');
    expect(await open('U0OLGA')).toContain('Nothing waits for you');
  });

  it('is the same by command', async () => {
    await ask(bash('git push origin by-command'));
    await room.slack.command({ user: BOB, channel: APPROVALS, command: '/countersign', text: 'pending' });
    const [answer] = room.slack.ephemerals(BOB).slice(-1);
    expect(answer?.text).toBe('1 waits for you');
    expect(JSON.stringify(answer?.blocks)).toContain('`git push origin by-command`');
    expect(JSON.stringify(answer?.blocks)).toContain('Open card');
  });

  it('shows a text with a backtick as it is', async () => {
    await ask(bash('git push `whoami`'));
    await open(ALICE);
    expect(listed(ALICE)).toEqual(['git push `whoami`']);
  });

  it('is turned page by page, and drawn anew by Refresh', async () => {
    for (let count = 0; count < 12; count++)
      await ask(bash(`git push origin branch-${String(count).padStart(2, '0')}`));
    await open(ALICE);
    expect(listed(ALICE)).toHaveLength(10);
    expect(words(ALICE)).toContain('Page 1 of 2');
    const press = (actionId: string) =>
      room.slack.click({ user: ALICE, viewId: room.slack.home(ALICE)?.id ?? '', actionId });
    await press(ACTIONS.nextPage);
    await expect.poll(() => listed(ALICE)).toEqual(['`git push origin branch-10`', '`git push origin branch-11`']);
    await press(ACTIONS.refresh);
    expect(words(ALICE)).toContain('Page 2 of 2');
    await press(ACTIONS.previousPage);
    await expect.poll(() => listed(ALICE)).toHaveLength(10);
  });
});

describe('after a vote', () => {
  it('the Home of whoever looked today is drawn anew: it waits for others, then among the last decisions', async () => {
    await open(ALICE);
    const release = await ask(deploy('v2'));
    await release.approve(ALICE);
    await expect.poll(() => words(ALICE)).toContain('Waits for others, after your vote');
    expect(words(ALICE)).toMatch(/`Deploy v2` · .*you approved .*now with platform, so far Alice Approver/);
    expect(listed(ALICE)).toEqual([]);
    await room.slack.openHome(BOB);
    await release.approve(BOB);
    await room.slack.openHome(CAROL);
    expect(listed(CAROL)).toEqual(['*High* · `Deploy v2`']);
    await client.cancel(release.id);
    await client.wait(release.id, { timeout: 10_000 });
    expect(await open(ALICE)).toMatch(/⚠ Approved `Deploy v2` · cancelled by the agent/);
  });

  it('says how it ended, with the words of whoever rejected', async () => {
    const push = await ask(bash('git push origin done'));
    await push.approve(BOB);
    await client.wait(push.id, { timeout: 10_000 });
    expect(await open(BOB)).toMatch(/✓ Approved `git push origin done` · .*may run until /);
  });

  it('says that it ran, and how long it took', async () => {
    const done = client.gate('Bash', () => 'done')({ command: 'git push origin ran' });
    await expect.poll(() => room.slack.messages(APPROVALS).length).toBe(1);
    const [card] = room.slack.messages(APPROVALS);
    await room.slack.click({ user: BOB, channel: APPROVALS, ts: card?.ts ?? '', actionId: ACTIONS.approve });
    await done;
    await expect.poll(() => open(BOB)).toMatch(/✓ Approved `git push origin ran` · ran, \d+ ms/);
  });

  it('nobody gets a Home who has not looked', async () => {
    const push = await ask(bash('git push origin unseen'));
    const dave = room.slack.home('U0STRANGER');
    await push.approve('U0STRANGER');
    expect(room.slack.home('U0STRANGER')).toEqual(dave);
  });
});

describe('"I am away"', () => {
  const press = (user: string, actionId: string) =>
    room.slack.click({ user, viewId: room.slack.home(user)?.id ?? '', actionId });
  const inHours = (hours: number) => String(Math.floor(Date.now() / 1_000) + hours * 3_600);
  const send = async (user: string, person: string, until: string) => {
    const values = {
      [AWAY.person.block]: { [AWAY.person.action]: person },
      [AWAY.until.block]: { [AWAY.until.action]: until },
    };
    return room.slack.submitView({ user, viewId: room.slack.views(user).at(-1)?.id ?? '', values });
  };

  it('asks for a person and a time, and refuses oneself and the past', async () => {
    await open(ALICE);
    await press(ALICE, ACTIONS.away);
    expect(room.slack.views(ALICE)).toHaveLength(1);
    const oneself = await send(ALICE, ALICE, inHours(3));
    expect(oneself.errors).toEqual({ [AWAY.person.block]: 'Choose somebody else than yourself.' });
    const past = await send(ALICE, BOB, inHours(-1));
    expect(past.errors).toEqual({ [AWAY.until.block]: 'Choose a time in the future.' });
    expect(await send(ALICE, BOB, inHours(3))).toMatchObject({ ok: true });
    expect(words(ALICE)).toContain('On its way');
    await expect.poll(() => open(ALICE)).toContain('Bob Approver votes in your place');
    expect(await open(BOB)).toContain('You vote in the place of Alice Approver');
    await press(ALICE, ACTIONS.back);
    await expect.poll(() => open(ALICE)).not.toContain('votes in your place');
  });
});
