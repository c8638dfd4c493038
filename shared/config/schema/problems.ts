/** Words the problems of a policy file, each with its position. */
import { CountersignError } from '../../domain/errors.ts';
import { fieldOf } from '../../domain/issue-messages.ts';
import { spelledOut } from '../../domain/text/invisible-characters.ts';
import { orNearest } from '../../domain/text/nearest.ts';

/** A problem in a policy file: where it stands, what is wrong, what would be right. */
export interface PolicyProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The last key of the path is wrong, and not its value. */
  readonly atKey?: true;
  readonly line?: number;
  readonly column?: number;
}

/** Why `name` does not stand for anything of its kind in the file; empty if it does. */
export function undeclared<Kind extends string>(
  file: Readonly<Record<Kind, Readonly<Record<string, unknown>>>>,
  kind: Kind,
  name: string,
  path: PolicyProblem['path'],
): PolicyProblem[] {
  if (Object.hasOwn(file[kind], name)) return [];
  const known = Object.keys(file[kind]);
  const list = known.length ? `declared there: ${known.join(', ')}` : `nothing is declared under ${kind}`;
  return [{ path, message: `${name} is not declared under ${kind}; ${list}${orNearest(name, known)}` }];
}

/** Refuses a policy file; `message` has one line per problem, from the top of the file, as `file:line:column: key: problem`. */
export class PolicyFileError extends CountersignError<'invalid_policy'> {
  override readonly name = 'PolicyFileError';
  readonly file: string;
  readonly problems: readonly PolicyProblem[];
  constructor(file: string, problems: readonly PolicyProblem[]) {
    // Problems of one line keep their order: a misspelt key comes before the key that is missing for it.
    const fromTheTop = [...problems].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
    super('invalid_policy', fromTheTop.map((problem) => lineOf(file, problem)).join('\n'));
    this.file = file;
    this.problems = fromTheTop;
  }
}

function lineOf(file: string, { path, message, line, column }: PolicyProblem): string {
  const position = [file, line, column].filter((part) => part !== undefined).join(':');
  const key = fieldOf(path);
  return `${position}: ${spelledOut(`${key ? `${key}: ` : ''}${message}`)}`;
}
