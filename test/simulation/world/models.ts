/** Plays the language models of a run. */
import type { LlmClient } from '../../../shared/ports/llm-client.ts';

/** A language model that mostly picks what it is offered: it raves, declines and invents flows as well. */
export const modelOf = (random: () => number): LlmClient => ({
  complete: async (messages) => {
    const { available_actions: offered } = JSON.parse(messages[1]?.content ?? '{}') as {
      readonly available_actions: readonly { readonly flow_id: string }[];
    };
    const picked = offered[Math.floor(random() * offered.length)]?.flow_id;
    const said = random();
    if (said < 0.1) return 'I would rather not say.';
    if (said < 0.2) return '{"action": null, "reasoning": "nothing to do"}';
    const flow_id = said < 0.3 ? 'steal' : picked;
    return JSON.stringify({ action: { flow_id, persona_id: 'ops', reasoning: 'r' }, reasoning: 'r' });
  },
});

/** The model of auto mode, which finds nothing wrong. */
export const CLASSIFIER = { classify: async () => ({ shouldBlock: false, reason: 'harmless', confidence: 0.95 }) };
