/** Plays Slack's side of forms, App Home and private answers, as its Web API shows them to people. */
import type { WebClient } from '@slack/web-api';
import type { CountingClock } from '../model/clock.ts';
import type { Faults } from '../model/faults.ts';
import { PEOPLE, type PersonName } from '../model/policies.ts';

/** The world that Slack is in. */
interface Around {
  readonly clock: CountingClock;
  readonly faults: Faults;
}

/** A form, or somebody's Home, that Slack shows. */
export interface ShownView {
  readonly id: string;
  readonly hash: string;
  readonly user: string;
  readonly view: SlackView;
}

export interface SlackView {
  readonly callback_id?: string;
  readonly private_metadata?: string;
  readonly blocks: readonly SlackBlock[];
}

interface SlackBlock {
  readonly type: string;
  readonly block_id?: string;
  readonly element?: { readonly type: string };
  readonly accessory?: { readonly action_id?: string; readonly value?: string };
  readonly elements?: readonly { readonly action_id?: string; readonly value?: string }[];
}

type Arguments = Readonly<Record<string, unknown>>;

/** As the client of the Web API throws it. */
class SlackApiError extends Error {
  readonly data: { readonly ok: false; readonly error: string };
  constructor(error: string) {
    super(`An API error occurred: ${error}`);
    this.data = { ok: false, error };
  }
}

/** A trigger opens one form, within so long. */
const TRIGGER_MS = 3_000;
const ANSWERS_AT = 'https://hooks.slack.com/actions/';

export class SlackSide {
  readonly #clock: CountingClock;
  readonly #triggers = new Map<string, { readonly user: string; readonly at: number; isUsed: boolean }>();
  /** By the trigger that opened it. */
  readonly #forms = new Map<string, ShownView>();
  readonly #homes = new Map<string, ShownView>();
  /** Private answers of the gate, by the trigger of a click, whether Slack took them or not. */
  readonly told = new Map<string, string>();
  readonly #api: { call(method: string, given: Arguments): Promise<unknown>; tell(): Promise<void> };
  #made = 0;

  constructor({ clock, faults }: Around) {
    this.#clock = clock;
    this.#api = faults.wrap('slackApi', {
      call: async (method: string, given: Arguments) => this.#answer(method, given),
      tell: async () => undefined,
    });
    showing = this;
  }

  /** Somebody clicked: for the trigger, and an address for an answer. */
  press(who: PersonName, trigger: string): { readonly trigger_id: string; readonly response_url: string } {
    this.#triggers.set(trigger, { user: PEOPLE[who].user, at: this.#clock.now(), isUsed: false });
    return { trigger_id: trigger, response_url: `${ANSWERS_AT}${trigger}` };
  }

  formOf(trigger: string): ShownView | undefined {
    return this.#forms.get(trigger);
  }

  homeOf(who: PersonName): ShownView | undefined {
    return this.#homes.get(PEOPLE[who].user);
  }

  readonly call = (method: string, given: Arguments): Promise<unknown> => this.#api.call(method, given);

  /** As Bolt answers at a click's own address. */
  readonly fetch = async (url: string, { body }: { readonly body: string }): Promise<{ readonly ok: true }> => {
    this.told.set(url.replace(ANSWERS_AT, ''), String((JSON.parse(body) as { readonly text?: string }).text));
    await this.#api.tell();
    return { ok: true };
  };

  #answer(method: string, given: Arguments): unknown {
    switch (method) {
      case 'auth.test':
        return { ok: true, url: 'https://simulated.slack.com/' };
      case 'views.open':
        return this.#open(given as { readonly trigger_id: string; readonly view: SlackView });
      case 'views.publish': {
        const { user_id: user, view } = given as { readonly user_id: string; readonly view: SlackView };
        this.#homes.set(user, this.#shown(user, view));
        return { ok: true };
      }
      default:
        throw new Error(`${method} is not simulated`);
    }
  }

  #open({ trigger_id: id, view }: { readonly trigger_id: string; readonly view: SlackView }): unknown {
    const trigger = this.#triggers.get(id);
    if (!trigger) throw new SlackApiError('invalid_trigger_id');
    if (trigger.isUsed) throw new SlackApiError('exchanged_trigger_id');
    if (this.#clock.now() - trigger.at > TRIGGER_MS) throw new SlackApiError('expired_trigger_id');
    trigger.isUsed = true;
    this.#forms.set(id, this.#shown(trigger.user, view));
    return { ok: true };
  }

  #shown(user: string, view: SlackView): ShownView {
    this.#made += 1;
    const sent = JSON.parse(JSON.stringify(view)) as SlackView;
    return { id: `V${this.#made}`, hash: `${this.#clock.now()}.${this.#made}`, user, view: sent };
  }
}

/** Slack of the run that is played: there is one at a time. */
let showing: SlackSide | undefined;

/** Clients of the Web API reach the run's Slack; their own would wait by the wall clock before they try again. */
export function reachSimulatedSlack(client: { readonly prototype: WebClient }): void {
  const call = async (method: string, given: Arguments = {}) => {
    if (!showing) throw new Error('no run has a Slack');
    return showing.call(method, given);
  };
  Object.assign(client.prototype, { apiCall: call });
}
