/**
 * Asks a language model for an agent policy, in `deliberate` only.
 *
 * The answer is in the journal before it is used: an answered question is never asked again, and two different answers
 * to one question are never both used.
 */
import type { ModelEntry } from '../../contract/index.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { askModel } from '../../policies/journal.ts';
import { type LlmClient, type Message, NetworkError } from '../../ports/llm-client.ts';
import type { JournalStore } from '../../ports/stores/journal-store.ts';
import type { SetTimer } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { ModelNeed, NeedAnswer } from '../kernel/state/need.ts';
import type { Redactor } from '../redactor.ts';

/** One client of the policy file's `models`. */
export interface PolicyClient {
  readonly name: string;
  /** Milliseconds of one call. */
  readonly timeoutMs: number;
  /** Micro-dollars of a call, if the policy file says what tokens cost. */
  cost(usage: { readonly inputTokens: number; readonly outputTokens: number }): number | undefined;
  readonly llm: LlmClient;
}

export interface PolicyModels {
  /** The client of that name; the only one for `null`. Undefined: the policy file declares none. */
  client(name: string | null): PolicyClient | undefined;
  readonly after: SetTimer;
}

export interface ModelDependencies extends BaseDependencies {
  readonly journal: JournalStore;
  readonly models?: PolicyModels | undefined;
}

/** Asks one model. Undefined where there is no model here, or no time is left for one. */
export async function answerModel(
  need: ModelNeed,
  pid: string,
  until: number,
  { models, journal, clock, redactor }: ModelDependencies,
): Promise<NeedAnswer | undefined> {
  if (!models) return undefined;
  const client = models.client(need.question.client);
  if (!client) throw new Error('the policy file declares no such client of models');
  if (clock.now() + client.timeoutMs > until) return undefined;
  const messages = await Promise.all(need.question.messages.map((message) => shownToModel(message, redactor)));
  const question = { ...need.question, messages };
  const { result } = await askModel(withDeadline(client, models.after), { ...need, question });
  const cost = result.ok ? client.cost(result.usage) : undefined;
  const entry: ModelEntry = {
    type: 'model',
    place: need.place,
    round: need.ordinal,
    at: new Date(clock.now()).toISOString(),
    digest: need.digest,
    by: `${client.name}/${need.question.model}`.slice(0, 200),
    asked: (messages.at(-1)?.content ?? '').slice(0, LIMITS.modelPrompt).toWellFormed(),
    result: await withoutSecrets(result, redactor),
    ...(cost === undefined ? {} : { costMicroUsd: cost }),
  };
  if (await journal.append(pid, entry)) return entry;
  const stored = (await journal.read(pid)).find((other) => isSame(other, entry));
  if (stored?.type !== 'model') throw new Error('the journal refused an answer that it does not hold');
  return stored;
}

/** No secret of a snapshot leaves the account, nor stands in the record; the digest is of the question as the policy asked it. */
async function shownToModel(message: Message, redactor: Redactor): Promise<Message> {
  // A system message is the deployment's own text, from the policy file.
  if (message.role === 'system') return message;
  const json = readIJson(message.content);
  if (!json.ok) return { ...message, content: await redactor.text(message.content) };
  const { value, found } = await redactor.json(json.value);
  return found ? { ...message, content: JSON.stringify(value) } : message;
}

/** Before it is kept and used, so that a re-run reads what the first run read. */
async function withoutSecrets(result: ModelEntry['result'], redactor: Redactor): Promise<ModelEntry['result']> {
  return result.ok
    ? { ...result, text: (await redactor.text(result.text)).slice(0, LIMITS.modelAnswer).toWellFormed() }
    : { ...result, message: cutMarked(await redactor.text(result.message), 1000) };
}

const isSame = (a: { type: string; place: string; round: number }, b: ModelEntry): boolean =>
  a.type === b.type && a.place === b.place && a.round === b.round;

/** The client's own deadline is not relied on. */
const withDeadline = ({ llm, timeoutMs }: PolicyClient, after: SetTimer): LlmClient => ({
  async complete(messages, model) {
    const completion = await withTimeout(timeoutMs, after, () => llm.complete(messages, model));
    if (completion === LATE) throw new NetworkError('no answer in time');
    return completion;
  },
});
