/**
 * Checks approvals that the previous release opened, without folders (D52, A17).
 *
 * The journals of that release do not hold the folders in which calls were judged.
 */
import { expect, test } from 'vitest';
import { copyOf, toCopy } from '../../../../shared/adapters/memory/stores/json-copy.ts';
import type { MemoryState } from '../../../../shared/adapters/memory/stores/state.ts';
import { heard, LISTED } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const inFolder = (folder: string) =>
  policyOf({ more: LISTED, agents: `  coder: { owner: olga, projectRoot: ${folder} }` });

/** Takes the folders out of every journal. */
function withoutFolders({ journals }: MemoryState): void {
  for (const journal of journals.values()) {
    for (const [key, entry] of journal) {
      const { folders: _, ...others } = copyOf(entry) as Record<string, unknown>;
      journal.set(key, toCopy<unknown>(others));
    }
  }
}

test('are answered, and answer no other call', async () => {
  const world = new World(inFolder('/workspace'));
  await world.send(bash('p', 'make x'));
  withoutFolders(world.gate.parts.state);
  // As they hold no folder, a file that names another one is no move: no file change of an upgrade supersedes what people were asked.
  world.gate.usePolicy(inFolder('/prod'));
  await world.click('p', 'alice', 'approve', { remember: 'session-all-tools' });
  expect(await heard(world, 'p')).toContain('approved');
  await world.send(bash('q', 'make other'));
  expect(await heard(world, 'q')).not.toContain('approved');
});
