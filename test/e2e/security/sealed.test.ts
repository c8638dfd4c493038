/** Checks secrets that are sealed after a model was asked, and opened where a permit is redeemed. */
import { expect, it } from 'vitest';
import { INVENTED_SECRETS } from '../../support/invented-secrets.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed, newId } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { allRows, waiting } from '../harness/rows.ts';
import { ALICE, approve, BOB, cardOf, reject } from '../harness/slack.ts';

const secret = INVENTED_SECRETS.find(({ kind }) => kind === 'github')?.secret ?? '';

it('a secret of a call that a model could not judge is sealed before people are asked', async () => {
  const assistant = await agentNamed('assistant');
  const input = { header: `Bearer ${secret}`, query: `${newId()} says hang up` };
  const proposalId = newId();
  await assistant.client.propose({ proposalId, toolName: 'mcp__docs__search', input });
  const pid = assistant.pid(proposalId);
  await waiting(pid);
  const rows = await allRows((await e2eGate()).outputs.StateTable ?? '');
  expect(rows.map(({ pk }) => pk)).toContain(`sealed#${pid}`);
  expect(JSON.stringify(rows)).not.toContain(secret);
  await reject(BOB, await cardOf(pid), 'Nobody knows what it is.');
  expect(await assistant.wait(proposalId)).toMatchObject({ outcome: 'denied' });
});

it('a permit of an approved call with a secret is redeemed with that secret, and with no other', async () => {
  const runner = await agentNamed('runner');
  const input = { header: `Bearer ${secret}`, amount: 8 };
  const proposalId = newId();
  await runner.client.propose({ proposalId, toolName: 'RunSecret', input });
  await approve(ALICE, await cardOf(runner.pid(proposalId)));
  const permitId = (await runner.wait(proposalId)).calls[0]?.permit?.permitId;
  const call = { agent: 'runner', proposalId, callId: 'call', permitId, toolName: 'RunSecret' };
  const other = { ...input, header: `Bearer ${secret.replace(/.$/, '0')}` };
  expect((await invoke('redeem', { ...call, input: other })).answer).toMatchObject({ granted: false });
  // A request without an input is handed the one that was approved, opened.
  expect((await invoke('redeem', call)).answer).toMatchObject({ granted: true, input });
});
