/** Finds the interactive elements of blocks, and fills in what Slack fills in: ids and escaped text. */
import type { Dict } from '../types.ts';
import { isDict, listOf } from '../values.ts';
import { newId } from '../world.ts';

export type FoundElement = { block: Dict; blockId: string; element: Dict };

/** Everything a person may click, choose or type into. Images and texts are not among them. */
export function elementsOf(blocks: Dict[]): FoundElement[] {
  return blocks.flatMap((block) => {
    const inside =
      block.type === 'input' ? [block.element] : block.type === 'section' ? [block.accessory] : elementsIn(block);
    return inside
      .filter(isDict)
      .filter((element) => element.type !== 'image')
      .map((element) => ({ block, blockId: String(block.block_id ?? ''), element }));
  });
}

const elementsIn = (block: Dict): Dict[] => (block.type === 'actions' ? listOf(block.elements) : []);

/** Missing ids are made up; `<`, `>` and loose `&` of plain text come back escaped, as from Slack. */
export function fillBlocks(blocks: Dict[]): Dict[] {
  const filled = structuredClone(blocks).map((block) => escapeTexts(block));
  for (const block of filled) block.block_id ??= newId('', 5);
  for (const { element } of elementsOf(filled)) element.action_id ??= newId('', 5);
  return filled;
}

function escapeTexts(value: Dict): Dict {
  for (const inner of Object.values(value)) {
    for (const item of Array.isArray(inner) ? inner.flat() : [inner]) if (isDict(item)) escapeTexts(item);
  }
  if (value.type === 'plain_text') value.text = escapePlain(String(value.text));
  else if (value.type === 'mrkdwn') value.text = escapeLooseAmpersands(String(value.text));
  return value;
}

export const escapeLooseAmpersands = (text: string): string => text.replaceAll(/&(?!(?:amp|lt|gt);)/g, '&amp;');

const escapePlain = (text: string): string =>
  escapeLooseAmpersands(text).replaceAll('<', '&lt;').replaceAll('>', '&gt;');
