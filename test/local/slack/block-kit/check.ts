/** Checks what an app sends as blocks or as a view and says, in Slack's form, what is wrong and where. */
import { z } from 'zod';
import type { Dict } from '../types.ts';
import { dictOf, isDict, listOf, textOf } from '../values.ts';
import { messageBlocks, viewBlocks } from './blocks.ts';
import { elementsOf } from './find.ts';
import { LIMITS } from './limits.ts';
import { id, plainText } from './objects.ts';

/** Empty when all is well. `root` is the JSON pointer of the blocks, such as `/blocks`. */
export function checkBlocks(blocks: unknown, surface: 'message' | 'view', root: string): string[] {
  const schema = surface === 'message' ? messageBlocks : viewBlocks;
  const messages = problems(schema, blocks, root);
  return messages.length > 0 || !Array.isArray(blocks) ? messages : repeatedIds(listOf(blocks), root);
}

const viewCommon = {
  blocks: z.unknown(),
  private_metadata: z.string().max(LIMITS.privateMetadata).optional(),
  callback_id: id.optional(),
  external_id: id.optional(),
};
const home = z.strictObject({ type: z.literal('home'), ...viewCommon });
const modal = z.strictObject({
  type: z.literal('modal'),
  ...viewCommon,
  title: plainText(LIMITS.viewTitle),
  submit: plainText(LIMITS.viewTitle).optional(),
  close: plainText(LIMITS.viewTitle).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

export function checkView(view: unknown, type: 'modal' | 'home'): string[] {
  const messages = problems(type === 'modal' ? modal : home, view, '/view');
  const { blocks, submit } = dictOf(view);
  messages.push(...checkBlocks(blocks, 'view', '/view/blocks'));
  const asks = listOf(blocks).some((block) => block.type === 'input');
  if (type === 'modal' && asks && submit === undefined) {
    messages.push('missing required field: submit, as the view has input blocks [json-pointer:/view]');
  }
  const focused = elementsOf(listOf(blocks)).filter(({ element }) => element.focus_on_load === true);
  if (focused.length > 1) messages.push('only one element may have focus_on_load [json-pointer:/view/blocks]');
  return messages;
}

function problems(schema: z.ZodType, value: unknown, root: string): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map((issue) => `${wording(issue, value)} ${place(issue, root)}`);
}

function place(issue: z.core.$ZodIssue, root: string): string {
  const path = issue.code === 'invalid_union' && issue.path.at(-1) === 'type' ? issue.path.slice(0, -1) : issue.path;
  return `[json-pointer:${[root, ...path.map(String)].join('/')}]`;
}

function wording(issue: z.core.$ZodIssue, whole: unknown): string {
  const value = issue.path.reduce<unknown>((inner, key) => dictLike(inner)[String(key)], whole);
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'array') return `no more than ${issue.maximum} items allowed`;
      return `must be less than ${Number(issue.maximum) + 1}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'too_small':
      if (issue.origin === 'array') return `no fewer than ${issue.minimum} items allowed`;
      return `must be more than ${Number(issue.minimum) - 1}${issue.origin === 'string' ? ' characters' : ''}`;
    case 'unrecognized_keys':
      return `invalid additional property: ${issue.keys.join(', ')}`;
    case 'invalid_union': {
      const type = textOf(dictOf(value).type) ?? textOf(value);
      return type === undefined ? 'missing required field: type' : `unsupported type: ${type}`;
    }
    case 'invalid_type':
      if (value === undefined) return `missing required field: ${String(issue.path.at(-1) ?? 'blocks')}`;
      return `must provide ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    default:
      return issue.message;
  }
}

const dictLike = (value: unknown): Dict => (Array.isArray(value) ? { ...value } : dictOf(value));

/** block_id is unique in its surface, action_id in its block. */
function repeatedIds(blocks: Dict[], root: string): string[] {
  const seen = new Set<unknown>();
  return blocks.flatMap((block, index) => {
    const messages: string[] = [];
    if (block.block_id !== undefined && seen.has(block.block_id)) {
      messages.push(`\`block_id\` ${String(block.block_id)} already exists [json-pointer:${root}/${index}/block_id]`);
    }
    seen.add(block.block_id);
    const actions = new Set<unknown>();
    for (const { element } of elementsOf([block]).filter((found) => isDict(found.element))) {
      if (element.action_id !== undefined && actions.has(element.action_id)) {
        messages.push(`\`action_id\` ${String(element.action_id)} already exists [json-pointer:${root}/${index}]`);
      }
      actions.add(element.action_id);
    }
    return messages;
  });
}
