/**
 * Tests who finds a batch in their inbox once a part of it was decided, or it was passed on.
 *
 * Exactly the people whom its card mentions find it.
 */
import { expect, test } from 'vitest';
import { audienceOf } from '../../../../shared/use-cases/approvals/voting/audience.ts';
import { pendingFor } from '../../../../shared/use-cases/approvals/voting/pending-for.ts';
import { PEOPLE, policyOf, World } from '../world.ts';

const CALLS = ['1', '2', '3'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));

async function batch(quorum: number) {
  const world = new World(policyOf({ approvals: `{ stages: [{ group: platform, quorum: ${quorum} }], timeout: 1h }` }));
  await world.send({ kind: 'tool-call', proposalId: 'b', calls: CALLS });
  const approve = (...ids: string[]) =>
    world.click('b', 'alice', 'approve', { calls: ids.map((id) => ({ id, choice: 'approve' })) });
  const people = async () => {
    const { approval } = await world.row('b');
    const asked = (await audienceOf(approval, world.gate.parts)).flatMap((group) => group.people);
    const waits = Object.values(PEOPLE).map(async (person) => {
      const found = await pendingFor({ person, isBot: false }, [approval], world.gate.parts);
      return found.length ? [person.user] : [];
    });
    const inboxes = (await Promise.all(waits)).flat();
    expect(inboxes).toEqual(asked.map(({ person }) => person.user));
    return inboxes;
  };
  return { world, approve, people };
}

test('a person who voted on one call of a batch finds the rest of it', async () => {
  const { approve, people } = await batch(1);
  expect(await people()).toEqual(['U0ALICE', 'U0BOB']);
  await approve('1');
  expect(await people()).toEqual(['U0ALICE', 'U0BOB']);
});

test('a person who voted on all of its calls finds nothing, while others are needed', async () => {
  const { approve, people } = await batch(2);
  await approve('1', '2');
  expect(await people()).toEqual(['U0ALICE', 'U0BOB']);
  await approve('3');
  expect(await people()).toEqual(['U0BOB']);
});

test('a person who passed it on finds nothing, until it comes back to them', async () => {
  const { world, people } = await batch(1);
  await world.passOn('b', 'alice', 'bob');
  expect(await people()).toEqual(['U0BOB']);
  await world.passOn('b', 'bob', 'alice');
  expect(await people()).toEqual(['U0ALICE']);
});
