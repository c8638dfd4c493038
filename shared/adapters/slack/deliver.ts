/** One message of the cards' queue, done in Slack; and what becomes of it where that fails (A22). */
import type { CardProblem } from '../../ports/approval-store.ts';
import type { SlackOutMessage } from '../sqs/outbox.ts';
import { type Drawing, drawCard, tellRan } from './draw.ts';
import { CardInLineError, SlackBusyError, SlackProblemError, SlackRefusedError } from './errors.ts';
import { isOutage } from './outage.ts';
import type { SlackPoster } from './poster.ts';

export type Delivered =
  | { readonly kind: 'done' }
  /** Slack will never take it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly error: unknown }
  /** It comes again after so many seconds, and its line waits for it. */
  | {
      readonly kind: 'later';
      readonly seconds: number;
      readonly problem?: CardProblem | undefined;
      readonly error: unknown;
    }
  /** It failed for a reason of its own, again: it is noted in its row, and its line moves on. */
  | { readonly kind: 'aside'; readonly problem: CardProblem; readonly error: unknown };

/** Tries of a message that fails for a reason of its own. */
const MAX_TRIES = 3;
/** Between tries, doubled each time up to the longest. */
const FIRST_RETRY_S = 5;
const LONGEST_RETRY_S = 120;

/** `received`: how often the queue has delivered it. `drawing` may fail, as where the secret of Slack cannot be read. */
export async function deliver(
  message: () => SlackOutMessage,
  received: number,
  drawing: () => Promise<Drawing>,
): Promise<Delivered> {
  const pause = Math.min(LONGEST_RETRY_S, FIRST_RETRY_S * 2 ** (received - 1));
  let tools: Drawing;
  try {
    const given = await drawing();
    tools = { ...given, poster: answering(given.poster) };
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
    const aside = { kind: 'aside', problem: problem ?? 'cannot_draw', error } as const;
    // Without the note nobody would look for it again.
    return (await noted(message, aside.problem, tools)) ? aside : later;
  }
}

async function noted(message: () => SlackOutMessage, problem: CardProblem, { approvals }: Drawing): Promise<boolean> {
  try {
    const read = message();
    if ('pid' in read) await approvals.noteCardProblem(read.pid, problem);
    return true;
  } catch (error) {
    // What cannot even be read belongs to no row.
    return error instanceof SyntaxError;
  }
}

/** What a poster throws that is none of Slack's answers is no answer, whatever it is: waiting may help. */
function answering(poster: SlackPoster): SlackPoster {
  const asked = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      const isAnswer =
        error instanceof SlackBusyError || error instanceof SlackRefusedError || error instanceof SlackProblemError;
      throw isAnswer ? error : new SlackProblemError(undefined, { cause: error });
    }
  };
  return {
    post: (...given) => asked(poster.post(...given)),
    update: (...given) => asked(poster.update(...given)),
    reply: (...given) => asked(poster.reply(...given)),
    say: (...given) => asked(poster.say(...given)),
  };
}

/** Throws what Slack answered, for the queue to deliver it again; see `errors.ts`. */
export async function deliverToSlack(message: SlackOutMessage, drawing: Drawing): Promise<void> {
  switch (message.kind) {
    case 'card':
      return drawCard(message.pid, drawing, message.only);
    case 'ran':
      return tellRan(message.pid, message.ran, drawing);
    case 'announcement':
      return drawing.poster.say(message.channel, message.text);
    default:
      return message satisfies never;
  }
}
