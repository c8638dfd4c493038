/** Checks who makes and destroys aliases of people in the record, where the policy file has them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { Countersign } from '../../cdk/constructs/countersign.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';
import { rightsOf } from './support/statements.ts';
import { all, type TemplateJson } from './support/template.ts';

function templateOf(more: string): TemplateJson {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-aliases-'));
  try {
    const policyFile = join(folder, 'aliases.yaml');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8') + more);
    const app = newApp();
    new Countersign(new Stack(app, 'Theirs'), 'Gate', { policyFile, slackAppId: APP_ID });
    return app.synth().getStackByName('Theirs').template as TemplateJson;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By role, what `aliases` gives besides what `ids` does. */
function addedRights(): Record<string, string[]> {
  const [ids, aliases] = [templateOf(''), templateOf('\nrecord: { people: aliases }\n')];
  const names = all(aliases, 'AWS::IAM::Role').map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
  return Object.fromEntries(
    names.flatMap((name) => {
      const before = new Set(rightsOf(ids, name));
      const more = rightsOf(aliases, name).filter((right) => !before.has(right));
      return more.length ? [[name.replace(/^Gate|Role$/g, ''), more]] : [];
    }),
  );
}

test('those who name people in entries make aliases, one function destroys them, and nobody else may write one', () => {
  const make = ['dynamodb:PutItem GateTablesState [alias#*]'];
  expect(addedRights()).toEqual({
    Evaluate: make,
    Deliberate: make,
    Resume: make,
    Reconcile: make,
    Slack: make,
    Converse: make,
    Operate: [
      'dynamodb:BatchGetItem GateTablesAudit',
      'dynamodb:DeleteItem GateTablesState [alias#*]',
      ...make,
      'dynamodb:Query GateTablesAudit/index/byFacet',
    ],
  });
});
