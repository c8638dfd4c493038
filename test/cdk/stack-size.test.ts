/** Checks that a stack of too many agents is refused at synthesis, with the way that has room. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CountersignStack } from '../../cdk/countersign-stack.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID } from './support/run-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-size-'));
afterAll(() => rmSync(folder, { recursive: true }));

function stackOf(agents: number, senders: boolean) {
  const lines = Array.from({ length: agents }, (_, index) => {
    const own = senders ? `, senders: ['AROAEXAMPLE${String(index).padStart(10, '0')}']` : '';
    return `  agent-${index}: { owner: olga${own} }`;
  });
  const policyFile = join(folder, 'countersign.yaml');
  const people = 'people: { olga: { team: T1A, user: U1A, name: Olga } }';
  writeFileSync(policyFile, [people, 'agents:', ...lines, ''].join('\n'));
  return () => new CountersignStack(newApp(), 'Gate', { policyFile, slackAppId: APP_ID });
}

test('outputs, which the CDK does not count: an agent with senders has one, and no role', () => {
  expect(stackOf(250, true)).toThrow(
    /^agents: the stack has \d+ outputs with its 250 agents, and CloudFormation takes 200: put Countersign into a stack of your own/,
  );
});

test('as many as docs/deploy.md says have room', () => {
  expect(stackOf(80, false)).not.toThrow();
  expect(stackOf(160, true)).not.toThrow();
});
