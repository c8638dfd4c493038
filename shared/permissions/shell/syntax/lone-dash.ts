/** Puts back the lone dash before a here-document, which the grammar drops: `kubectl apply -f - <<E`. */
import type { ShellNode } from './tree.ts';

const DASH = /^[ \t]+-(?=[ \t]*$)/;

/** The children of a command with redirections; a dash between them is the last word of the command. */
export function withDash(children: readonly ShellNode[], text: string): readonly ShellNode[] {
  return children.map((child, at) => {
    const next = children[at + 1];
    if (child.type !== 'command' || next?.type !== 'heredoc_redirect') return child;
    const dash = DASH.exec(text.slice(child.end, next.start));
    if (dash === null) return child;
    const end = child.end + dash[0].length;
    const word: ShellNode = { type: 'word', named: true, start: end - 1, end, children: [] };
    return { ...child, end, children: [...child.children, word] };
  });
}
