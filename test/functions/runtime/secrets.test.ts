/** Checks when the secrets of Slack are read anew, and which of them count. */
import { beforeEach, describe, expect, test } from 'vitest';
import { slackSecrets, slackToken } from '../../../functions/runtime/clients/slack-secrets.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';

const MINUTE = 60_000;
const text = (fields: Record<string, unknown>) => JSON.stringify({ signingSecret: 'one', ...fields });
/** As AWS makes up a secret that nobody has written. */
const UNWRITTEN = '{"unwritten":"k2&Xv-)Q"}';

let clock: FakeClock;
let stored: string | Error;
let token: string;
let fetches: number;
const secrets = () =>
  slackSecrets({ token: 'token', signing: 'signing' }, clock, async (name) => {
    if (name === 'token') return token;
    fetches += 1;
    if (stored instanceof Error) throw stored;
    return stored;
  });

beforeEach(() => {
  clock = new FakeClock();
  stored = text({});
  token = JSON.stringify({ botToken: 'xoxb-1' });
  fetches = 0;
});

describe('the secrets of Slack', () => {
  test('are kept for five minutes', async () => {
    const cached = secrets();
    for (const _ of [1, 2, 3]) expect(await cached.get()).toEqual({ botToken: 'xoxb-1', signingSecrets: ['one'] });
    expect(fetches).toBe(1);
    clock.jump(5 * MINUTE);
    await cached.get();
    expect(fetches).toBe(2);
  });

  test('A23 the pending one of a rotation counts beside the current one, and comes second', async () => {
    stored = text({ pendingSigningSecret: 'two' });
    expect((await secrets().get()).signingSecrets).toEqual(['one', 'two']);
  });

  test('A23 a mismatch fetches again, at most once a minute', async () => {
    const cached = secrets();
    await cached.get();
    stored = text({ signingSecret: 'new' });
    expect(await cached.refresh()).toBe(false);
    clock.jump(MINUTE);
    expect(await cached.refresh()).toBe(true);
    expect((await cached.get()).signingSecrets).toEqual(['new']);
    expect(await cached.refresh()).toBe(false);
    clock.jump(MINUTE);
    expect(await cached.refresh()).toBe(false);
    expect(fetches).toBe(3);
  });

  test('a refetch that fails counts as the one of its minute, and leaves the secrets at hand', async () => {
    const cached = secrets();
    await cached.get();
    clock.jump(MINUTE);
    stored = new Error('throttled');
    expect(await cached.refresh()).toBe(false);
    expect(await cached.refresh()).toBe(false);
    expect(fetches).toBe(2);
    expect((await cached.get()).signingSecrets).toEqual(['one']);
  });
});

describe('G42 a secret that cannot be used', () => {
  test.each([
    ['empty', ''],
    ['not JSON', 'one'],
    ['null', 'null'],
    ['a number', '7'],
    ['without a signing secret', '{}'],
    ['with an empty signing secret', text({ signingSecret: '' })],
    ['with a signing secret of blanks', text({ signingSecret: ' \n' })],
    ['with a signing secret that is no text', text({ signingSecret: 7 })],
  ])('%s stops the endpoint, without being quoted', async (_, value) => {
    stored = value;
    await expect(secrets().get()).rejects.toThrow(/secret/);
    await expect(secrets().get()).rejects.not.toThrow(/xoxb|one/);
  });

  test.each(['', UNWRITTEN, 'null', '{}', '{"botToken":" "}', '{"botToken":7}'])(
    'nor is one without a token: %j',
    async (value) => {
      token = value;
      await expect(secrets().get()).rejects.toThrow(/secret/);
      await expect(slackToken('token', clock, async () => token).get()).rejects.toThrow(/secret/);
    },
  );

  test.each(['', ' ', '\t\n'])('a pending secret without a character is none: %j', async (pendingSigningSecret) => {
    stored = text({ pendingSigningSecret });
    expect((await secrets().get()).signingSecrets).toEqual(['one']);
  });

  test('one that was emptied is not used on', async () => {
    const cached = secrets();
    await cached.get();
    clock.jump(MINUTE);
    stored = '{}';
    expect(await cached.refresh()).toBe(false);
    await expect(cached.get()).rejects.toThrow('has no signingSecret');
  });

  test('is looked for again after some seconds, not with each request', async () => {
    stored = '';
    const cached = secrets();
    for (const _ of [1, 2, 3]) await expect(cached.get()).rejects.toThrow();
    expect(fetches).toBe(1);
    clock.jump(5_000);
    stored = text({});
    expect((await cached.get()).botToken).toBe('xoxb-1');
  });
});

describe('what Slack signs with', () => {
  test('is in a secret of its own: what talks to Slack never reads it, and cannot vote as anyone', async () => {
    const asked: string[] = [];
    const cached = slackToken('token', clock, async (name) => {
      asked.push(name);
      return token;
    });
    expect(await cached.get()).toEqual({ botToken: 'xoxb-1' });
    expect(asked).toEqual(['token']);
  });

  test('is read beside the token, where a release before kept it, until the secret of its own is written', async () => {
    stored = UNWRITTEN;
    token = JSON.stringify({ botToken: 'xoxb-1', signingSecret: 'old', pendingSigningSecret: 'newer' });
    expect((await secrets().get()).signingSecrets).toEqual(['old', 'newer']);
    stored = text({});
    expect((await secrets().get()).signingSecrets).toEqual(['one']);
  });

  test('a leftover beside the token counts no more, also where the secret of its own is empty or no JSON', async () => {
    token = JSON.stringify({ botToken: 'xoxb-1', signingSecret: 'old' });
    const empty = ['{}', '{"signingSecret":""}', '{"unwritten":"k2","signingSecret":""}', 'null', '7'];
    // As a shell leaves it that took the quotes, and as Slack shows it.
    for (const wrong of [...empty, '{signingSecret:new}', '0123456789abcdef0123456789abcdef']) {
      stored = wrong;
      await expect(secrets().get()).rejects.toThrow('has no signingSecret');
    }
  });
});
