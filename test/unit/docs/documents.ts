/**
 * Reads the Markdown documents of the repository.
 *
 * Finds their code blocks, links, headings and inline commands.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Document {
  readonly file: string;
  readonly text: string;
}

export interface Block {
  readonly file: string;
  /** Where its first line of code stands. */
  readonly line: number;
  readonly language: string;
  /** Words behind the language, such as `fragment`. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Every Markdown file that git knows or would add. */
export function allDocuments(): readonly Document[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

/** The documents for people. A test of its own loads the example from which the policy file's page is generated. */
export function userDocuments(): readonly Document[] {
  return allDocuments().filter(
    ({ file }) => (!file.includes('/') || file.startsWith('docs/')) && file !== 'docs/policy-file.md',
  );
}

const FENCE = /^( *)```(.*)$/;

/** Fenced code blocks, without the indent of a list that holds them. */
export function blocksOf({ file, text }: Document): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly indent: number; readonly info: string } | undefined;
  let lines: string[] = [];
  for (const [index, each] of text.split('\n').entries()) {
    const [, indent, info = ''] = FENCE.exec(each) ?? [];
    if (open === undefined) {
      if (indent !== undefined) open = { line: index + 2, indent: indent.length, info };
    } else if (indent === undefined) lines.push(each.slice(open.indent));
    else {
      const [language = '', ...words] = open.info.trim().split(/\s+/);
      blocks.push({ file, line: open.line, language, words, text: lines.join('\n') });
      open = undefined;
      lines = [];
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: a code block does not end`);
  return blocks;
}

/** The text with its code blocks emptied, line by line. */
function withoutBlocks(text: string): string {
  let inside = false;
  return text
    .split('\n')
    .map((line) => {
      const isFence = FENCE.test(line);
      if (isFence) inside = !inside;
      return isFence || inside ? '' : line;
    })
    .join('\n');
}

interface Link {
  readonly line: number;
  readonly target: string;
}

/** Targets of links and pictures that lead to no other site. */
export function relativeLinks(text: string): readonly Link[] {
  return withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => ({
        line: index + 1,
        target,
      })),
    )
    .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** The anchors that GitHub gives to the headings of a document. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of withoutBlocks(text).split('\n')) {
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Inline code, with the line on which it begins. */
export function inlineCode(text: string): readonly { readonly line: number; readonly text: string }[] {
  return withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ line: index + 1, text: code })),
    );
}
