/**
 * Checks that no role may do what another one may, with the credentials of each.
 *
 * The attempts are made of the template's rights: each row family, queue, function, key, secret and prefix of a bucket (G40, G47).
 */
import { readFileSync } from 'node:fs';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { e2eGate, STACK } from '../gate.ts';
import { physicalNames } from '../harness/resources.ts';
import { type StolenRole, stolenRoles } from '../harness/roles.ts';
import { type Attack, attacksOf, keyNameOf } from '../rights/attacks.ts';
import { isRefused } from '../rights/attempt.ts';
import { PAGE, rowsOfPage, statementsOf } from '../rights/table.ts';

/** Requests that are under way at once. */
const WIDTH = 24;

let template: TemplateJson;
let attacks: readonly Attack[];
let roles: ReadonlyMap<string, StolenRole>;
let names: (resource: string) => string;

beforeAll(async () => {
  const { root } = await e2eGate();
  const { TemplateBody = '' } = await root.cloudformation.send(new GetTemplateCommand({ StackName: STACK }));
  template = JSON.parse(TemplateBody) as TemplateJson;
  attacks = attacksOf(template);
  roles = new Map((await stolenRoles()).map((role) => [role.name, role]));
  names = await physicalNames();
}, 300_000);

/** Attempts that were let through. */
async function letThrough(tried: readonly Attack[]): Promise<string[]> {
  const open = [...tried];
  const found: string[] = [];
  const work = async () => {
    for (let attack = open.pop(); attack; attack = open.pop()) {
      const clients = roles.get(attack.role);
      if (!clients) throw new Error(`there are no credentials of ${attack.role}`);
      const attempt = { ...attack, name: names(attack.resource), keyName: keyNameOf(template, attack.resource) };
      const { role, action, resource, key, attributes = [] } = attack;
      if (!(await isRefused(clients, attempt))) found.push([role, action, resource, key, ...attributes].join(' '));
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
  return found.toSorted();
}

describe('with the credentials of any one role', () => {
  it('every role of the stack that has a right is tried', () => {
    const tried = new Set(attacks.map(({ role }) => role));
    expect(tried.size).toBeGreaterThan(30);
    expect([...tried].filter((role) => !roles.has(role))).toEqual([]);
  });

  it.each(['dynamodb', 'sqs', 's3', 'lambda', 'kms', 'secretsmanager', 'states', 'ssm', 'events', 'bedrock'])(
    'nothing of %s is done that is another role’s',
    async (service) => {
      const ofService = attacks.filter(({ action }) => action.startsWith(`${service}:`));
      expect(ofService.length).toBeGreaterThan(10);
      expect(await letThrough(ofService)).toEqual([]);
    },
  );
});

describe('the table of rights', () => {
  it('has each statement of the deployed stack, with a test or a reason', () => {
    const rows = rowsOfPage(readFileSync(PAGE, 'utf8'));
    expect([...rows.keys()].toSorted()).toEqual([...statementsOf(template).keys()].toSorted());
    expect([...rows].filter(([, shown]) => shown === '')).toEqual([]);
  });
});
