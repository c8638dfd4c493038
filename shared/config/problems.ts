/** A problem in a policy file: where it stands, what is wrong, what would be right. */
export interface PolicyProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Refuses a policy file; `message` has one line per problem, as `file:line:column: key: problem`. */
export class PolicyFileError extends Error {
  readonly code = 'invalid_policy';
  readonly file: string;
  readonly problems: readonly PolicyProblem[];
  constructor(file: string, problems: readonly PolicyProblem[]) {
    super(problems.map((problem) => lineOf(file, problem)).join('\n'));
    this.name = 'PolicyFileError';
    this.file = file;
    this.problems = problems;
  }
}

function lineOf(file: string, { path, message, line, column }: PolicyProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const key = path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${part}`))
    .join('');
  return `${place}: ${key ? `${key}: ` : ''}${message}`;
}
