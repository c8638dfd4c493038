/** Checks Slack's limits: what fits is taken, one more is refused, and the refusal names the place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBlocks, checkView } from '../slack/block-kit/check.ts';
import { LIMITS } from '../slack/block-kit/limits.ts';
import type { LocalSlack } from '../slack/server.ts';
import type { Dict } from '../slack/types.ts';
import { GENERAL, startWorkspace, webClient } from './workspace.ts';

const x = (length: number) => 'x'.repeat(length);
const plain = (length: number) => ({ type: 'plain_text', text: x(length) });
const mrkdwn = (length: number) => ({ type: 'mrkdwn', text: x(length) });
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const button = (rest: Dict = {}) => ({ type: 'button', text: plain(3), ...rest });
const actions = (element: Dict) => ({ type: 'actions', elements: [element] });
const input = (element: Dict) => ({ type: 'input', label: plain(3), element });
const option = (index: number) => ({ text: plain(3), value: `v${index}` });
const confirm = (rest: Dict) => actions(button({ confirm: { text: mrkdwn(3), ...rest } }));

/** A limited field, the largest value that fits, how to build it, and where the refusal points. */
const BLOCK_LIMITS: [string, number, (size: number) => Dict, string][] = [
  ['section text', 3_000, (size) => ({ type: 'section', text: mrkdwn(size) }), '/blocks/0/text/text'],
  ['section fields', 10, (size) => ({ type: 'section', fields: many(size, () => mrkdwn(3)) }), '/blocks/0/fields'],
  ['field text', 2_000, (size) => ({ type: 'section', fields: [mrkdwn(size)] }), '/blocks/0/fields/0/text'],
  ['header text', 150, (size) => ({ type: 'header', text: plain(size) }), '/blocks/0/text/text'],
  [
    'context elements',
    10,
    (size) => ({ type: 'context', elements: many(size, () => mrkdwn(3)) }),
    '/blocks/0/elements',
  ],
  ['actions elements', 25, (size) => ({ type: 'actions', elements: many(size, () => button()) }), '/blocks/0/elements'],
  ['button text', 75, (size) => actions(button({ text: plain(size) })), '/blocks/0/elements/0/text/text'],
  ['button value', 2_000, (size) => actions(button({ value: x(size) })), '/blocks/0/elements/0/value'],
  ['action_id', 255, (size) => actions(button({ action_id: x(size) })), '/blocks/0/elements/0/action_id'],
  ['block_id', 255, (size) => ({ type: 'divider', block_id: x(size) }), '/blocks/0/block_id'],
  ['confirm title', 100, (size) => confirm({ title: plain(size) }), '/blocks/0/elements/0/confirm/title/text'],
  ['confirm text', 300, (size) => confirm({ text: plain(size) }), '/blocks/0/elements/0/confirm/text/text'],
  ['confirm button', 30, (size) => confirm({ confirm: plain(size) }), '/blocks/0/elements/0/confirm/confirm/text'],
  ['deny button', 30, (size) => confirm({ deny: plain(size) }), '/blocks/0/elements/0/confirm/deny/text'],
  [
    'input label',
    2_000,
    (size) => ({ ...input({ type: 'plain_text_input' }), label: plain(size) }),
    '/blocks/0/label/text',
  ],
  [
    'placeholder',
    150,
    (size) => input({ type: 'plain_text_input', placeholder: plain(size) }),
    '/blocks/0/element/placeholder/text',
  ],
  [
    'input max_length',
    3_000,
    (size) => input({ type: 'plain_text_input', max_length: size }),
    '/blocks/0/element/max_length',
  ],
  [
    'menu options',
    100,
    (size) => input({ type: 'static_select', options: many(size, option) }),
    '/blocks/0/element/options',
  ],
  [
    'radio options',
    10,
    (size) => input({ type: 'radio_buttons', options: many(size, option) }),
    '/blocks/0/element/options',
  ],
  [
    'check boxes',
    10,
    (size) => input({ type: 'checkboxes', options: many(size, option) }),
    '/blocks/0/element/options',
  ],
  [
    'overflow options',
    5,
    (size) => actions({ type: 'overflow', options: many(size, option) }),
    '/blocks/0/elements/0/options',
  ],
  [
    'option text',
    75,
    (size) => input({ type: 'static_select', options: [{ ...option(0), text: plain(size) }] }),
    '/blocks/0/element/options/0/text/text',
  ],
  [
    'option value',
    150,
    (size) => input({ type: 'static_select', options: [{ ...option(0), value: x(size) }] }),
    '/blocks/0/element/options/0/value',
  ],
];

describe('blocks', () => {
  it.each(BLOCK_LIMITS)('%s: %i fit, one more does not', (_name, largest, build, pointer) => {
    expect(checkBlocks([build(largest)], 'message', '/blocks')).toEqual([]);
    const problems = checkBlocks([build(largest + 1)], 'message', '/blocks');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`[json-pointer:${pointer}]`);
    expect(problems[0]).toMatch(/^(must be less than|no more than) \d+/);
  });

  it.each([
    ['message', 50],
    ['view', 100],
  ] as const)('a %s takes %i blocks', (surface, largest) => {
    const dividers = (count: number) => many(count, () => ({ type: 'divider' }));
    expect(checkBlocks(dividers(largest), surface, '/blocks')).toEqual([]);
    expect(checkBlocks(dividers(largest + 1), surface, '/blocks')).toEqual([
      `no more than ${largest} items allowed [json-pointer:/blocks]`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, 'must provide an array [json-pointer:/blocks]'],
    ['no type', [{}], 'missing required field: type [json-pointer:/blocks/0]'],
    ['an unknown type', [{ type: 'marquee' }], 'unsupported type: marquee [json-pointer:/blocks/0]'],
    [
      'an unknown property',
      [{ type: 'divider', color: 'red' }],
      'invalid additional property: color [json-pointer:/blocks/0]',
    ],
    ['no text', [{ type: 'header' }], 'missing required field: text [json-pointer:/blocks/0/text]'],
    ['an empty section', [{ type: 'section' }], 'must define either `text` or `fields` [json-pointer:/blocks/0]'],
    [
      'empty text',
      [{ type: 'header', text: plain(0) }],
      'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
    ],
    ['mrkdwn in a header', [{ type: 'header', text: mrkdwn(3) }], 'plain_text'],
    ['a text field among actions', [actions({ type: 'plain_text_input' })], 'unsupported type: plain_text_input'],
    ['a button as input', [input(button())], 'unsupported type: button [json-pointer:/blocks/0/element]'],
    ['an unknown style', [actions(button({ style: 'huge' }))], '[json-pointer:/blocks/0/elements/0/style]'],
    [
      'a broken link',
      [actions(button({ url: 'nowhere' }))],
      'must be a valid URL [json-pointer:/blocks/0/elements/0/url]',
    ],
    [
      'no actions',
      [{ type: 'actions', elements: [] }],
      'no fewer than 1 items allowed [json-pointer:/blocks/0/elements]',
    ],
    ['a menu without options', [input({ type: 'static_select' })], 'must define either `options` or `option_groups`'],
    [
      'an initial option that is not offered',
      [input({ type: 'static_select', options: [option(1)], initial_option: option(2) })],
      'initial option must match one of the options',
    ],
    [
      'an action_id twice in a block',
      [{ type: 'actions', elements: [button({ action_id: 'a' }), button({ action_id: 'a' })] }],
      '`action_id` a already exists [json-pointer:/blocks/0]',
    ],
    [
      'a block_id twice',
      [
        { type: 'divider', block_id: 'b' },
        { type: 'divider', block_id: 'b' },
      ],
      '`block_id` b already exists [json-pointer:/blocks/1/block_id]',
    ],
  ])('refuses %s', (_name, blocks, problem) => {
    expect(checkBlocks(blocks, 'message', '/blocks').join('\n')).toContain(problem);
  });

  it('takes the same action_id in two blocks', () => {
    const twice = [actions(button({ action_id: 'a' })), actions(button({ action_id: 'a' }))];
    expect(checkBlocks(twice, 'message', '/blocks')).toEqual([]);
  });
});

describe('views', () => {
  const modal = (rest: Dict = {}) => ({ type: 'modal', title: plain(5), blocks: [{ type: 'divider' }], ...rest });

  it.each<[string, number, (size: number) => Dict]>([
    ['title', 24, (size) => modal({ title: plain(size) })],
    ['submit', 24, (size) => modal({ submit: plain(size) })],
    ['close', 24, (size) => modal({ close: plain(size) })],
    ['private_metadata', 3_000, (size) => modal({ private_metadata: x(size) })],
    ['callback_id', 255, (size) => modal({ callback_id: x(size) })],
    ['external_id', 255, (size) => modal({ external_id: x(size) })],
  ])('%s: %i characters fit, one more does not', (name, largest, build) => {
    expect(checkView(build(largest), 'modal')).toEqual([]);
    expect(checkView(build(largest + 1), 'modal').join()).toMatch(
      `must be less than ${largest + 1} characters [json-pointer:/view/${name}`,
    );
  });

  it.each<[string, Dict, string]>([
    ['no title', { type: 'modal', blocks: [] }, 'missing required field: title'],
    ['no blocks', { type: 'modal', title: plain(5) }, 'missing required field: blocks'],
    [
      'inputs without submit',
      modal({ blocks: [input({ type: 'plain_text_input' })] }),
      'missing required field: submit',
    ],
    ['a table', modal({ blocks: [{ type: 'table', rows: [] }] }), 'unsupported type: table'],
    ['an unknown property', modal({ size: 'large' }), 'invalid additional property: size'],
  ])('refuses %s', (_name, view, problem) => {
    expect(checkView(view, 'modal').join('\n')).toContain(problem);
  });

  it('gives App Home no title', () => {
    expect(checkView({ type: 'home', blocks: [] }, 'home')).toEqual([]);
    expect(checkView({ type: 'home', title: plain(3), blocks: [] }, 'home').join()).toContain('title');
  });
});

describe('through the web client', () => {
  let slack: LocalSlack;
  beforeAll(async () => {
    slack = await startWorkspace();
  });
  afterAll(() => slack.stop());
  const post = (blocks: Dict[]) =>
    webClient(slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks: blocks as never });

  it('names the block path in the answer', async () => {
    await expect(post([{ type: 'section', text: mrkdwn(3_001) }])).rejects.toMatchObject({
      data: {
        error: 'invalid_blocks',
        errors: ['must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
        response_metadata: {
          messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
        },
      },
    });
  });

  it('refuses blocks that are too long together', async () => {
    const sections = (count: number) => many(count, () => ({ type: 'section', text: mrkdwn(2_900) }));
    await post(sections(4));
    await expect(post(sections(5))).rejects.toMatchObject({ data: { error: 'msg_blocks_too_long' } });
    expect(JSON.stringify(sections(5)).length).toBeGreaterThan(LIMITS.messageBlocksLength);
  });

  it('refuses a bad App Home with invalid_arguments', async () => {
    const view = { type: 'home', blocks: [{ type: 'header', text: plain(151) }] } as never;
    await expect(webClient(slack).views.publish({ user_id: 'U0ANN', view })).rejects.toMatchObject({
      data: { error: 'invalid_arguments', errors: [expect.stringContaining('/view/blocks/0/text/text')] },
    });
  });
});
