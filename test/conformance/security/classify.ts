/** The classifier of a case: the real one, before a model that says what the case says. */

import { denialKey } from '../../../shared/permissions/classifiers/denial-tracker.ts';
import { ClassifierContext, DenialTracker, LlmClassifier } from '../../../shared/permissions/index.ts';
import type { ClassifierFact, DenialFact } from '../../../shared/permissions/model/types.ts';
import type { Completion, LlmClient, Message } from '../../../shared/ports/llm-client.ts';
import type { Fields } from '../seeds/matching.ts';
import { isFields } from '../seeds/seed-4-world.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';

/** A model within the deadline, or silent beyond it. */
const DEADLINE_MS = 10_000;

export class CaseModel implements LlmClient {
  prompt = '';
  readonly #given: Fields;
  constructor(given: Fields) {
    this.#given = given;
  }

  async complete(messages: readonly Message[]): Promise<Completion> {
    this.prompt = messages.map((message) => message.content).join('\n');
    const given = this.#given;
    if ('throws' in given) throw new Error(String(given['throws']));
    if (Number(given['timeoutMs'] ?? 0) > DEADLINE_MS || given['timeout'] === true)
      throw new Error('no answer in time');
    if (given['refusal'] === true) return this.#say("I'm sorry, I can't help with that.");
    if (typeof given['returnsText'] === 'string') return this.#say(given['returnsText']);
    if ('returns' in given) return this.#say(JSON.stringify(given['returns']));
    throw new Uninterpretable(`classifier ${JSON.stringify(given)}`);
  }

  #say(text: string): Completion {
    return { text, usage: { inputTokens: 0, outputTokens: 0 } };
  }
}

export async function classify(
  given: Fields,
  toolName: string,
  input: unknown,
): Promise<{ fact: ClassifierFact; model?: CaseModel }> {
  if (given['classifier'] === undefined || given['classifier'] === null) return { fact: { state: 'none' } };
  if (!isFields(given['classifier'])) throw new Uninterpretable('classifier');
  const model = new CaseModel(given['classifier']);
  try {
    const context = new ClassifierContext(String(given['agentId'] ?? 'agent'), String(given['sessionId'] ?? 'main'));
    const result = await new LlmClassifier(model, 'model').classify({ toolName, input, context });
    return { fact: { state: 'answered', result }, model };
  } catch (error) {
    if (error instanceof Uninterpretable) throw error;
    return { fact: { state: 'failed', why: 'the classifier failed' }, model };
  }
}

export function denialsOf(given: Fields, toolName: string, input: unknown): DenialFact {
  const stated = isFields(given['denials']) ? given['denials'] : {};
  const consecutive = Number(stated['consecutive'] ?? 0);
  const tracker = new DenialTracker({ state: { consecutive, total: Number(stated['total'] ?? consecutive) } });
  const last = stated['lastDenied'];
  const denied = last === undefined ? undefined : typeof last === 'string' ? subjectInput(input, last) : last;
  const deniedBefore = denied !== undefined && denialKey(toolName, denied) === denialKey(toolName, input);
  return { ...tracker.fact(), deniedBefore };
}

/** The call with its subject replaced by the text that was denied. */
function subjectInput(input: unknown, text: string): unknown {
  if (!isFields(input)) return { command: text };
  const key = ['command', 'url', 'file_path', 'path'].find((name) => name in input) ?? 'command';
  return { ...input, [key]: text };
}
