/** Delivers one message of the cards' queue to Slack, and handles Slack's faults. */
import type { CardProblem } from '../../../ports/stores/approval-store.ts';
import type { SlackOutMessage } from '../../sqs/slack-out-message.ts';
import { announceInTurn } from './announce-in-turn.ts';
import { announceRun, drawCard } from './draw.ts';
import type { Drawing } from './drawing.ts';
import { CardInLineError, SlackBusyError, SlackProblemError, SlackRefusedError } from './errors.ts';
import { drawList } from './list-draw.ts';
import { lookAgain } from './look-again.ts';
import { messagePerson } from './message-person.ts';
import { isOutage } from './outage.ts';
import { drawHomeAt } from './redraw-homes.ts';

export type Delivered =
  | { readonly kind: 'done' }
  /** Slack will never take it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly error: unknown }
  /** The queue delivers the message again after so many seconds, and its line waits for it. */
  | {
      readonly kind: 'later';
      readonly seconds: number;
      readonly problem?: CardProblem | undefined;
      readonly error: unknown;
    }
  /** The message failed again for a reason of its own, and its line moves on: a card is noted in its row, anything else is lost. */
  | { readonly kind: 'aside'; readonly problem: CardProblem; readonly about: About; readonly error: unknown };

/** The ids of a message: all that may be logged of it, since people and agents wrote the rest. */
type About =
  | { readonly kind: 'card'; readonly pid: string; readonly only?: string | undefined }
  | { readonly kind: 'list'; readonly id: string }
  | { readonly kind: 'home' }
  | { readonly kind: 'ran'; readonly pid: string; readonly permitId: string }
  | { readonly kind: 'announcement'; readonly channel: string }
  | { readonly kind: 'direct'; readonly pid: string }
  | { readonly kind: 'unreadable' };

/** Tries of a message that fails for a reason of its own. */
const MAX_TRIES = 3;
/** Between tries, doubled each time up to the longest. */
const FIRST_RETRY_S = 5;
const MAX_RETRY_S = 120;
/** The reconciler asks for a card that was set aside after so long. */
const ASIDE_MS = 15 * 60_000;

/** `received`: how often the queue has delivered it. `drawing` may fail, as where the secret of Slack cannot be read. */
export async function deliver(
  message: () => SlackOutMessage,
  received: number,
  drawing: () => Promise<Drawing>,
): Promise<Delivered> {
  const pause = Math.min(MAX_RETRY_S, FIRST_RETRY_S * 2 ** (received - 1));
  let tools: Drawing;
  try {
    tools = await drawing();
  } catch (error) {
    return { kind: 'later', seconds: pause, error };
  }
  try {
    await deliverToSlack(message(), tools);
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof SlackBusyError || error instanceof CardInLineError)
      return { kind: 'later', seconds: error.retryAfterSeconds, error };
    if (error instanceof SlackRefusedError) return { kind: 'refused', reason: error.reason, error };
    const problem = error instanceof SlackProblemError ? error.problem : undefined;
    const later = { kind: 'later', seconds: pause, problem, error } as const;
    if (isOutage(error) || received < MAX_TRIES) return later;
    const aside = { kind: 'aside', problem: problem ?? 'cannot_draw', about: aboutOf(message), error } as const;
    // Without the note nobody would look for it again.
    return (await noted(aside, tools)) ? aside : later;
  }
}

function aboutOf(message: () => SlackOutMessage): About {
  try {
    const read = message();
    switch (read.kind) {
      case 'card':
        return { kind: 'card', pid: read.pid, only: read.only };
      case 'ran':
        return { kind: 'ran', pid: read.pid, permitId: read.ran.permitId };
      case 'list':
        return { kind: 'list', id: read.id };
      case 'home':
        return { kind: 'home' };
      case 'announcement':
        return { kind: 'announcement', channel: read.channel };
      case 'direct':
        return { kind: 'direct', pid: read.pid };
      default:
        return read satisfies never;
    }
  } catch {
    return { kind: 'unreadable' };
  }
}

/** False if it could not be noted. Only cards and lists have rows that bring them again: the reconciler asks for nothing else. */
async function noted(
  { about, problem }: { readonly about: About; readonly problem: CardProblem },
  drawing: Drawing,
): Promise<boolean> {
  if (about.kind !== 'card' && about.kind !== 'list') return true;
  try {
    const pids = about.kind === 'card' ? [about.pid] : ((await drawing.lists.readList(about.id))?.pids ?? []);
    for (const pid of pids) await lookAgain(pid, problem, ASIDE_MS, drawing);
    return true;
  } catch {
    return false;
  }
}

/** Throws what Slack answered, for the queue to deliver it again; see `errors.ts`. */
async function deliverToSlack(message: SlackOutMessage, drawing: Drawing): Promise<void> {
  switch (message.kind) {
    case 'card':
      return drawCard(message.pid, drawing, message);
    case 'ran':
      return announceRun(message.pid, message.ran, drawing, message.channel);
    case 'list':
      return drawList(message.id, drawing, message.anew);
    case 'home':
      return drawHomeAt(message.person, message.at, drawing);
    case 'announcement':
      return announceInTurn(message, drawing);
    case 'direct':
      return messagePerson(message.pid, message.person, message.key, drawing);
    default:
      return message satisfies never;
  }
}
