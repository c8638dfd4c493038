/**
 * Finds the ids that a text cites, and the anchors that explain them.
 *
 * Ids are those of requirements, decisions, mechanisms and guarantees.
 */

/** The page of docs/reference that explains an id, by its first letter. */
export const PAGE_OF: Readonly<Record<string, string>> = {
  R: 'requirements.md',
  D: 'decisions.md',
  A: 'mechanisms.md',
  G: 'guarantees.md',
};

/** `R4-048`, `D23`, `A18b`, `G6`: whole words only, so that a digest, a hexadecimal colour or a task's id is no tag. */
const TAG = /(?<![\w/#.-])(?:R[0-4]-\d{3}|[DAG][1-9]\d?b?)(?![\w-])/g;

export const tagsIn = (text: string): readonly string[] => text.match(TAG) ?? [];

/** Pages (`rules.md`), seeds, cases and findings: a reader of the code cannot look them up. */
const FOREIGN = /\b[\w./-]+\.md\b|\b[Ss]eed [0-4]\b|\bSpec \d{3}\b|\b(?:GR|T)-\d{3}\b|\bissue #?\d+/g;
const COMMENT = /^\s*(?:\/?\*|\/\/).*$|\s\/[/*]\s.*$/gm;

/** Citations of a module's comments besides ids; `isThere` knows the documents of the repository. */
export const foreignIn = (code: string, isThere: (page: string) => boolean): readonly string[] =>
  (code.match(COMMENT) ?? []).flatMap((comment) => (comment.match(FOREIGN) ?? []).filter((cited) => !isThere(cited)));

/** The text with each id linked to its explanation; `folder` is the way from the page to docs/reference. */
export const linked = (text: string, folder: string): string =>
  text.replaceAll(TAG, (id) => `[${id}](${folder}${PAGE_OF[id.slice(0, 1)]}#${id.toLowerCase()})`);

/** The ids that a page of docs/reference explains: one heading each. */
export const anchorsIn = (page: string): readonly string[] =>
  [...page.matchAll(/^### (\S+)$/gm)].map(([, id]) => id as string);
