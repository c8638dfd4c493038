/** Reads what App Home and `/countersign pending` show of one person, and publishes the Home. */
import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { line } from '../../shared/adapters/slack/elements/blocks.ts';
import { type HomeNames, homeView } from '../../shared/adapters/slack/home/home.ts';
import { SlackRefusedError, slackError } from '../../shared/adapters/slack/posting/errors.ts';
import { HOME } from '../../shared/adapters/slack/texts/home.ts';
import type { PolicyFile } from '../../shared/config/schema/policy-file.ts';
import type { Person } from '../../shared/contract/index.ts';
import { inboxOf } from '../../shared/use-cases/approvals/voting/inbox.ts';
import { delegationsAbout } from '../../shared/use-cases/people/delegation.ts';
import { logFault } from '../runtime/telemetry/observe.ts';
import type { HomeDependencies } from './dependencies.ts';
import { revocable } from './revoke-grant.ts';

interface HomeDrawing {
  readonly client: WebClient;
  readonly listening: HomeDependencies;
  readonly notice?: string;
  /** Counted from 0. */
  readonly page?: number;
}

export async function drawHome(person: Person, { client, listening, notice, page }: HomeDrawing): Promise<void> {
  const { deps } = listening;
  const now = deps.clock.now();
  const [inbox, grant = [], stored, names] = await Promise.all([
    inboxOf(person, listening, page),
    revocable(person, listening),
    deps.delegations.read(),
    namesFor(client, listening),
  ]);
  const view = homeView({
    ...{ person, inbox, given: grant, names },
    delegations: delegationsAbout(stored, person, now),
    at: new Date(now).toISOString(),
    ...(notice === undefined ? {} : { notice }),
  });
  const publish = (shown: HomeView) => client.views.publish({ user_id: person.user, view: shown });
  try {
    await publish(view);
  } catch (error) {
    // Otherwise the old Home would stay for ever, with questions that are long decided.
    if (!SlackRefusedError.isFinal(slackError(error) ?? '')) throw error;
    logFault('Slack did not take a Home', error, { run: true });
    await publish({ type: 'home', blocks: [line(HOME.notTaken)] });
  }
}

/** The address of each client's workspace, found out once: links to cards begin with it. */
const addresses = new WeakMap<WebClient, Promise<string | undefined>>();

/** People as the policy file calls them, by their Slack ids. */
export const namesById = ({ people }: Pick<PolicyFile, 'people'>): ReadonlyMap<string, string> =>
  new Map(Object.values(people).map(({ user, name }) => [user, name]));

export async function namesFor(client: WebClient, { deps }: Pick<HomeDependencies, 'deps'>): Promise<HomeNames> {
  const { tools } = deps.policy.settings;
  let address = addresses.get(client);
  if (!address) {
    address = client.auth.test().then(({ url }) => url);
    address.catch((error: unknown) => {
      addresses.delete(client);
      logFault('the address of the workspace could not be found out', error, { run: true }, 'warn');
    });
    addresses.set(client, address);
  }
  return {
    tools,
    people: namesById(deps.policy.settings),
    address: await address.catch(() => undefined),
  };
}
