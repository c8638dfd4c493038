/** Turns rich_text blocks into text trees. The text is literal: it has no markup and no escapes. */
import type { Dict } from '../types.ts';
import { dictOf, listOf } from '../values.ts';
import type { World } from '../world.ts';
import { broadcast, channelMention, dateNode, emojiNode, groupMention, userMention } from './mrkdwn.ts';
import { link, type TextNode, type TextTree, textNode } from './tree.ts';

export function richTextTree(world: World, elements: Dict[]): TextTree {
  return elements.map((element): TextNode => {
    const parts = listOf(element.elements);
    switch (element.type) {
      case 'rich_text_preformatted':
        return { kind: 'pre', text: parts.map((part) => String(part.text ?? part.url ?? '')).join('') };
      case 'rich_text_quote':
        return { kind: 'quote', children: inline(world, parts) };
      case 'rich_text_list': {
        const items = parts.map((item) => inline(world, listOf(item.elements)));
        return { kind: 'list', ordered: element.style === 'ordered', indent: Number(element.indent ?? 0), items };
      }
      default:
        return { kind: 'line', children: inline(world, parts) };
    }
  });
}

const inline = (world: World, parts: Dict[]): TextTree =>
  parts.flatMap((part) => styled(leaf(world, part), dictOf(part.style)));

function leaf(world: World, part: Dict): TextNode[] {
  switch (part.type) {
    case 'link': {
      const url = String(part.url);
      return link(url, [textNode(String(part.text ?? url))]);
    }
    case 'user':
      return [userMention(world, String(part.user_id))];
    case 'channel':
      return [channelMention(world, String(part.channel_id))];
    case 'usergroup':
      return [groupMention(world, String(part.usergroup_id))];
    case 'broadcast':
      return [broadcast(String(part.range))];
    case 'emoji':
      return [emojiNode(String(part.name)) ?? textNode(`:${String(part.name)}:`)];
    case 'date':
      return [dateNode(Number(part.timestamp), String(part.format), part.fallback as string | undefined)];
    default:
      return [textNode(String(part.text ?? ''))];
  }
}

function styled(nodes: TextNode[], style: Dict): TextNode[] {
  let tree = nodes;
  if (style.code === true) tree = tree.map((node) => (node.kind === 'text' ? { kind: 'code', text: node.text } : node));
  for (const kind of ['bold', 'italic', 'strike', 'underline'] as const) {
    if (style[kind] === true) tree = [{ kind, children: tree }];
  }
  return tree;
}
