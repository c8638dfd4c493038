/** Plays a model that follows the facts of a snapshot, so that each test states its model's picks. */
import type { MessagesRequest } from '../../local/models/anthropic.ts';
import type { BedrockRequest } from '../../local/models/bedrock.ts';
import type { Reply } from '../../local/models/scripted-model.ts';
import { withNonce } from '../../support/nonce.ts';

interface Context {
  readonly available_actions: readonly { readonly flow_id: string; readonly persona_id: string }[];
  readonly snapshot: {
    readonly facts: { readonly prefers?: readonly string[]; readonly garbles?: number; readonly fails?: true };
  };
}

/** The task agent's messages say themselves what its model answers: `zork says …`. */
const reader = (message: string): Reply => / says (.+)$/.exec(message)?.[1] ?? 'I have no idea.';

/** The classifier of auto mode: a call's `query` says itself what its model answers; of any other call it does not know. */
const judge = ({ query = '' }: { readonly query?: string }): Reply =>
  / says (.+)$/.exec(query)?.[1] ?? JSON.stringify({ should_block: false, reason: 'who knows', confidence: 0.1 });

/** Picks the first of `facts.prefers` that is available, else nothing; its first `facts.garbles` answers are no JSON. With `facts.fails` it refuses. */
export function obedient({ messages, system }: MessagesRequest): Reply {
  const asked = JSON.parse(messages[0]?.content ?? '{}') as
    | Context
    | { readonly message: string }
    | { readonly tool: string; readonly input: { readonly query?: string } };
  if ('message' in asked) return reader(asked.message);
  if ('tool' in asked) return withNonce(judge(asked.input), system);
  const { available_actions, snapshot } = asked;
  const { prefers = [], garbles = 0, fails } = snapshot.facts;
  if (fails) return { status: 400, type: 'invalid_request_error', message: 'not this one' };
  if ((messages.length - 1) / 2 < garbles) return 'I would rather chat.';
  const picked = prefers.map((id) => available_actions.find(({ flow_id }) => flow_id === id)).find(Boolean);
  if (!picked) return JSON.stringify({ action: null, reasoning: 'nothing to do' });
  const { flow_id, persona_id } = picked;
  return JSON.stringify({ action: { flow_id, persona_id, reasoning: 'preferred' }, reasoning: 'as told' });
}

/** The same of a model of Bedrock, whose messages are lists of texts. */
export function obedientOnBedrock({ body: { system, messages } }: BedrockRequest): Reply {
  const textIn = (content: readonly { readonly text: string }[]) => content.map(({ text }) => text).join('');
  return obedient({
    model: '',
    max_tokens: 1,
    ...(system ? { system: textIn(system) } : {}),
    messages: messages.map(({ role, content }) => ({ role, content: textIn(content) })),
  });
}
