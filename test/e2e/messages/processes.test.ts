/**
 * Checks that several processes of one agent can wait at once (A13).
 *
 * Each is a real process with the agent's own credentials.
 */
import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Decision } from '../../../shared/contract/decision.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { ALICE, approve, BOB, cardOf, reject } from '../harness/slack.ts';

const PROGRAM = resolve(import.meta.dirname, '../programs/wait.ts');

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

interface Waited {
  readonly decision: Promise<Decision>;
  readonly waiting: Promise<void>;
}

/** A process that waits for one proposal and prints its decision; `waiting` when it has begun. */
function waiter(proposalId: string): Waited {
  const begun = Promise.withResolvers<void>();
  const lines: string[] = [];
  const onLine = (line: string) => {
    if (line === 'waiting') begun.resolve();
    else lines.push(line);
  };
  const decision = run(process.execPath, [PROGRAM, proposalId], { env: builder.environment, onLine }).then((ended) => {
    if (ended.code !== 0) throw new Error(`the process ended with ${ended.code}: ${ended.output}`);
    return JSON.parse(lines.at(-1) ?? '') as Decision;
  });
  decision.catch(begun.reject);
  return { decision, waiting: begun.promise };
}

it('two processes that wait for one proposal both get its decision, a third gets that of its own', async () => {
  const shared = await builder.run('git push origin shared');
  const other = await builder.run('git push origin other');
  const [one, two, three] = [waiter(shared), waiter(shared), waiter(other)];
  await Promise.all([one.waiting, two.waiting, three.waiting]);
  await approve(ALICE, await cardOf(builder.pid(shared)));
  await reject(BOB, await cardOf(builder.pid(other)), 'Not the other one.');
  const [first, second, third] = await Promise.all([one.decision, two.decision, three.decision]);
  expect(first).toMatchObject({ proposalId: shared, outcome: 'approved' });
  expect(second).toEqual(first);
  expect(third).toMatchObject({ proposalId: other, outcome: 'denied' });
});

it('a decision that nobody waited for is there for a process that starts later', async () => {
  const id = await builder.run('git status');
  const decision = await builder.wait(id);
  expect(await waiter(id).decision).toEqual(decision);
});
