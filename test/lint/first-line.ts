/** Finds files whose first line does not say in one short sentence, with a verb, what the file does. */

/** A reader of a listing sees this much of a line. */
const MAX_FIRST_LINE = 99;

/** The marks that open a comment of TypeScript or JavaScript, or a docstring of Python, and the text behind them. */
const OPENING = /^(?:\/\*\*?|\/\/|""")\s*(.*?)\s*(?:\*\/|""")?$/;

/**
 * A verb in the third person, or the name of a command before one. A noun has the same ending: `Rows of a table`, `Rows: …` and `Rows, …`
 * are names of things, and other plurals are for the reader to find.
 */
const BEGINS_WITH_VERB = /^(?:`[^`]+`|(?:Tells|Says) of\b|(?:[A-Z][a-z]+s|Has|Does)\b(?! of\b|[,:]))/;

/**
 * Looks at the first line of a code file, after the `#!` of a program.
 *
 * @param text the file's text; an empty file needs no comment
 * @returns the reason why a reader learns too little from the line, or undefined
 */
export function firstLineProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const opening = OPENING.exec(lines[0] ?? '');
  if (opening === null) return 'the first line is no comment: say there what the file does';
  // An opening mark may have a line of its own.
  const sentence = opening[1] || (lines[1] ?? '').replace(/^[\s*]+/, '').trim();
  if (sentence.length > MAX_FIRST_LINE)
    return `the first line has ${sentence.length} characters; put one sentence of at most ${MAX_FIRST_LINE} there`;
  if (!/[.:]$/.test(sentence)) return 'the first line ends within a sentence: put a whole one there';
  return BEGINS_WITH_VERB.test(sentence)
    ? undefined
    : 'the first line names a thing: begin with a verb, such as "Reads" or "Checks"';
}
