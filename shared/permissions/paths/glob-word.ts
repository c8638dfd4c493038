/** Glob texts of tools such as Glob and Grep, as folded tokens per segment; braces are expanded first. */
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import { PathPatternError, segmentTokens } from './pattern.ts';

export interface GlobWord {
  readonly path: string;
  readonly glob: readonly (readonly GlobToken[])[] | undefined;
}

const MAX_ALTERNATIVES = 64;

/** Top-level alternatives of the first `{a,b}`; nested braces are expanded by the next round. */
function splitFirstBrace(text: string): string[] | undefined {
  const open = text.indexOf('{');
  if (open < 0) return undefined;
  let depth = 0;
  const cuts: number[] = [];
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '{') depth++;
    else if (char === ',' && depth === 1) cuts.push(at);
    else if (char === '}' && --depth === 0) {
      if (cuts.length === 0) return undefined;
      const edges = [open, ...cuts, at];
      return edges
        .slice(1)
        .map((end, index) => text.slice(0, open) + text.slice((edges[index] as number) + 1, end) + text.slice(at + 1));
    }
  }
  return undefined;
}

/** `{a,b}` expanded; `undefined` when there are too many alternatives. */
export function expandBraces(text: string): string[] | undefined {
  let pending = [text];
  const done: string[] = [];
  while (pending.length > 0) {
    const next: string[] = [];
    for (const each of pending) {
      const parts = splitFirstBrace(each);
      if (parts === undefined) done.push(each);
      else next.push(...parts);
    }
    if (done.length + next.length > MAX_ALTERNATIVES) return undefined;
    pending = next;
  }
  return done;
}

function tokensOf(segment: string): GlobToken[] {
  try {
    return segmentTokens(foldText(segment));
  } catch (error) {
    if (error instanceof PathPatternError) return [{ kind: 'run' }];
    throw error;
  }
}

export function globSegments(text: string): GlobWord[] {
  const alternatives = expandBraces(text) ?? [text.replaceAll('{', '*').replaceAll('}', '*').replaceAll(',', '*')];
  return alternatives.flatMap((each): GlobWord[] => {
    const special = ['*', '?', '[', '\\'].some((char) => each.includes(char));
    if (!special) return [{ path: each, glob: undefined }];
    const parts = each.split('/').filter((part) => part !== '' && part !== '.');
    return [{ path: each, glob: parts.map(tokensOf) }];
  });
}
