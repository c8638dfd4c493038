/** Makes gates in memory whose hooks and model answer by a function, and note what they were told. */
import type { MemoryGateOptions } from '../../../shared/adapters/memory/gate-parts.ts';
import { LlmClassifier } from '../../../shared/permissions/classifiers/llm-classifier.ts';
import type { HookTarget } from '../../../shared/ports/hook-caller.ts';
import type { Completion, Message } from '../../../shared/ports/llm-client.ts';
import type { Hooks } from '../../../shared/use-cases/resolvers/call-hook.ts';
import type { Model } from '../../../shared/use-cases/resolvers/classify.ts';
import { bash, type PolicyParts, policyOf, World } from './world.ts';

export const HOOK = "hooks:\n  review: { url: 'https://hooks.test/review', secret: review-key }";
export const MODEL = 'classifier:\n  model: { provider: anthropic, model: judge-1, secret: model-key }';
export const AUTO: PolicyParts = {
  agents: '  coder: { owner: olga, mode: auto }\n  writer: { owner: olga, mode: auto }',
  more: MODEL,
};

/** One question to the model. */
export interface Question {
  readonly nonce: string;
  /** How many were asked, this one included. */
  readonly count: number;
  readonly messages: readonly Message[];
  /** The user message. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface HookBody {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly cwd_outside_project?: boolean;
}

interface Answers {
  /** The model's text; a promise that stays open never answers. */
  readonly model?: (question: Question) => string | Completion | Promise<string>;
  /** The answer of a hook, by the name of its secret or function. */
  readonly hook?: (body: HookBody, hook: string) => unknown;
}

interface OutsideWorld {
  readonly world: World;
  readonly questions: Question[];
  readonly bodies: HookBody[];
  /** How many calls of the model were open at the same time. */
  readonly atOnce: () => number;
  /** The outcome with its reason, or `waits`. */
  outcome(id: string, agent?: string): Promise<string>;
}

export function outsideWorld(
  parts: PolicyParts,
  answers: Answers,
  options: Partial<MemoryGateOptions> = {},
): OutsideWorld {
  const questions: Question[] = [];
  const bodies: HookBody[] = [];
  const made: { world?: World } = {};
  const after = (ms: number, work: () => void) => made.world?.clock.after(ms, work) ?? (() => undefined);
  let nonces = 0;
  let open = 0;
  let most = 0;
  const client = {
    async complete(messages: readonly Message[]): Promise<Completion> {
      open += 1;
      most = Math.max(most, open);
      const nonce = /"nonce": "([^"]+)"/.exec(messages[0]?.content ?? '')?.[1] ?? '';
      const body = JSON.parse(messages[1]?.content ?? '{}') as Question['body'];
      const question = { nonce, count: questions.length + 1, messages, body };
      questions.push(question);
      try {
        const text = (await answers.model?.(question)) ?? '';
        return typeof text === 'string' ? { text, usage: { inputTokens: 1_000, outputTokens: 100 } } : text;
      } finally {
        open -= 1;
      }
    },
  };
  const model: Model = {
    name: 'anthropic/judge-1',
    timeoutMs: 15_000,
    classifier: new LlmClassifier(client, 'judge-1', { nonce: () => `nonce-${++nonces}` }),
    after,
  };
  const hooks: Hooks = {
    after,
    caller: {
      async call(target: HookTarget, text: string) {
        const body = JSON.parse(text) as HookBody;
        bodies.push(body);
        const given = await answers.hook?.(body, target.kind === 'url' ? target.secret : target.name);
        return typeof given === 'string' ? given : JSON.stringify(given ?? {});
      },
    },
  };
  const world = new World(policyOf(parts), {
    ...(answers.model ? { model } : {}),
    ...(answers.hook ? { hooks } : {}),
    ...options,
  });
  made.world = world;
  return {
    world,
    questions,
    bodies,
    atOnce: () => most,
    async outcome(id, agent = 'coder') {
      const decision = await world.decision(id, agent);
      if (decision) return `${decision.outcome}/${decision.reasonCode}`;
      await world.row(id, agent);
      return 'waits';
    },
  };
}

export const answer = (nonce: string, block: boolean, confidence = 1, reason = 'a reason'): string =>
  JSON.stringify({ nonce, should_block: block, reason, confidence });
export const allows = ({ nonce }: Question): string => answer(nonce, false);
export const isUnsure = ({ nonce }: Question): string => answer(nonce, true, 0.5);

/** Several calls in one proposal. */
export const many = (proposalId: string, commands: readonly string[]) => ({
  kind: 'tool-call',
  proposalId,
  calls: commands.map((command, index) => ({ id: `c${index}`, toolName: 'Bash', input: { command } })),
});

export { bash };
