/**
 * Checks `/countersign grants|revoke|delegate` and the button in App Home.
 *
 * Each is a signed command through the door, which the operators' function carries out (D31, D36, A25).
 */
import { beforeAll, expect, it } from 'vitest';
import { SCOPE } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { entriesOf } from '../harness/rows.ts';
import { approve, CREW, cardOf, cardsOf, choose, ERIN, FRANK, GUS, reject } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let crafter: Agent;
beforeAll(async () => {
  crafter = await agentNamed('crafter');
});

/** The text of the answer that only the asking person sees. */
async function says(user: string, text: string): Promise<string> {
  const { slack } = await e2eGate();
  const before = slack.ephemerals(user).length;
  expect(await slack.command({ user, channel: CREW, command: '/countersign', text })).toMatchObject({ ok: true });
  return JSON.stringify(await until('the answer', () => slack.ephemerals(user)[before]));
}

it('a grant is listed with its scope, taken back in Home by who gave it, and the next call asks again', async () => {
  const { slack } = await e2eGate();
  const input = { env: 'production', replicas: 7 };
  const ship = async () => {
    const id = await crafter.client.propose({ toolName: 'Ship', input });
    return { id, pid: crafter.pid(id) };
  };
  const first = await ship();
  const { channel, ts } = await cardOf(first.pid);
  const known = await says(FRANK, 'grants');
  await choose(FRANK, { channel, ts }, ACTIONS.session);
  const view = await until('the form', () => slack.views(FRANK).at(-1));
  const values = { [SCOPE.block]: { [SCOPE.action]: 'session' } };
  expect(await slack.submitView({ user: FRANK, viewId: view.id, values })).toMatchObject({ ok: true });
  expect(await crafter.wait(first.id)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
  const second = await ship();
  expect(await crafter.wait(second.id)).toMatchObject({ outcome: 'approved' });
  expect(await cardsOf(second.pid)).toEqual([]);

  const listed = await says(FRANK, 'grants');
  expect(listed).toContain('exactly one call of Ship, for crafter, session');
  const id = [...listed.matchAll(/"([0-9a-f]{12})"/g)]
    .map(([, found = '']) => found)
    .find((one) => !known.includes(one));
  expect(await says(GUS, `revoke ${id}`)).toContain('no such grant that you may take back');
  const homeSays = (words = '') => {
    const home = slack.home(FRANK);
    return home && JSON.stringify(home.content).includes(words) ? home : undefined;
  };
  await slack.openHome(FRANK);
  const home = await until('his Home with it', () => homeSays(id));
  await slack.click({ user: FRANK, viewId: home.id, actionId: ACTIONS.takeBack, shown: id ?? '' });
  await until('the answer in his Home', () => homeSays('On its way'));
  await until('the grant is gone', async () => !(await says(FRANK, 'grants')).includes(id ?? ''));

  const third = await ship();
  expect((await reject(ERIN, await cardOf(third.pid), 'Once was enough.')).ok).toBe(true);
  expect(await crafter.wait(third.id)).toMatchObject({ outcome: 'denied' });
});

it('who is away says who votes in their place: that vote counts until they say otherwise', async () => {
  const ask = async (command: string) => {
    const id = await crafter.run(command);
    const pid = crafter.pid(id);
    return { id, pid, card: await cardOf(pid) };
  };
  expect(await says(FRANK, `delegate <@${GUS}|gus> 1d`)).toContain('On its way');
  await until('the delegation', async () => (await says(FRANK, 'delegate')).includes(GUS));
  const away = await ask('docker push away');
  await approve(GUS, away.card);
  expect(await crafter.wait(away.id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0GUS' } });

  expect(await says(FRANK, 'delegate off')).toContain('On its way');
  await until('its end', async () => !(await says(FRANK, 'delegate')).includes(GUS));
  const back = await ask('docker push back');
  await approve(GUS, back.card);
  expect(await entriesOf('crafter', back.pid, 'click')).toMatchObject([{ reasonCode: 'not_in_group' }]);
  await approve(FRANK, back.card);
  expect(await crafter.wait(back.id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0FRANK' } });
});
