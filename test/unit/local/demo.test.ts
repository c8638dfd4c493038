/**
 * Checks the parts of the demo that need no gate.
 *
 * Covers where it opens a page, when it names the click, and who plays in it.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { castOf } from '../../local/demo/cast.ts';
import { canOpen } from '../../local/demo/open-page.ts';
import { startPrompter } from '../../local/demo/prompter.ts';
import { SCENES } from '../../local/demo/scenes.ts';

describe('the page opens', () => {
  it.each([
    ['where there is a screen', { DISPLAY: ':0' }, 'linux', true],
    ['on a Mac', {}, 'darwin', true],
    ['not without a screen', {}, 'linux', false],
    ['never in CI', { CI: 'true', DISPLAY: ':0' }, 'linux', false],
    ['not on a machine that somebody is logged in to from elsewhere', { SSH_CONNECTION: 'x' }, 'darwin', false],
  ] as const)('%s', (_, env, platform, opens) => expect(canOpen(env, platform)).toBe(opens));
});

describe('the prompt', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('comes last, again below whatever is printed later, and each minute', () => {
    const printed: number[] = [];
    const prompter = startPrompter(() => printed.push(Date.now()));
    const began = Date.now();
    vi.advanceTimersByTime(1_000);
    prompter.touch();
    vi.advanceTimersByTime(1_400);
    expect(printed).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(printed).toEqual([began + 2_500]);
    vi.advanceTimersByTime(120_000);
    expect(printed).toHaveLength(3);
    prompter.stop();
    vi.advanceTimersByTime(120_000);
    expect(printed).toHaveLength(3);
  });
});

describe('the cast', () => {
  const read = (file: string) => loadPolicy(readFileSync(file, 'utf8'), file);

  it.each(['countersign.yaml', 'test/local/demo/demo.yaml'])(
    'of %s is an agent and two others than its owner',
    (file) => {
      expect(castOf(read(file))).toMatchObject({
        agent: 'demo-agent',
        channel: 'C0APPROVALS',
        approvers: ['U0ALICE', 'U0BOB'],
      });
    },
  );

  it('of the demo can play every scene', () => {
    const { tools } = castOf(read('test/local/demo/demo.yaml'));
    expect(SCENES.filter(({ needs }) => needs !== undefined && !tools.has(needs))).toEqual([]);
    expect(new Set(SCENES.map(({ key }) => key)).size).toBe(SCENES.length);
  });
});
