/** Checks how text reaches the page: markup where the app wrote markup, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { mrkdwnTree, plainTree } from '../slack/page/mrkdwn.ts';
import { richTextTree } from '../slack/page/rich-text.ts';
import type { TextTree } from '../slack/page/tree.ts';
import { createWorld } from '../slack/world.ts';
import { escaped, HOSTILE } from './bakery-app.ts';

const world = createWorld({
  signingSecret: 's',
  botToken: 't',
  appId: 'A0',
  teamId: 'T0',
  botUserId: 'U0BOT',
  users: [{ id: 'U0ANN', name: 'ann', realName: 'Ann' }],
  channels: [{ id: 'C0', name: 'general', members: [] }],
  userGroups: [{ id: 'S0', handle: 'bakers', users: [] }],
});
const tree = (text: string) => mrkdwnTree(world, text);
const text = (value: string): TextTree => [{ kind: 'text', text: value }];

describe('mrkdwn', () => {
  it('knows bold, italic, strike, code, quotes and preformatted text', () => {
    expect(tree('*b* _i_ ~s~ `c`').map((node) => node.kind)).toEqual([
      'bold',
      'text',
      'italic',
      'text',
      'strike',
      'text',
      'code',
    ]);
    expect(tree('```\n<a> & b\n```')).toEqual([{ kind: 'pre', text: '<a> & b' }]);
    expect(tree('> said\nnot')[0]).toMatchObject({ kind: 'quote' });
    expect(tree('&gt; said')[0]).toMatchObject({ kind: 'quote' });
  });

  it('resolves mentions', () => {
    expect(tree('<@U0ANN> <#C0> <!subteam^S0> <!here>')).toMatchObject([
      { kind: 'mention', text: '@Ann' },
      { text: ' ' },
      { kind: 'mention', text: '#general' },
      { text: ' ' },
      { kind: 'mention', text: '@bakers', group: true },
      { text: ' ' },
      { kind: 'mention', text: '@here', group: true },
    ]);
  });

  it('leaves escaped markup alone', () => {
    expect(tree('&lt;!channel&gt; &lt;https://evil.example|ok&gt;').map((node) => node.kind)).not.toContain('mention');
    expect(tree('&lt;script&gt;')).toEqual(text('<script>'));
    expect(tree('&amp;lt;')).toEqual(text('&lt;'));
    expect(tree('&amp;lt;b&amp;gt;')).toEqual(text('&lt;b&gt;'));
  });

  it('links only to web and mail addresses', () => {
    expect(tree('<https://a.example|a>')).toEqual([{ kind: 'link', href: 'https://a.example', children: text('a') }]);
    expect(tree('<mailto:a@b.example|mail>')).toMatchObject([{ kind: 'link', href: 'mailto:a@b.example' }]);
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x']) {
      expect(tree(`<${bad}|press>`)).toEqual(text('press'));
    }
  });

  it('links bare addresses unless told not to', () => {
    expect(tree('see https://a.example/x now')[1]).toMatchObject({ kind: 'link', href: 'https://a.example/x' });
    expect(mrkdwnTree(world, 'see https://a.example', { verbatim: true })).toEqual(text('see https://a.example'));
  });

  it('knows emoji by name, and no inherited names', () => {
    expect(tree(':bread:')).toMatchObject([{ kind: 'emoji', name: 'bread' }]);
    for (const name of ['constructor', '__proto__', 'toString', 'no_such_emoji']) {
      expect(tree(`:${name}:`)).toEqual(text(`:${name}:`));
    }
  });
});

describe('plain text and rich text', () => {
  it('have no markup', () => {
    expect(plainTree(escaped('*b* <@U0ANN> & <b>'), false)).toEqual(text('*b* <@U0ANN> & <b>'));
    const pre = { type: 'rich_text_preformatted', elements: [{ type: 'text', text: HOSTILE }] };
    expect(richTextTree(world, [pre])).toEqual([{ kind: 'pre', text: HOSTILE }]);
    const section = { type: 'rich_text_section', elements: [{ type: 'text', text: HOSTILE, style: { bold: true } }] };
    expect(richTextTree(world, [section])).toEqual([
      { kind: 'line', children: [{ kind: 'bold', children: text(HOSTILE) }] },
    ]);
  });
});
