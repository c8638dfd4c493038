/** Classifiers (R4-110 … R4-123, D8): what they are told, and what of their answers counts. */
import { describe, expect, test } from 'vitest';
import { readClassifierAnswer } from '../../../../shared/permissions/classifiers/llm-answer.ts';
import { classifierMessages } from '../../../../shared/permissions/classifiers/question.ts';
import {
  allowResult,
  blockResult,
  ClassifierContext,
  type ClassifierResult,
  CompositeClassifier,
  DenialTracker,
  LlmClassifier,
  type PermissionClassifier,
  RuleClassifier,
  undecidedResult,
} from '../../../../shared/permissions/index.ts';
import { serviceOf } from '../service/service-support.ts';
import { shell } from '../support.ts';

const context = new ClassifierContext('coder', 's1');
const request = (command: string, toolName = 'Bash') => ({ toolName, input: { command }, context });
const fixed = (result: ClassifierResult): PermissionClassifier => ({ classify: async () => result });

describe('an answer (R4-113, R4-119, R4-120)', () => {
  test.each<[string, boolean, string, number]>([
    ['{"should_block":true,"reason":"r","confidence":1}', true, 'r', 1],
    ['{"should_block":true,"reason":"r"}', true, 'r', 0],
    ['{"should_block":false}', false, 'no reason given', 0],
    ['{"should_block":false,"reason":"","confidence":1}', false, 'no reason given', 1],
    [' \r\n\t{"decision":"allow","confidence":1}\n', false, 'no reason given', 1],
    ['```json\n{"decision":"allow","confidence":1}\n```', false, 'no reason given', 1],
    ['```\n{"decision":"deny","confidence":1}\n```\n', true, 'no reason given', 1],
    ['{"decision":"deny","confidence":0.9}', true, 'no reason given', 0.9],
    ['{"decision":"allow","confidence":0.5}', false, 'no reason given', 0.5],
    ['{"should_block":false,"reason":"a } b { c \\" }","confidence":1}', false, 'a } b { c " }', 1],
    ['{"should_block":true,"confidence":0}', true, 'no reason given', 0],
    ['{"should_block":false,"confidence":1}', false, 'no reason given', 1],
  ])('%s', (text, shouldBlock, reason, confidence) => {
    expect(readClassifierAnswer(text)).toEqual({ shouldBlock, reason, confidence });
  });

  test.each([
    ...['', 'allow', 'block it', 'null', '[]', '{}', '"{}"'],
    '{"should_block":false}{"should_block":false}',
    '{"should_block":false} }',
    '} {"should_block":false}',
    '{"should_block":false',
    '{"a":{"should_block":false}}',
    '{"should_block":"false"}',
    '{"should_block":0}',
    '{"should_block":false,"decision":"allow"}',
    '{"decision":"ask"}',
    '{"decision":"Allow"}',
    '{"should_block":false,"confidence":1.1}',
    '{"should_block":false,"confidence":-0.1}',
    '{"should_block":false,"confidence":"1"}',
    '{"should_block":false,"reason":7}',
    '{"should_block":false,"more":1}',
    '{"should_block":true,"should_block":false}',
    '{"should_block":false,"__proto__":{}}',
    '} {"decision":"allow"}',
    '} { {"decision":"allow"}',
    '{"decision":"allow"} {',
    '{"reason":{"decision":"allow"}}',
    '{"decision":"deny","decision":"allow"}',
  ])('%j is undecided: a block that nobody is sure of', (text) => {
    expect(readClassifierAnswer(text)).toMatchObject({ shouldBlock: true, confidence: 0 });
  });

  test.each([
    ['5" ', ''],
    ['Sure: ', ''],
    ['', ' done'],
    ['```json\n', ''],
    ['Here: ```json\n', '\n```'],
    ['```json\n', '\n``` and no'],
    ['```js\n', '\n```'],
    ['```json\n```json\n', '\n```\n```'],
    ['<think>block it</think>', ''],
    ['\u00a0', ''],
    ['\ufeff', ''],
    ['[', ']'],
  ])('D53: with %j before and %j behind it, an allow is undecided', (before, behind) => {
    const text = `${before}{"decision":"allow","confidence":1}${behind}`;
    expect(readClassifierAnswer(text)).toMatchObject({ shouldBlock: true, confidence: 0 });
  });

  test.each([
    ['"nonce":"n1",', 'n1', false],
    ['"nonce":"n2",', 'n1', true],
    ['', 'n1', true],
    ['"nonce":"n1",', undefined, true],
    ['"nonce":"n1","nonce":"n1",', 'n1', true],
    ['"Nonce":"n1",', 'n1', true],
    ['"nonce":["n1"],', 'n1', true],
  ])('D53: with {%s …} as the answer to a question with the nonce %s, block is %s', (field, nonce, block) => {
    const text = `{${field}"decision":"allow","confidence":1}`;
    expect(readClassifierAnswer(text, nonce)).toMatchObject({ shouldBlock: block, confidence: block ? 0 : 1 });
  });

  test('why an answer is undecided is told', () => {
    const why = (text: string) => readClassifierAnswer(text).reason;
    expect(why('{"decision":"deny","decision":"allow"}')).toContain('not acceptable JSON');
    expect(why('{"reason":{"decision":"allow"}}')).toContain('does not have the fields');
  });

  test('patterns may be given at once', async () => {
    const rules = new RuleClassifier({ deny: ['Bash(rm:*)'], allow: ['Bash'], shell: async () => shell });
    const classify = async (command: string) => (await rules.classify({ toolName: 'Bash', input: { command }, context: {} as never })).reason; // biome-ignore format: one line
    expect([await classify('rm x'), await classify('ls')]).toEqual([
      'the deny pattern Bash(rm:*) matches',
      'the allow pattern Bash matches',
    ]);
  });

  test('confidence is from 0 to 1, and none where it is no number', () => {
    expect([2, 1, 0.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((n) => allowResult('r', n).confidence)).toEqual(
      [1, 1, 0.5, 0, 0, 0, 0],
    );
    expect([allowResult('r'), blockResult('r'), blockResult('r', 3), undecidedResult('r')]).toEqual([
      { shouldBlock: false, reason: 'r', confidence: 1 },
      { shouldBlock: true, reason: 'r', confidence: 1 },
      { shouldBlock: true, reason: 'r', confidence: 1 },
      { shouldBlock: true, reason: 'r', confidence: 0 },
    ]);
  });
});

describe('patterns (R4-114 … R4-116)', () => {
  const patterns = new RuleClassifier({ shell: async () => shell })
    .withAllowPatterns(['Bash(git:*)', 'Read'])
    .withDenyPatterns(['Bash(git push:*)', 'mcp__*']);
  test.each([
    ['Bash', 'git status', false, 1],
    ['Bash', 'git push', true, 1],
    ['Bash', 'git status && git push', true, 1],
    ['Bash', 'git status; make', true, 0],
    ['Bash', 'git status $(', true, 0],
    ['Bash', 'rm -rf /', true, 0],
    ['Bash', 'make', true, 0],
    ['mcp__x__y', 'x', true, 1],
    ['no tool', 'x', true, 0],
  ] as const)('%s %s: block %s with %d', async (toolName, command, shouldBlock, confidence) => {
    expect(await patterns.classify(request(command, toolName))).toMatchObject({ shouldBlock, confidence });
  });

  test('a malformed one is refused at once, in either list', () => {
    expect(() => new RuleClassifier({ allow: ['Bash('] })).toThrow();
    expect(() => new RuleClassifier().withDenyPatterns(['Bash('])).toThrow();
  });
});

describe('one after the other (R4-117, R4-118)', () => {
  const failing: PermissionClassifier = { classify: () => Promise.reject(new Error('down')) };
  const counting = (result: ClassifierResult) => {
    const asked = { times: 0 };
    const classify = async () => {
      asked.times += 1;
      return result;
    };
    return { asked, classifier: { classify } };
  };

  test('the first that is sure wins, and the next is not asked', async () => {
    const next = counting(allowResult('next'));
    const of = (first: PermissionClassifier) =>
      new CompositeClassifier().withClassifiers([first]).withClassifiers([next.classifier]).classify(request('make'));
    expect((await of(fixed(blockResult('first', 0.8)))).reason).toBe('first');
    expect(next.asked.times).toBe(0);
    expect((await of(fixed(allowResult('first', 0.79)))).reason).toBe('next');
    expect((await of(fixed({ shouldBlock: false, reason: 'first', confidence: 1.5 }))).reason).toBe('next');
    expect((await of(fixed({ shouldBlock: false, reason: 'first', confidence: Number.NaN }))).reason).toBe('next');
    expect((await of(failing)).reason).toBe('next');
  });

  test('where none is sure, none has decided', async () => {
    for (const classifiers of [[], [failing], [fixed(allowResult('x', 0.5))]])
      expect(await new CompositeClassifier(classifiers).classify(request('make'))).toMatchObject({
        shouldBlock: true,
        confidence: 0,
      });
  });
});

describe('a language model (R4-119 … R4-123)', () => {
  const model = (text: string, tracker?: DenialTracker) => {
    const heard: { role: string; content: string }[][] = [];
    const client = {
      complete: async (messages: readonly { role: string; content: string }[]) => {
        heard.push([...messages]);
        return { text };
      },
    };
    return { heard, classifier: new LlmClassifier(client as never, 'm', { tracker }) };
  };
  const ALLOW = '{"should_block":false,"reason":"fine","confidence":1}';
  const told = (input: unknown, from = context) => {
    const { messages, truncated } = classifierMessages({ toolName: 'Bash', input, context: from });
    return { body: JSON.parse(messages[1]?.content as string), text: messages[1]?.content as string, truncated };
  };

  test('is told the call as data, without the comment that the tool has a field for (D54)', () => {
    const { body, text, truncated } = told({ command: '</x> & <y>\u2028', title: 'safe', description: 'ok' });
    expect(body).toMatchObject({ tool: 'Bash', comments_left_out: ['description'] });
    expect(body.input).toEqual({ command: '</x> & <y>\u2028', title: 'safe' });
    for (const char of ['<', '>', '&', '\u2028']) expect(text).not.toContain(char);
    expect(truncated).toBe(false);
    expect(told(['title']).body.input).toEqual(['title']);
    expect(told(undefined).body.input).toBeNull();
  });

  test('D54: is told where it runs, if that is known', () => {
    const sent = (cwd?: string) =>
      JSON.parse(classifierMessages({ toolName: 'T', input: {}, cwd, context }).messages[1]?.content as string);
    expect(sent('/w/app').cwd).toBe('/w/app');
    expect(sent()).not.toHaveProperty('cwd');
  });

  test('R4-111: is told the newest messages, without their secrets and not whole', () => {
    const messages = Array.from({ length: 12 }, (_, n) => `m${n}`);
    expect(told({}, context.withMessages(messages)).body.context.messages).toEqual(messages.slice(2));
    expect(told({}).body.context.messages).toEqual([]);
    const secret = 'ghp_0123456789abcdefghij';
    const long = `${'x '.repeat(490)}use ${secret} ${'y '.repeat(20_000)}`;
    const { text, body } = told({}, context.withMessages([`password=${secret}`, long, '</user> <b>']));
    expect(text).not.toContain('ghp_0123');
    expect(body.context.messages.map((each: string) => each.length <= 1000)).toEqual([true, true, true]);
    expect(body.context.messages[0]).toContain('redacted');
    expect(body.context.messages[2]).toBe('</user> <b>');
    expect(text).not.toContain('<');
  });

  test('R4-121: two thousand characters of it, and an allow for more than that is none', async () => {
    const exact = { c: 'x'.repeat(1992) };
    expect(told(exact)).toMatchObject({ truncated: false, body: { input: exact } });
    const longer = told({ c: 'x'.repeat(1993) });
    expect([longer.truncated, longer.body.input_truncated.length, longer.body.input]).toEqual([true, 2000, undefined]);
    const { classifier } = model(ALLOW);
    expect(await classifier.classify({ toolName: 'T', input: { c: 'x'.repeat(1993) }, context })).toMatchObject({
      shouldBlock: true,
      confidence: 0,
    });
    expect(
      await model('{"should_block":true,"confidence":1}').classifier.classify({
        toolName: 'T',
        input: { c: 'x'.repeat(1993) },
        context,
      }),
    ).toMatchObject({ shouldBlock: true, confidence: 1 });
  });

  test('R4-110 … R4-112: and the context, each part by its builder, none for granted', () => {
    const full = context
      .withWorkspacePath('/w')
      .withProjectType('rust')
      .withRecentFiles(Array.from({ length: 21 }, (_, n) => `f${n}`))
      .withRules(['Bash(git:*)'], ['Bash(rm:*)'])
      .withMessages(['hello'])
      .withRiskContext({ hasSensitiveFiles: true, directoryDepth: 3 });
    expect(full).toMatchObject({ agent: 'coder', session: 's1', messages: ['hello'] });
    expect(full.riskContext).toEqual({
      hasSensitiveFiles: true,
      isDestructive: false,
      directoryDepth: 3,
      repetitionCount: 0,
    });
    const { body } = told({}, full);
    expect(body.context).toMatchObject({
      workspace: '/w',
      project_type: 'rust',
      risk: { has_sensitive_files: true, is_destructive: false, directory_depth: 3, repetition_count: 0 },
      allow_rules: ['Bash(git:*)'],
      soft_deny_rules: ['Bash(rm:*)'],
    });
    expect(body.context.recent_files).toHaveLength(20);
    expect(context.withWorkspacePath('/x').withMessages(['m']).workspacePath).toBe('/x');
    expect(context.workspacePath).toBeUndefined();
  });

  test.each([{ is_destructive: true }, { isDestructive: 'yes' }, { directoryDepth: -1 }])(
    'a fact about the risk that no classifier would be told is refused: %j',
    (risk) => expect(() => context.withRiskContext(risk as object)).toThrow(Object.keys(risk)[0]),
  );

  test('R4-122: at its own threshold it no longer decides; a sure block counts, an allow ends the row', async () => {
    const tracker = new DenialTracker({ maxConsecutive: 2 });
    const block = model('{"should_block":true,"reason":"bad","confidence":1}', tracker);
    await block.classifier.classify(request('make'));
    expect([tracker.consecutive, tracker.total]).toEqual([1, 1]);
    await model('nothing', tracker).classifier.classify(request('make'));
    expect(tracker.consecutive).toBe(1);
    for (const unsure of ['{"should_block":true,"confidence":0.79}', '{"should_block":false,"confidence":0.79}'])
      await model(unsure, tracker).classifier.classify(request('make'));
    expect([tracker.consecutive, tracker.total]).toEqual([1, 1]);
    await model(ALLOW, tracker).classifier.classify(request('make'));
    expect(tracker.consecutive).toBe(0);
    await block.classifier.classify(request('make'));
    await block.classifier.classify(request('make'));
    expect(await block.classifier.classify(request('make'))).toMatchObject({ confidence: 0 });
    expect(block.heard).toHaveLength(3);
  });

  test('R4-111, R4-112, R4-123: the service tells it what the call touches, and what came before it', async () => {
    const told: ClassifierContext[] = [];
    const { service } = serviceOf({
      mode: 'auto',
      rules: [['allow', 'Bash(git:*)']],
      classifier: {
        classify: async (asked) => {
          told.push(asked.context);
          return allowResult('fine');
        },
      },
    });
    await service.check('Write', { file_path: 'src/a/token.ts', content: 'x' });
    await service.check('Write', { file_path: 'b.ts', content: 'x' });
    await service.check('Bash', { command: 'git status' });
    await service.check('Bash', { command: 'sudo rm -rf  build' });
    await service.check('Bash', { command: 'sudo rm -rf build' });
    expect(told.map(({ riskContext }) => Object.values(riskContext))).toEqual([
      ...[
        [true, false, 2, 0],
        [false, false, 0, 0],
        [false, true, 0, 0],
        [false, true, 0, 1],
      ],
    ]);
    expect(told.map(({ recentFiles }) => recentFiles)).toEqual([
      ...[[], ['src/a/token.ts']],
      ...[1, 2].map(() => ['b.ts', 'src/a/token.ts']),
    ]);
  });

  test('R4-123: the service tells it who asks and where', async () => {
    const { heard, classifier } = model(ALLOW);
    const told: unknown[] = [];
    const asking = (more: object) =>
      serviceOf({
        mode: 'auto',
        classifier: {
          classify: (asked) => {
            told.push([asked.context.agent, asked.context.session]);
            return classifier.classify(asked);
          },
        },
        ...more,
      }).service.check('Bash', { command: 'make' });
    expect(await asking({})).toMatchObject({ decision: 'allow', reason: 'classifier' });
    await asking({ agentName: 'coder', sessionId: 's1' });
    expect(told).toEqual([
      ['agent', 'main'],
      ['coder', 's1'],
    ]);
    expect(JSON.parse(heard[0]?.[1]?.content as string).context.workspace).toBe('/workspace/app');
    const own = context.withWorkspacePath('/elsewhere');
    const other = model(ALLOW);
    await serviceOf({ mode: 'auto', classifier: other.classifier, classifierContext: own }).service.check('Bash', {
      command: 'make',
    });
    expect(JSON.parse(other.heard[0]?.[1]?.content as string).context.workspace).toBe('/elsewhere');
  });
});

describe('R4-042: a classifier that fails or is silent', () => {
  test('has a person asked, and is told to stop', async () => {
    const decide = (classifier: PermissionClassifier) =>
      serviceOf({ mode: 'auto', classifier, classifierTimeout: 5 }).service.check('Bash', { command: 'make' });
    expect(await decide({ classify: () => Promise.reject(new Error('down')) })).toMatchObject({
      decision: 'require_approval',
      reason: 'classifier',
    });
    let stopped: boolean | undefined;
    const silent = await decide({
      classify: ({ signal }) =>
        new Promise(() => {
          signal?.addEventListener('abort', () => {
            stopped = true;
          });
        }),
    });
    expect([silent.decision, stopped]).toEqual(['require_approval', true]);
  });
});
