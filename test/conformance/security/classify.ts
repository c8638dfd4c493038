/** Plays the classifier of a case: the real one, before a model that says what the case says. */
import { denialKey } from '../../../shared/permissions/classifiers/denial-tracker.ts';
import { ClassifierContext, DenialTracker, LlmClassifier } from '../../../shared/permissions/index.ts';
import type { ClassifierFact, DenialFact } from '../../../shared/permissions/model/types.ts';
import type { Completion, LlmClient, Message } from '../../../shared/ports/llm-client.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import { spoken } from '../seeds/words.ts';

/** A model within the deadline, or silent beyond it. */
const DEADLINE_MS = 10_000;

const KNOWN = new Set('throws raises throttled timeout timeoutMs refusal returns returnsText capturePrompt'.split(' '));
/** A flag, or how often and how long. */
const isStated = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== 0;

export class CaseModel implements LlmClient {
  prompt = '';
  readonly #given: Fields;
  constructor(given: Fields) {
    this.#given = given;
  }

  async complete(messages: readonly Message[]): Promise<Completion> {
    this.prompt = messages.map((message) => message.content).join('\n');
    const given = this.#given;
    const raised = given['throws'] ?? given['raises'];
    if (raised !== undefined && raised !== false) throw new Error(String(raised));
    if (isStated(given['throttled'])) throw new Error('429 Too Many Requests');
    if (Number(given['timeoutMs'] ?? 0) > DEADLINE_MS || isStated(given['timeout']))
      throw new Error('no answer in time');
    // Without an answer beside it, the time is that of a call that ended without one.
    const answers = ['refusal', 'returnsText', 'returns'].some((key) => key in given);
    if (isStated(given['timeoutMs']) && !answers) throw new Error('no answer in time');
    if (given['refusal'] === true) return this.#say("I'm sorry, I can't help with that.");
    if (typeof given['returnsText'] === 'string') return this.#say(given['returnsText']);
    if ('returns' in given) return this.#say(JSON.stringify(given['returns']));
    throw new Uninterpretable(`classifier ${JSON.stringify(given)}`);
  }

  #say(text: string): Completion {
    return { text, usage: { inputTokens: 0, outputTokens: 0 } };
  }
}

/** The model that the case describes; undefined if there is none. */
export function modelOf(given: Fields): CaseModel | undefined {
  const stated = whole(given['classifier']);
  if (stated === undefined || stated === null) return undefined;
  const described = typeof stated === 'string' ? wordsOf(stated) : stated;
  const foreign = isFields(described) ? Object.keys(described).find((key) => !KNOWN.has(key)) : 'classifier';
  if (!isFields(described) || foreign !== undefined) throw new Uninterpretable(`given.classifier.${foreign}`);
  return new CaseModel(described);
}

export async function classify(
  given: Fields,
  toolName: string,
  input: unknown,
): Promise<{ fact: ClassifierFact; model?: CaseModel }> {
  const model = modelOf(given);
  if (!model) return { fact: { state: 'none' } };
  try {
    const context = new ClassifierContext(
      String(given['agentId'] ?? 'agent'),
      String(given['sessionId'] ?? 'main'),
    ).withMessages(messagesOf(given['context']));
    const result = await new LlmClassifier(model, 'model').classify({ toolName, input, context });
    return { fact: { state: 'answered', result }, model };
  } catch (error) {
    if (error instanceof Uninterpretable) throw error;
    return { fact: { state: 'failed', why: 'the classifier failed' }, model };
  }
}

/** `throttled`, `times out`, `raises 'why'`. */
function wordsOf(words: string): Fields {
  const { fault, why } = spoken(words);
  if (/throttl/i.test(words)) return { throttled: true };
  if (fault === 'silent') return { timeout: true };
  if (fault === 'raises') return { raises: why };
  throw new Uninterpretable(`classifier ${words}`);
}

/** Texts of other agents and of users: data for the model, with no authority. */
export function messagesOf(context: unknown): string[] {
  if (context === undefined || context === null) return [];
  const { peerMessage, messages } = isFields(context) ? context : { peerMessage: context, messages: undefined };
  const all = [peerMessage, ...(Array.isArray(messages) ? messages : [messages])].filter((one) => one !== undefined);
  return all.map((one) => (typeof one === 'string' ? one : JSON.stringify(whole(one))));
}

export function denialsOf(given: Fields, toolName: string, input: unknown): DenialFact {
  const stated = isFields(given['denials']) ? given['denials'] : {};
  const consecutive = Number(stated['consecutive'] ?? 0);
  const tracker = new DenialTracker({ state: { consecutive, total: Number(stated['total'] ?? consecutive) } });
  const last = whole(stated['lastDenied']);
  const isSame = stated['lastDeniedSameArgs'] === true;
  const denied = isSame
    ? input
    : last === undefined
      ? undefined
      : typeof last === 'string'
        ? subjectInput(input, last)
        : last;
  const deniedBefore = denied !== undefined && denialKey(toolName, denied) === denialKey(toolName, input);
  return { ...tracker.fact(), deniedBefore };
}

/** The call with its subject replaced by the text that was denied. */
function subjectInput(input: unknown, text: string): unknown {
  if (!isFields(input)) return { command: text };
  const key = ['command', 'url', 'file_path', 'path'].find((name) => name in input) ?? 'command';
  return { ...input, [key]: text };
}
