/** Finds files whose first line does not say in one short sentence what the file does. */

/** A reader of a listing sees this much of a line. */
const MAX_FIRST_LINE = 99;

/** The marks that open a comment of TypeScript or JavaScript, or a docstring of Python, and the text behind them. */
const OPENING = /^(?:\/\*\*?|\/\/|""")\s*(.*?)\s*(?:\*\/|""")?$/;

/** Words that begin a name of a thing, where a reader looks for a verb and its object. */
const WITHOUT_VERB = /^(?:The|A|An|One|How|When|Where|Why|Whether|From|Under|Every|Everything|Any|All)\b/;

/** Files whose first line has to begin with a verb. */
const PRODUCT = /^(?:shared|functions|cdk)\/.*\.ts$/;

/**
 * Looks at the first line of a code file, after the `#!` of a program.
 *
 * @param text the file's text; an empty file needs no comment
 * @param file the file's path from the root
 * @returns the reason why a reader learns too little from the line, or undefined
 */
export function firstLineProblem(text: string, file = ''): string | undefined {
  if (text === '') return undefined;
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const opening = OPENING.exec(lines[0] ?? '');
  if (opening === null) return 'the first line is no comment: say there what the file does';
  // An opening mark may have a line of its own.
  const sentence = opening[1] || (lines[1] ?? '').replace(/^[\s*]+/, '').trim();
  if (sentence.length > MAX_FIRST_LINE)
    return `the first line has ${sentence.length} characters; put one sentence of at most ${MAX_FIRST_LINE} there`;
  if (PRODUCT.test(file) && WITHOUT_VERB.test(sentence))
    return 'the first line names a thing: begin with a verb, such as "Reads" or "Declares"';
  return /[.:]$/.test(sentence) ? undefined : 'the first line ends within a sentence: put a whole one there';
}
