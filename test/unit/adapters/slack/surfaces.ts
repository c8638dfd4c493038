/** Makes rows with hostile texts for the surfaces of Slack, and reads what each shows. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import type { Approval, Question, ToolCall, ToolCallProposal, Vote } from '../../../../shared/contract/index.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

export const DIGEST = 'd'.repeat(64);

const ASKED = {
  place: 'calls',
  digest: DIGEST,
  offers: ['approve', 'edit', 'reject', 'respond'] as Question['offers'],
  severity: 'medium',
  stages: [{ group: 'platform', quorum: 1, team: 'T0', channel: 'C0' }],
  stagesDigest: DIGEST,
} satisfies Partial<Question>;

const words = (text: string) => ({ title: text.slice(0, 200), description: text });

/** A person is asked to confirm or to replace an action that the agent's policy chose. */
export function choiceSource(others: number, text: string): CardSource {
  const { approval } = sourceOf([]);
  const actions = Array.from({ length: others + 1 }, (_, index) => ({
    flow_id: `flow-${index}`,
    persona_id: 'helper',
    description: text,
    instance_bindings: { [text]: [text] },
  }));
  const proposed = { index: 0, digest: DIGEST, flowId: 'flow-0', personaId: 'helper' };
  const offers: Question['offers'] = ['approve', 'substitute', 'reject'];
  const why = text.slice(0, 1_000);
  return {
    approval: { ...approval, question: { kind: 'choice', ...ASKED, offers, policy: 'careful', why, proposed } },
    proposal: {
      kind: 'action-choice',
      proposalId: 'p-1',
      policy: 'careful',
      ...words(text),
      actionSpace: { persona_id: 'helper', actions },
      snapshot: { facts: {}, entity_states: {}, observed_at: '2026-11-22T09:00:00.000Z' },
    },
  };
}

/** The agent asks something. */
export function inputSource(question: string, choices: readonly string[] | undefined): CardSource {
  const { approval } = sourceOf([]);
  const offers: Question['offers'] = ['respond', 'reject'];
  const some = choices ? { choices: [...choices] } : {};
  return {
    approval: { ...approval, question: { kind: 'input', ...ASKED, offers, question, ...some } },
    proposal: { kind: 'input-request', proposalId: 'p-1', question, ...some, ...words(question) },
  };
}

/** Text of people, too, is text and nothing else. */
export const votesSaying = (text: string): Vote[] =>
  (['approve', 'reject'] as const).map((choice) => ({
    choice,
    by: { team: 'T0', user: 'U0ANN' },
    name: text,
    stage: 0,
    reason: text,
    at: '2026-11-22T09:30:00.000Z',
    via: 'slack',
  }));

/** The question to people about these calls. */
export function sourceOf(
  calls: readonly ToolCall[],
  change: Partial<Approval> = {},
  says: Partial<ToolCallProposal> = {},
): CardSource {
  const approval: Approval = {
    pid: 'a'.repeat(64),
    proposalId: 'p-1',
    agent: 'coder',
    owner: { team: 'T0', user: 'U0OLGA' },
    sessionId: 'main',
    version: 0,
    round: 1,
    status: 'pending',
    question: {
      kind: 'calls',
      ...ASKED,
      calls: calls.map(({ id, toolName }) => ({
        id,
        toolName: toolName.slice(0, 128),
        actionDigest: DIGEST,
        why: 'A push leaves this machine.',
        rule: { id: 'ask:project:Bash(git push:*)', pattern: 'Bash(git push:*)', source: 'project' },
        severity: 'medium',
      })),
    },
    votes: [],
    requestedAt: '2026-11-22T09:00:00.000Z',
    expiresAt: '2026-11-22T10:00:00.000Z',
    policyVersion: DIGEST,
    ...change,
  };
  return { approval, proposal: { kind: 'tool-call', proposalId: 'p-1', calls: [...calls], ...says } };
}

const HOSTILE = [
  '<!channel>',
  '<@U0ANN>',
  '<https://evil.example|Approved by Alice>',
  '*bold*',
  '```',
  '&lt;',
  ':tada:',
  '\u202E',
  '\u200B',
  '\u0000',
  '\u00AD',
  '\\u{202e}',
  '\\',
  '👩‍👩‍👧',
  '\r\n',
  '\t',
  ' ',
];

export const hostileText = (most = 200) =>
  fc
    .array(
      fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
        { weight: 3, arbitrary: unicodeText({ maxLength: 20 }) },
      ),
      { maxLength: Math.ceil(most / 20) },
    )
    .map((parts) => parts.join('').slice(0, most).toWellFormed());

/** Arguments as agents send them: a few texts, or any JSON object. */
const hostileInput = fc.oneof(
  fc.dictionary(fc.constantFrom('command', 'content', 'file_path', 'a.b', 'description'), hostileText(6_000), {
    maxKeys: 4,
  }),
  // As a message can say it: there is no minus zero, and the one forbidden key gets no further than the intake.
  fc
    .dictionary(hostileText(20), fc.jsonValue(), { maxKeys: 8 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Record<string, unknown>),
);

export const hostileCalls = fc
  .array(
    fc.record({ toolName: hostileText(40).filter(Boolean), input: hostileInput, cwd: fc.option(hostileText(80)) }),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  .map((calls) =>
    calls.map(({ cwd, ...call }, index): ToolCall => ({ id: `c${index}`, ...call, ...(cwd === null ? {} : { cwd }) })),
  );

type Dict = Readonly<Record<string, unknown>>;

/** Every object of a surface, from the outside in. */
export function* objectsOf(value: unknown): Generator<Dict> {
  if (Array.isArray(value)) for (const one of value) yield* objectsOf(one);
  else if (typeof value === 'object' && value !== null) {
    yield value as Dict;
    yield* objectsOf(Object.values(value));
  }
}

/** Texts of all preformatted parts, in order. */
export function preformattedOf(blocks: unknown): string[] {
  return [...objectsOf(blocks)]
    .filter(({ type }) => type === 'rich_text_preformatted')
    .map(({ elements }) => (elements as readonly { readonly text: string }[]).map(({ text }) => text).join(''));
}

/** The text that is shown as `shown`. */
export const unescaped = (shown: string): string =>
  shown.replace(/\\(?:\\|u\{([0-9a-f]+)\})/g, (_, code?: string) =>
    code === undefined ? '\\' : String.fromCodePoint(Number.parseInt(code, 16)),
  );

/** Markup of our own: people, dates. Anything else between angle brackets would be somebody's. */
const OUR_MARKUP = /<@U0[A-Z]+>|<#C[0-9]+>|<!date\^\d+\^[^|]+\|[^>]+>/g;
export const EMOJI = /:[a-z0-9_+'-]+:/i;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Slack takes it, nothing in it takes effect, and nothing in it is invisible. */
export function harmless(blocks: unknown): void {
  for (const object of objectsOf(blocks)) {
    if (object['type'] === 'mrkdwn') {
      const theirs = String(object['text']).replace(OUR_MARKUP, '');
      expect(theirs).not.toMatch(/[<>]/);
      // Slack draws no emoji in code.
      expect(theirs.replaceAll(/`[^`]*`/g, '')).not.toMatch(EMOJI);
    }
    if (object['type'] === 'plain_text') expect(object['emoji']).toBe(false);
    if (typeof object['text'] === 'string') expect(object['text'].replaceAll('\n', '')).not.toMatch(UNSEEN);
    expect(['link', 'broadcast', 'emoji', 'image', 'markdown', 'usergroup']).not.toContain(object['type']);
    if (object['type'] === 'user') expect(object['user_id']).toBe('U0ANN');
  }
}

/** Every text of a card, a line each, in order. */
export const textsOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'text' && typeof each === 'string' ? [each] : textsOf(each),
  );
};
