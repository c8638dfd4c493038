/** Rows as the surfaces of Slack draw them, texts as hostile as they come, and a reader of what is shown. */
import fc from 'fast-check';
import type { CardSource } from '../../../../shared/adapters/slack/card.ts';
import type { Approval, ToolCall, ToolCallProposal } from '../../../../shared/contract/index.ts';

export const DIGEST = 'd'.repeat(64);

/** What people are asked about these calls. */
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
      offers: ['approve', 'reject'],
      severity: 'medium',
      place: 'calls',
      digest: DIGEST,
      calls: calls.map(({ id, toolName }) => ({
        id,
        toolName: toolName.slice(0, 128),
        actionDigest: DIGEST,
        why: 'A push leaves this machine.',
        rule: { id: 'ask:project:Bash(git push:*)', pattern: 'Bash(git push:*)', source: 'project' },
        severity: 'medium',
      })),
      stages: [{ group: 'platform', quorum: 1, team: 'T0', channel: 'C0' }],
      stagesDigest: DIGEST,
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
        { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
      ),
      { maxLength: Math.ceil(most / 20) },
    )
    .map((parts) => parts.join('').slice(0, most).toWellFormed());

/** Arguments as agents send them: a few texts, or any JSON object. */
export const hostileInput = fc.oneof(
  fc.dictionary(fc.constantFrom('command', 'content', 'file_path', 'a.b'), hostileText(6_000), { maxKeys: 4 }),
  fc.dictionary(hostileText(20), fc.jsonValue(), { maxKeys: 8 }),
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
