/** Checks which scopes of Slack a policy file needs, and that the manifest asks for all of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkSlack,
  missingScopes,
  SLACK_SCOPES,
  scopesNeeded,
} from '../../../../shared/adapters/slack/check-token.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { workspaceOf } from '../../../../shared/dev/workspace.ts';
import { type LocalSlack, startLocalSlack } from '../../../local/slack/server.ts';
import { policyOf } from '../../use-cases/world.ts';

const TOKEN = 'xoxb-test';
let slack: LocalSlack;
beforeAll(async () => {
  slack = await startLocalSlack({
    signingSecret: 'secret',
    botToken: TOKEN,
    appId: 'A0TEST',
    appName: 'Countersign',
    teamId: 'T0LOCAL',
    teamName: 'Test',
    botUserId: 'U0BOT',
    scopes: ['chat:write', 'commands'],
    users: [{ id: 'U0ANN', name: 'ann', realName: 'Ann' }],
    channels: [],
  });
});
afterAll(() => slack.stop());

const needs = (...scopes: readonly string[]) => ({ scopes, isOurs: (workspace: string) => workspace === 'T0LOCAL' });

test('an app that was installed in another workspace is told apart from a channel that is gone', async () => {
  const elsewhere = { scopes: [], isOurs: () => false };
  await expect(checkSlack(TOKEN, slack.apiUrl, elsewhere)).rejects.toMatchObject({ problem: 'other_workspace' });
  await expect(checkSlack(TOKEN, slack.apiUrl, needs())).resolves.toBeUndefined();
});

describe('scopes', () => {
  test('each is in the manifest and in the table of docs/deploy.md', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../docs/deploy.md'), 'utf8');
    const [, manifest = ''] = /scopes: \{ bot: \[([^\]]*)\]/.exec(text) ?? [];
    expect(manifest.replaceAll("'", '').split(', ').toSorted()).toEqual(SLACK_SCOPES.toSorted());
    for (const scope of SLACK_SCOPES) expect(text).toMatch(new RegExp(`^\\| .*\`${scope}\`.* \\|`, 'm'));
  });

  test('those of user groups and of the task agent are needed where the policy file has them', () => {
    expect(scopesNeeded(policyOf().policy)).toEqual(['chat:write', 'commands', 'users:read']);
    const more = loadPolicy(
      'agents: {}\nchannels: { c: { team: T1, id: C1 } }\napprovers: { a: { userGroup: S1, channel: c } }',
      'policy.yaml',
    );
    expect(scopesNeeded(more.policy)).toContain('usergroups:read');
  });

  test('one that the token lacks is told by name, and as the problem that a post would meet', async () => {
    expect(await missingScopes(TOKEN, slack.apiUrl, ['chat:write', 'users:read'])).toEqual(['users:read']);
    await expect(checkSlack(TOKEN, slack.apiUrl, needs('users:read'))).rejects.toMatchObject({
      problem: 'missing_scope',
    });
    await expect(checkSlack(TOKEN, slack.apiUrl, needs('chat:write'))).resolves.toBeUndefined();
  });

  test('those of the manifest are what a gate on this machine has', async () => {
    const secrets = { signingSecret: 'secret', botToken: TOKEN };
    const local = await startLocalSlack(workspaceOf(policyOf().policy, 'A0TEST', secrets));
    try {
      expect(await missingScopes(TOKEN, local.apiUrl, SLACK_SCOPES)).toEqual([]);
      // The manifest has no scope for this method.
      expect(await missingScopes(TOKEN, local.apiUrl, ['reactions:write'])).toEqual(['reactions:write']);
    } finally {
      await local.stop();
    }
  });

  test('a token that Slack refuses, and a Slack that is away, are told apart', async () => {
    await expect(checkSlack('xoxb-old', slack.apiUrl, needs())).rejects.toMatchObject({ problem: 'token_refused' });
    slack.setOutage(true);
    await expect(checkSlack(TOKEN, slack.apiUrl, needs())).rejects.toMatchObject({ problem: 'down' });
    slack.setOutage(false);
  });
});
