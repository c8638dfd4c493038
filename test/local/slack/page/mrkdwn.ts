/**
 * Parses mrkdwn into a text tree.
 *
 * Escapes are undone in the leaves only, after parsing, so that escaped markup stays text.
 */
import { get as emojiOf } from 'node-emoji';
import { type Node, NodeType, parse } from 'slack-message-parser';
import type { World } from '../world.ts';
import { link, plainOf, type TextNode, type TextTree, textNode, unescapeText } from './tree.ts';

type Options = { verbatim?: boolean };

/**
 * The parser takes code only between blanks and a few marks, so that it leaves "`a`: b" as it stands; Slack takes it wherever no word goes on.
 * A blank that nobody sees stands where the parser wants one, and is taken out of the leaves again.
 */
const CODE =
  /(```[\s\S]*?```)|(?<=^|[^\w`])`[^`\n]+`(?=[^\w\s`.,\])}!?\-=*_~]|$)|(?<=[^\w\s`.,([{!?\-=*_~])`[^`\n]+`(?![\w`])/gm;
const BLANK = '\ufeff';

export function mrkdwnTree(world: World, text: string, options: Options = {}): TextTree {
  // A raw `>` at the start of a line quotes as well; the parser knows the escaped one only.
  const quoted = text.replaceAll(/^(>{3}|>)/gm, (marks) => '&gt;'.repeat(marks.length));
  const prepared = quoted.replaceAll(CODE, (all, block: string | undefined) => (block ? all : BLANK + all + BLANK));
  return merged(parse(prepared).children.flatMap((node) => convert(world, node, options)));
}

/** Plain text knows emoji and nothing else. */
export function plainTree(text: string, emoji = true): TextTree {
  if (!emoji) return [textNode(unescapeText(text))];
  return text.split(/(:[a-z0-9_+-]+:)/).flatMap((part) => {
    const found = /^:[a-z0-9_+-]+:$/.test(part) ? emojiNode(part.slice(1, -1)) : undefined;
    return part === '' ? [] : [found ?? textNode(unescapeText(part))];
  });
}

function convert(world: World, node: Node, options: Options): TextNode[] {
  const inside = (nodes: Node[]) => merged(nodes.flatMap((child) => convert(world, child, options)));
  switch (node.type) {
    case NodeType.Text:
      return options.verbatim === true ? [textNode(unescapeText(unblanked(node.text)))] : linked(unblanked(node.text));
    case NodeType.Bold:
      return [{ kind: 'bold', children: inside(node.children) }];
    case NodeType.Italic:
      return [{ kind: 'italic', children: inside(node.children) }];
    case NodeType.Strike:
      return [{ kind: 'strike', children: inside(node.children) }];
    case NodeType.Quote:
      return [{ kind: 'quote', children: inside(node.children) }];
    case NodeType.Code:
      return [{ kind: 'code', text: unescapeText(node.text) }];
    case NodeType.PreText:
      return [{ kind: 'pre', text: unescapeText(node.text).replace(/^\n|\n$/g, '') }];
    case NodeType.Emoji:
      return [emojiNode(node.name) ?? textNode(unescapeText(node.source))];
    case NodeType.URL:
      return link(unescapeText(node.url), node.label && inside(node.label));
    case NodeType.UserLink:
      return [userMention(world, node.userID)];
    case NodeType.ChannelLink:
      return [channelMention(world, node.channelID)];
    case NodeType.Command:
      return [command(world, node.name, node.arguments, node.label && inside(node.label))];
    default:
      return [textNode(unescapeText(node.source))];
  }
}

const unblanked = (text: string): string => text.replaceAll(BLANK, '');

/** Bare addresses become links, as in Slack, unless the app asked for verbatim text. */
function linked(text: string): TextNode[] {
  return text.split(/(https?:\/\/[^\s<>|]+)/).flatMap((part, index) => {
    if (part === '') return [];
    return index % 2 === 1 ? link(unescapeText(part), undefined) : [textNode(unescapeText(part))];
  });
}

export function userMention(world: World, id: string): TextNode {
  return {
    kind: 'mention',
    text: `@${world.users.get(id)?.realName ?? id}`,
    group: false,
    names: { user: id },
    of: [id],
  };
}

export function channelMention(world: World, id: string): TextNode {
  return { kind: 'mention', text: `#${world.channels.get(id)?.name ?? id}`, group: false };
}

export function groupMention(world: World, id: string): TextNode {
  const group = world.userGroups.get(id);
  return {
    kind: 'mention',
    text: `@${group?.handle ?? id}`,
    group: true,
    names: { group: id },
    of: [...(group?.users ?? [])],
  };
}

function command(world: World, name: string, args: string[], label: TextTree | undefined): TextNode {
  if (isRange(name)) return broadcast(name);
  if (name === 'subteam') return groupMention(world, args[0] ?? '');
  if (name === 'date') return dateNode(Number(args[0]), unescapeText(args[1] ?? ''), label && plainOf(label));
  return textNode(label ? plainOf(label) : `<${name}>`);
}

const RANGES = ['channel', 'here', 'everyone'] as const;
const isRange = (name: string): name is (typeof RANGES)[number] => RANGES.some((range) => range === name);

export const broadcast = (range: string): TextNode => ({
  kind: 'mention',
  text: `@${range}`,
  group: true,
  ...(isRange(range) && { names: { range } }),
});

export const dateNode = (seconds: number, format: string, fallback: string | undefined): TextNode => ({
  kind: 'date',
  seconds,
  format,
  ...(fallback !== undefined && { fallback }),
});

export function emojiNode(name: string): TextNode | undefined {
  const text = emojiOf(name);
  return text === undefined ? undefined : { kind: 'emoji', text, name };
}

/** The parser gives every stray character of its own; neighbours become one leaf. */
function merged(nodes: TextNode[]): TextTree {
  const tree: TextTree = [];
  for (const node of nodes) {
    const last = tree.at(-1);
    if (node.kind === 'text' && last?.kind === 'text') tree[tree.length - 1] = textNode(last.text + node.text);
    else tree.push(node);
  }
  return tree;
}
