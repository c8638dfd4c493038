/** Finds files that are too long, and exceptions that nothing needs any more. */

/** A file of the product fits a few screens. */
const MAX_LINES = 150;
/** An adapter of a framework is glue: a rule of its own would belong to the guard. No file may be longer. */
const MAX_LINES_OF_ADAPTER = 80;
/** A test is a list of cases; beyond this it wants to be two, as any file does. */
const MAX_LINES_EVER = 400;

const isAdapter = (file: string): boolean => file.startsWith('shared/client/integrations/');
const isProduct = (file: string): boolean => /^(?:shared|functions|cdk)\//.test(file);

/**
 * Looks at the length of code files.
 *
 * @param files each file's text by its path from the root
 * @param exceptions reasons for product files of more than 150 lines, by path
 * @returns one line for each problem
 */
export function lengthProblems(
  files: ReadonlyMap<string, string>,
  exceptions: Readonly<Record<string, string>>,
): string[] {
  const problems = [...files].flatMap(([file, text]) => {
    const lines = text.split('\n').length - 1;
    const isListed = Object.hasOwn(exceptions, file);
    if (lines > MAX_LINES_EVER) return [`${file}: has ${lines} lines; none has more than ${MAX_LINES_EVER}`];
    if (isAdapter(file) && lines > MAX_LINES_OF_ADAPTER)
      return [`${file}: has ${lines} lines; an adapter has at most ${MAX_LINES_OF_ADAPTER}`];
    if (!isProduct(file)) return [];
    if (lines > MAX_LINES && !isListed)
      return [`${file}: has ${lines} lines; split it, or give test/lint/long-files.ts the reason`];
    return lines <= MAX_LINES && isListed
      ? [`${file}: has ${lines} lines now; take it off test/lint/long-files.ts`]
      : [];
  });
  const gone = Object.keys(exceptions).filter((file) => !files.has(file));
  return [...problems, ...gone.map((file) => `${file}: is not there; take it off test/lint/long-files.ts`)];
}
