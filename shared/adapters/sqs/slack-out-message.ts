/** Declares the messages of the queue that cards are drawn from. */
import type { Person } from '../../contract/index.ts';
import type { CardLine, Ran } from '../../ports/stores/outbox.ts';

/** One message of the slack-out queue. */
export type SlackOutMessage =
  /** `only`: see `CardLine`; without it, as earlier releases sent it, both. */
  | {
      readonly kind: 'card';
      readonly pid: string;
      readonly only?: CardLine['only'] | undefined;
      readonly anew?: CardLine['anew'];
    }
  /** `channel`: in whose line it is; earlier releases did not say. */
  | { readonly kind: 'ran'; readonly pid: string; readonly ran: Ran; readonly channel?: string | undefined }
  /** `unknownOf`: the agent of a run whose end nobody knows; there may be many. */
  | {
      readonly kind: 'announcement';
      readonly channel: string;
      readonly text: string;
      readonly unknownOf?: string | undefined;
    }
  /** A list of calls, by its id. */
  | { readonly kind: 'list'; readonly id: string; readonly anew?: true | undefined }
  /** The App Home of one person, not before `at`. */
  | { readonly kind: 'home'; readonly person: Person; readonly at: number }
  /** To one person who can answer; `key` says what about. */
  | { readonly kind: 'direct'; readonly pid: string; readonly person: Person; readonly key: string };
