/** Follows a proposal end to end: decided by a rule, or by a person who clicks in a browser. */
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { run } from '../../shared/dev/aws/run.ts';
import { actionDigest } from '../../shared/domain/digest.ts';
import { launchBrowser } from '../local/browser.ts';
import { picture } from '../local/picture.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed } from './harness/agents.ts';
import { approvalOf, sortsOf, waiting } from './harness/rows.ts';
import { ALICE, APPROVALS, approve, BOB, cardOf, cardSays, cardsOf } from './harness/slack.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

describe('what a rule decides', () => {
  it('is allowed at once, with a permit for exactly this call, and asks nobody', async () => {
    const id = await builder.run('git status --short');
    const decision = await builder.wait(id);
    const digest = actionDigest({ toolName: 'Bash', input: { command: 'git status --short' } });
    expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'rule' }, actionDigest: digest });
    expect(decision.calls[0]?.permit).toMatchObject({ actionDigest: digest });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
    expect(await approvalOf(builder.pid(id))).toBeUndefined();
  });

  it('is denied at once, with the reason of the rule, and without a permit', async () => {
    const decision = await builder.wait(await builder.run('rm -rf build'));
    expect(decision).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule' } });
    expect(decision.message).toContain('Deleting files is not for agents.');
    expect(decision.calls[0]).not.toHaveProperty('permit');
  });

  it('is carried by the sample agent, a process of its own, which asks for the rest', async () => {
    const sample = await agentNamed('demo-agent');
    const lines: Record<string, unknown>[] = [];
    const done = run(process.execPath, ['test/examples/agent.ts'], {
      cwd: ROOT,
      env: sample.environment,
      onLine: (line) => {
        const printed = JSON.parse(line) as Record<string, unknown>;
        lines.push(printed);
        if (printed['event'] === 'proposed' && JSON.stringify(printed['input']).includes('git push'))
          void waiting(sample.pid(String(printed['proposalId']))).then(({ approval }) => clickOf(approval.pid));
      },
    });
    const clickOf = async (pid: string) => approve(ALICE, await cardOf(pid));
    expect((await done).code).toBe(0);
    const decided = lines.filter(({ event }) => event === 'decided');
    expect(decided.map(({ outcome }) => outcome).toSorted()).toEqual(['approved', 'approved', 'denied']);
  });
});

describe('a card', () => {
  it('is approved by a click in the browser, and then says by whom', async () => {
    const { slack } = await e2eGate();
    const browser = await launchBrowser({ width: 900, height: 700 });
    try {
      const id = await builder.run('git push origin main', {
        title: 'Publish the fix for the login page',
        reason: 'The tests pass and the release is due today.',
      });
      const pid = builder.pid(id);
      await cardOf(pid);
      const page = await browser.context.newPage();
      page.setDefaultTimeout(15_000);
      await page.goto(`${slack.url}/?user=${ALICE}&channel=${APPROVALS}`);
      const button = page.locator('button').getByText('Approve', { exact: true }).last();
      await button.waitFor();
      await button.scrollIntoViewIfNeeded();
      await picture(page, 'e2e-card-pending');
      await button.click();

      const decision = await builder.wait(id);
      expect(decision).toMatchObject({
        outcome: 'approved',
        reasonCode: 'approved',
        decidedBy: { type: 'human', id: 'T0E2E/U0ALICE' },
      });
      expect(decision.message).toContain(`Approved by ${ALICE}: `);
      await cardSays(pid, 'Approved');
      await page.getByText('Alice Approver').last().waitFor();
      await picture(page, 'e2e-card-approved');
      const [card, ...others] = await cardsOf(pid);
      expect(others).toEqual([]);
      expect(JSON.stringify(card?.blocks)).not.toContain(`"${ACTIONS.approve}"`);
      expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
    } finally {
      await browser.close();
    }
  });

  it('gives the agent nothing to run before somebody clicked', async () => {
    const id = await builder.run('git push origin next');
    const { approval, decision } = await waiting(builder.pid(id));
    expect(approval.votes).toEqual([]);
    expect(decision).toBeUndefined();
    await expect(builder.client.wait(id, { timeout: 300 })).rejects.toThrow('do not run the tool');
    await approve(BOB, await cardOf(approval.pid));
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
  });
});
