/**
 * Checks voters by Slack's word.
 *
 * Runs the adapter on the real web client against the local Slack, with time in hand.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import type { PeopleDirectory } from '../../../shared/ports/people.ts';
import type { LocalSlack } from '../slack/server.ts';
import { ANN, BEN, BOT, startWorkspace, TEAM, TOKEN } from './workspace.ts';

const GROUP = { team: TEAM, id: 'S0BAKERS' };
let slack: LocalSlack;
let now: number;
let directory: PeopleDirectory;

beforeAll(async () => {
  slack = await startWorkspace({ userGroups: [{ id: GROUP.id, handle: 'bakers', users: [ANN] }] });
});
afterAll(() => slack?.stop());
beforeEach(() => {
  now = 1_000_000;
  slack.setOutage(false);
  slack.setUserGroup(GROUP.id, [ANN]);
  directory = slackDirectory(TOKEN, slack.apiUrl, { now: () => now });
});

const calls = () => slack.apiLog.length;
const pass = (ms: number) => {
  now += ms;
};

describe('a person', () => {
  it('is a member, a bot, deactivated, or of another workspace', async () => {
    expect(await directory.accountStatus({ team: TEAM, user: ANN })).toBe('member');
    expect(await directory.accountStatus({ team: TEAM, user: BOT })).toBe('bot');
    expect(await directory.accountStatus({ team: 'T0OTHER', user: ANN })).toBe('foreign');
    slack.changeUser(BEN, { deleted: true });
    expect(await directory.accountStatus({ team: TEAM, user: BEN })).toBe('deactivated');
    slack.changeUser(BEN, { deleted: false, teamId: 'T0OTHER' });
    pass(300_001);
    expect(await directory.accountStatus({ team: TEAM, user: BEN })).toBe('foreign');
    slack.changeUser(BEN, { teamId: TEAM });
  });

  it('is a guest of some channels, or of one', async () => {
    for (const guest of ['of some channels', 'of one channel'] as const) {
      slack.changeUser(BEN, { guest });
      pass(300_001);
      expect(await directory.accountStatus({ team: TEAM, user: BEN })).toBe('guest');
    }
    slack.changeUser(BEN, { guest: undefined });
    pass(300_001);
  });

  it('that Slack does not know, or does not tell of, is unknown, and asked about again after a moment', async () => {
    expect(await directory.accountStatus({ team: TEAM, user: 'U0NOBODY' })).toBe('unknown');
    slack.setOutage(true);
    expect(await directory.accountStatus({ team: TEAM, user: ANN })).toBe('unknown');
    slack.setOutage(false);
    const before = calls();
    expect(await directory.accountStatus({ team: TEAM, user: ANN })).toBe('unknown');
    expect(calls()).toBe(before);
    pass(5_001);
    expect(await directory.accountStatus({ team: TEAM, user: ANN })).toBe('member');
  });

  it('is called as Slack calls them, which costs no call beside that for their account', async () => {
    const before = calls();
    expect(await directory.accountStatus({ team: TEAM, user: ANN })).toBe('member');
    expect(await directory.nameOf({ team: TEAM, user: ANN })).toBe('ann');
    expect(calls() - before).toBe(1);
    expect(await directory.nameOf({ team: TEAM, user: 'U0NOBODY' })).toBeUndefined();
    slack.setOutage(true);
    expect(await directory.nameOf({ team: TEAM, user: BEN })).toBeUndefined();
  });

  it('is asked about once, however many clicks come at a time, and again after five minutes', async () => {
    const before = calls();
    await Promise.all(Array.from({ length: 20 }, () => directory.accountStatus({ team: TEAM, user: ANN })));
    expect(calls() - before).toBe(1);
    pass(299_999);
    await directory.accountStatus({ team: TEAM, user: ANN });
    expect(calls() - before).toBe(1);
    pass(2);
    await directory.accountStatus({ team: TEAM, user: ANN });
    expect(calls() - before).toBe(2);
  });
});

describe('a user group', () => {
  it('has the members that Slack says, as of at most five minutes ago', async () => {
    expect(await directory.membersOf(GROUP)).toEqual([{ team: TEAM, user: ANN }]);
    slack.setUserGroup(GROUP.id, [BEN]);
    expect(await directory.membersOf(GROUP)).toEqual([{ team: TEAM, user: ANN }]);
    pass(300_001);
    expect(await directory.membersOf(GROUP)).toEqual([{ team: TEAM, user: BEN }]);
  });

  it('that cannot be looked up has no members anybody could count on', async () => {
    expect(await directory.membersOf({ team: TEAM, id: 'S0NONE' })).toBeUndefined();
    slack.failNext('usergroups.users.list', 'missing_scope');
    expect(await directory.membersOf(GROUP)).toBeUndefined();
  });
});
