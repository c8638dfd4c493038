/** `/countersign`: what waits for somebody, what they may take back, who votes in their place. Answers only the person who asks. */
import type { App } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { delegationBlocks, givenBlocks } from '../../shared/adapters/slack/given-blocks.ts';
import { pendingBlocks } from '../../shared/adapters/slack/home.ts';
import type { AskedInSlack, Person } from '../../shared/contract/index.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { type Given, givenIn } from '../../shared/domain/session.ts';
import { readWhen } from '../../shared/domain/when.ts';
import { delegationsAbout } from '../../shared/pipeline/delegate.ts';
import { mayRevoke } from '../../shared/pipeline/given.ts';
import { groupsOfPerson } from '../../shared/pipeline/voter.ts';
import { waitsFor } from '../../shared/pipeline/waits-for.ts';
import type { Listening } from './listening.ts';

const USAGE = [
  'Use one of these:',
  '`/countersign pending`: what waits for you',
  '`/countersign grants`: what was given for later that you may take back',
  '`/countersign revoke ID`: take it back',
  '`/countersign delegate`: who votes in your place, and in whose you do',
  '`/countersign delegate @somebody 3d`: they vote in your place until then (also `2026-12-01` or a time in UTC)',
  '`/countersign delegate off`: nobody does any more',
].join('\n');

const NOT_NOW = 'Only people of this workspace can do this, and who you are could not be found out just now.';
const ON_ITS_WAY = 'On its way: the app tells you in a moment whether it was done.';

interface Answer {
  readonly text: string;
  readonly blocks?: KnownBlock[];
}

/** Who asks, by the signed request. */
interface Asker {
  readonly person: Person;
  readonly name: string;
  readonly requestId: string;
}

export function listenToCommand(app: App, listening: Listening): void {
  app.command('/countersign', async ({ command, ack }) => {
    if (command.api_app_id !== listening.appId) return ack();
    const asker = {
      person: { team: command.team_id, user: command.user_id },
      name: command.user_name,
      requestId: sha256Hex(`${command.trigger_id}#${command.user_id}`).slice(0, 32),
    };
    const words = command.text.trim().split(/\s+/);
    await ack({ response_type: 'ephemeral', ...(await answerTo(words, asker, listening)) });
  });
}

async function answerTo([verb = '', ...rest]: readonly string[], asker: Asker, listening: Listening): Promise<Answer> {
  switch (verb) {
    case 'pending':
      return pendingOf(asker, listening);
    case 'grants':
      return grantsOf(asker, listening);
    case 'revoke':
      return revoke(rest[0] ?? '', asker, listening);
    case 'delegate':
      return delegate(rest, asker, listening);
    default:
      return { text: USAGE };
  }
}

async function pendingOf({ person, name }: Asker, { gate, pending }: Listening): Promise<Answer> {
  const waiting = await waitsFor({ person, name, isBot: false }, await pending(), gate);
  const text = waiting.length ? `Waiting for you: ${waiting.length}` : 'Nothing waits for you.';
  return { text, blocks: pendingBlocks(waiting) };
}

async function grantsOf({ person }: Asker, listening: Listening): Promise<Answer> {
  const given = await revocable(person, listening);
  if (!given) return { text: NOT_NOW };
  return { text: `Given for later: ${given.length}`, blocks: givenBlocks(given) };
}

async function revoke(id: string, { person, name, requestId }: Asker, listening: Listening): Promise<Answer> {
  if (!id) return { text: 'Say which one: `/countersign revoke ID`. `/countersign grants` lists them.' };
  const given = (await revocable(person, listening))?.find((one) => one.id === id);
  if (!given) return { text: 'There is no such grant that you may take back. `/countersign grants` lists them.' };
  const { agent, sessionId } = given;
  const where = sessionId === undefined ? {} : { session: sessionId };
  return ask({ kind: 'revoke', agent, ...where, grant: id }, { person, name, requestId }, listening);
}

/** What the person may take back; undefined for somebody who may do nothing here. The operators' function looks again. */
async function revocable(person: Person, { gate, sessions }: Listening): Promise<Given[] | undefined> {
  if ((await gate.people.standing(person)) !== 'member') return undefined;
  const agents = Object.keys(gate.policy.settings.agents);
  const [groups, ...rows] = await Promise.all([groupsOfPerson(person, gate), ...agents.map(sessions)]);
  const now = gate.clock.now();
  return rows
    .flat()
    .flatMap((row) => givenIn(row, now))
    .filter((given) => mayRevoke(given, { person, groups }, gate.policy));
}

/** Slack writes a person as `<@U…|name>` where the command is set to. */
const MENTION = /^<@([A-Z0-9]+)(\|[^>]*)?>$/;

async function delegate(words: readonly string[], asker: Asker, listening: Listening): Promise<Answer> {
  const { gate } = listening;
  const { person } = asker;
  const [to = '', ...rest] = words;
  const now = gate.clock.now();
  if (!to) {
    const about = delegationsAbout(await gate.delegations.read(), person, now);
    return { text: `Delegations: ${about.length}`, blocks: delegationBlocks(about) };
  }
  if (to === 'off') return ask({ kind: 'undelegate' }, asker, listening);
  const user = MENTION.exec(to)?.[1];
  if (user === undefined) return { text: `Name a person with @, as in \`/countersign delegate @somebody 3d\`.` };
  const until = readWhen(rest.filter((word) => word !== 'until')[0] ?? '', now);
  if (until === undefined || until <= now)
    return { text: 'Say until when: `3d`, `12h`, `2026-12-01` or a time like `2026-12-01T09:30:00Z`, in the future.' };
  const wanted = { kind: 'delegate', to: { team: person.team, user }, until: new Date(until).toISOString() } as const;
  return ask(wanted, asker, listening);
}

/** What this function may not do itself: it passes it on with the person that Slack signed for, and nobody else's word (A25). */
async function ask(wanted: AskedInSlack['wanted'], asker: Asker, { gate, ask: send }: Listening): Promise<Answer> {
  const { person, name, requestId } = asker;
  if ((await gate.people.standing(person)) !== 'member') return { text: NOT_NOW };
  const groups = await groupsOfPerson(person, gate);
  await send({ kind: 'asked-in-slack', operationId: requestId, person, name, groups, wanted });
  return { text: ON_ITS_WAY };
}
