/**
 * Answers `/countersign`: a person's waiting questions and grants, and who votes for them.
 * Answers only the person who asks.
 */
import type { App } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { delegationBlocks, grantBlocks } from '../../shared/adapters/slack/home/grant-blocks.ts';
import { pendingBlocks, waitingText } from '../../shared/adapters/slack/home/home.ts';
import { COMMAND } from '../../shared/adapters/slack/texts/command.ts';
import { parseInstant } from '../../shared/domain/parse-instant.ts';
import { inboxOf } from '../../shared/use-cases/approvals/voting/inbox.ts';
import { delegationsAbout } from '../../shared/use-cases/people/delegation.ts';
import { accountOf } from '../../shared/use-cases/people/seats.ts';
import { requestId } from './clicks.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { namesById, namesFor } from './draw-home.ts';
import { ask, barOf, revocable, revoke, type SignedActor } from './revoke-grant.ts';

interface Answer {
  readonly text: string;
  readonly blocks?: KnownBlock[];
}

export function listenToCommand(app: App, listening: ListenerDependencies): void {
  app.command('/countersign', async ({ command, ack }) => {
    if (command.api_app_id !== listening.appId) return ack();
    const actor = {
      person: await accountOf({ team: command.team_id, user: command.user_id }, listening.deps),
      name: command.user_name,
      requestId: requestId(command.trigger_id, command.user_id),
    };
    const words = command.text.trim().split(/\s+/);
    await ack({ response_type: 'ephemeral', ...(await answerTo(words, actor, listening)) });
  });
}

async function answerTo(
  [verb = '', ...rest]: readonly string[],
  actor: SignedActor,
  listening: ListenerDependencies,
): Promise<Answer> {
  // Phones write a first letter as a capital.
  switch (verb.toLowerCase()) {
    case 'pending':
      return pendingOf(actor, listening);
    case 'grants':
      return grantsOf(actor, listening);
    case 'revoke':
      // One alone of several would be taken back.
      if (!rest[0] || rest.length > 1) return { text: COMMAND.revokeWhich };
      return { text: await revoke(rest[0], actor, listening) };
    case 'delegate':
      return delegate(rest, actor, listening);
    default:
      return { text: COMMAND.usage };
  }
}

async function pendingOf({ person }: SignedActor, listening: ListenerDependencies): Promise<Answer> {
  const [inbox, names] = await Promise.all([inboxOf(person, listening), namesFor(listening.client, listening)]);
  return { text: waitingText(inbox), blocks: pendingBlocks(inbox, names) };
}

async function grantsOf(actor: SignedActor, listening: ListenerDependencies): Promise<Answer> {
  const bar = await barOf(actor, listening);
  if (bar !== undefined) return { text: bar };
  const grant = (await revocable(actor.person, listening)) ?? [];
  return { text: COMMAND.given(grant.length), blocks: grantBlocks(grant, namesById(listening.deps.policy.settings)) };
}

/** Slack writes a person as `<@U…|name>` if the command's setting says so. */
const MENTION = /^<@([A-Z0-9]+)(\|[^>]*)?>$/;

async function delegate(
  words: readonly string[],
  actor: SignedActor,
  listening: ListenerDependencies,
): Promise<Answer> {
  const { deps } = listening;
  const { person } = actor;
  const [to = '', ...rest] = words;
  const now = deps.clock.now();
  if (!to) {
    const about = delegationsAbout(await deps.delegations.read(), person, now);
    return { text: COMMAND.delegations(about.length), blocks: delegationBlocks(about) };
  }
  if (to.toLowerCase() === 'off') return { text: await ask({ kind: 'undelegate' }, actor, listening) };
  const user = MENTION.exec(to)?.[1];
  if (user === undefined) return { text: COMMAND.delegateWhom };
  const [end = '', ...more] = rest.filter((word) => word.toLowerCase() !== 'until');
  const until = parseInstant(end, now);
  // The day alone of `2026-12-01 17:00` would end it too early.
  if (until === undefined || until <= now || more.length) return { text: COMMAND.delegateUntil };
  const taker = await accountOf({ team: person.team, user }, deps);
  const wanted = { kind: 'delegate', to: taker, until: new Date(until).toISOString() } as const;
  return { text: await ask(wanted, actor, listening) };
}
