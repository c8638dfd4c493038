/** Wires the language models of agent policies that the policy file's `models` declares. */
import type { Policy } from '../../../shared/config/compile.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import type { PolicyClient, PolicyModels } from '../../../shared/use-cases/resolvers/call-model.ts';
import { fetchSecret } from '../clients/secrets.ts';
import { costOf, type FetchSecret, lazyLlm, measuredLlm } from './llm.ts';

/** Undefined if it declares none. `baseUrl` wins over the file's. */
export function policyModels(
  { settings }: Pick<Policy, 'settings'>,
  baseUrl: string | undefined,
  fetch: FetchSecret = fetchSecret,
): PolicyModels | undefined {
  const clients = new Map(
    Object.entries(settings.models).map(([name, { price, ...access }]): [string, PolicyClient] => [
      name,
      {
        name,
        timeoutMs: access.timeout,
        cost: costOf(price),
        llm: measuredLlm(
          lazyLlm(access, baseUrl, fetch),
          { kind: 'model', model: name, use: 'policy', cost: costOf(price) },
          access.timeout,
        ),
      },
    ]),
  );
  if (!clients.size) return undefined;
  const [only] = clients.size === 1 ? clients.values() : [];
  return { client: (name) => (name === null ? only : clients.get(name)), after: systemTimers.after };
}
