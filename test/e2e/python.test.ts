/** Checks an agent in Python on the deployed gate: its role's credentials, boto3, a person in Slack. */
import { beforeAll, expect, it } from 'vitest';
import { lightPython, runPython } from '../python/packages.ts';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { ALICE, approve, cardOf } from './harness/slack.ts';

let builder: Agent;
let python: string;
beforeAll(async () => {
  [python, builder] = await Promise.all([lightPython(), agentNamed('builder')]);
});

it('runs what a rule allows and a person approves, and reads why the rest is refused', async () => {
  const run = `python-${newId()}`;
  const ended = runPython(python, ['test/examples/agent.py', run], builder.environment);
  const early = ended.then(({ output }) => Promise.reject(new Error(`the agent ended before it was asked: ${output}`)));
  await approve(ALICE, await Promise.race([cardOf(builder.pid(`${run}:c-1`)), early]));
  const { code, output } = await ended;
  const lines = output.split('\n').map((line) => JSON.parse(line) as Record<string, string>);
  expect(lines.map(({ outcome }) => outcome)).toEqual(['approved', 'approved', 'denied']);
  expect(lines[1]).toMatchObject({ proposalId: `${run}:c-1`, message: '(played, not run) git push origin python' });
  expect(lines[2]?.['message']).toContain('Deleting files is not for agents.');
  expect(code).toBe(0);
  const decision = await builder.wait(`${run}:c-1`);
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human', id: 'T0E2E/U0ALICE' } });
});
