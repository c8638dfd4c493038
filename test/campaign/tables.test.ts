/** Checks what a campaign says of scenes that waited in vain. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { tellKilled } from './tables.ts';

test('a scene that waited in vain fails the run, and the table says for what', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  const told = { rows: [], problems: [] };
  expect(tellKilled({ ...told, unfinished: [] })).toBe(true);
  const vain = 'proposalDead k10: Waited 90000 ms in vain for answers to the dead letters of Proposals';
  expect(tellKilled({ ...told, unfinished: [vain] })).toBe(false);
  expect(log.mock.calls.flat().join('\n')).toContain(vain);
});
