/**
 * Logs the times of tests and the deployed template beside the endpoint's log of rights.
 *
 * `npm run rights` joins the two. Without `COUNTERSIGN_RIGHTS_LOG` it does nothing.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeEach } from 'vitest';
import { type Named, nameOf } from '../../local/localstack/setup-endpoint.ts';
import { type E2eGate, STACK } from '../gate.ts';

const log = process.env['COUNTERSIGN_RIGHTS_LOG'];
const shared = globalThis as { countersignE2eGate?: Promise<E2eGate> };

if (log) {
  beforeEach(({ task, onTestFinished }) => {
    const note = (event: 'began' | 'ended') => {
      const line = { at: Date.now() / 1000, event, test: nameOf(task as unknown as Named) };
      appendFileSync(`${log}.tests`, `${JSON.stringify(line)}\n`);
    };
    note('began');
    onTestFinished(() => note('ended'));
  });
  afterAll(async () => {
    const file = `${log}.template`;
    if (existsSync(file) || !shared.countersignE2eGate) return;
    const { root, endpoint } = await shared.countersignE2eGate;
    const { TemplateBody = '' } = await root.cloudformation.send(new GetTemplateCommand({ StackName: STACK }));
    writeFileSync(file, JSON.stringify({ endpoint: endpoint.pid, template: JSON.parse(TemplateBody) }));
  });
}
