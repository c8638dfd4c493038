/** Glob texts of tools such as Glob and Grep, as folded tokens per segment; braces are expanded first. */
import { foldText } from '../text/characters.ts';
import type { GlobToken } from '../text/glob.ts';
import { PathPatternError, segmentTokens } from './pattern.ts';

export interface GlobWord {
  readonly path: string;
  readonly glob: readonly (readonly GlobToken[])[] | undefined;
}

const MAX_ALTERNATIVES = 64;
/** Braces of which the alternatives are the same (`{a,a}`) do not add to those, and yet each costs a look at the whole word. */
const MAX_ROUNDS = 16;

/** The alternatives of the first `{a,b}` that closes; a brace without a comma stands for itself, and the next one counts. */
function splitBrace(text: string): string[] | undefined {
  const open: number[][] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '{') open.push([at]);
    else if (char === ',') open.at(-1)?.push(at);
    else if (char === '}') {
      const [start, ...cuts] = open.pop() ?? [];
      if (start === undefined || cuts.length === 0) continue;
      const edges = [start, ...cuts, at];
      return edges
        .slice(1)
        .map((end, index) => text.slice(0, start) + text.slice((edges[index] as number) + 1, end) + text.slice(at + 1));
    }
  }
  return undefined;
}

/** `{a,b}` expanded; `undefined` when there are too many alternatives. */
export function expandBraces(text: string): string[] | undefined {
  let pending = [text];
  const done: string[] = [];
  for (let round = 0; pending.length > 0; round++) {
    const next = new Set<string>();
    for (const each of pending) {
      const parts = splitBrace(each);
      if (parts === undefined) done.push(each);
      else for (const part of parts) next.add(part);
    }
    if ((next.size > 0 && round >= MAX_ROUNDS) || done.length + next.size > MAX_ALTERNATIVES) return undefined;
    pending = [...next];
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
