/** Parses and checks the text of countersign.yaml, and names the policy by its digest. */
import { canonicalJson, sha256Hex } from '../domain/digest.ts';
import { yamlWords } from '../domain/issue-messages.ts';
import { ownValue } from '../domain/own.ts';
import { anyText } from '../domain/settings.ts';
import { orNearest } from '../domain/text/nearest.ts';
import { parseMode } from '../permissions/model/modes.ts';
import { ruleSourceOf } from '../permissions/model/sources.ts';
import { createToolRegistry } from '../permissions/model/tools.ts';
import { compileRules } from '../permissions/rules/compile.ts';
import { checkReferences } from './checks/references.ts';
import type { PolicyDocument } from './document.ts';
import { orElsewhere } from './other-place.ts';
import { ruleInputs, toolEntries } from './rules.ts';
import { policySchema } from './schema/policy-file.ts';
import { PolicyFileError, type PolicyProblem } from './schema/problems.ts';
import { readYaml } from './yaml-text.ts';

/**
 * Parses a policy file, and checks it as a whole.
 *
 * @param source the YAML text
 * @param file its name in errors and explanations
 * @throws PolicyFileError with every problem found, each with line and column
 * @example
 * const document = loadPolicy(readFileSync('countersign.yaml', 'utf8'), 'countersign.yaml');
 * console.log(document.policyVersion);
 */
export function loadPolicy(source: string, file: string): PolicyDocument {
  anyText(source, 'source');
  anyText(file, 'file');
  const { value, positions, problems: unread } = readYaml(source);
  if (unread.length) throw new PolicyFileError(file, unread);

  const located = (problem: PolicyProblem): PolicyProblem => ({
    ...problem,
    ...((problem.atKey && positions.key(problem.path)) ?? positions.value(problem.path)),
  });

  const parsed = policySchema.safeParse(value ?? {}, { error: yamlWords });
  if (!parsed.success)
    throw new PolicyFileError(
      file,
      parsed.error.issues.map((issue) => located(problemOf(issue, value))),
    );
  const problems = checkReferences(parsed.data);
  if (problems.length) throw new PolicyFileError(file, problems.map(located));

  const ruleLines: Record<string, { line: number; column: number }> = Object.create(null);
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    for (const index of parsed.data.rules[effect].keys()) {
      ruleLines[`${effect}.${index}`] = positions.value(['rules', effect, index]);
    }
  }
  const loaded = { policyVersion: sha256Hex(canonicalJson(parsed.data)), file, policy: parsed.data, ruleLines };
  const malformed = ruleProblems(loaded);
  if (malformed.length) throw new PolicyFileError(file, malformed);
  return loaded;
}

/** Rules that cannot be read: the whole file is refused. */
function ruleProblems(document: PolicyDocument): PolicyProblem[] {
  const { problems } = compileRules(ruleInputs(document), { tools: createToolRegistry(toolEntries(document.policy)) });
  return problems
    .filter(({ level }) => level === 'error')
    .map(({ pattern, message, suggestion, origin }) => ({
      path: [],
      message: `${pattern}: ${message}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
      ...(origin?.line === undefined ? {} : { line: origin.line }),
      ...(origin?.column === undefined ? {} : { column: origin.column }),
    }));
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  /** The words that the key of a union may have, where one key tells its kinds apart. */
  readonly options?: readonly unknown[];
  readonly errors?: readonly (readonly Issue[])[];
  readonly issues?: readonly Issue[];
}

/** A union's own message says nothing: the branch with the fewest problems does. An unknown key is pointed at itself. */
function problemOf(issue: unknown, whole: unknown): PolicyProblem {
  const { code, path, message, keys, options, values = options, errors, issues } = issue as Issue;
  const position = path.filter((part) => typeof part !== 'symbol');
  if (code === 'invalid_union' && errors?.length) {
    // A mapping is no word of a list of words, and says more by its own branch.
    const isMapping = typeof position.reduce(childOf, whole) === 'object';
    const isOther = ({ code: each }: Issue) => each === 'invalid_type' || (each === 'invalid_value' && isMapping);
    const isOfKind = (branch: readonly Issue[]) => branch.every((inner) => inner.path.length || !isOther(inner));
    const [nearest] = errors.filter(isOfKind).sort((one, other) => distanceOf(one) - distanceOf(other));
    const branch = nearest ?? errors[0];
    // A key that is misspelt is why another one is missing.
    const best = branch?.find((inner) => inner.code === 'unrecognized_keys') ?? branch?.[0];
    if (best) {
      const inner = problemOf(best, position.reduce(childOf, whole));
      return { ...inner, path: [...position, ...inner.path] };
    }
  }
  // A key that is no name: what is wrong with it, not only that something is.
  if (code === 'invalid_key' && issues?.[0]) return { path: position, message: issues[0].message };
  if (values) {
    const value = position.reduce(childOf, whole);
    return { path: position, message: typeof value === 'string' ? notOneOf(value, values) : message };
  }
  if (code === 'unrecognized_keys' && keys?.[0] !== undefined) {
    const place = DID_YOU_MEAN.test(message) ? '' : orElsewhere(position, keys[0]);
    return { path: [...position, keys[0]], atKey: true, message: `${message}${place}` };
  }
  return { path: position, message };
}

/** The more keys are wrong, the farther is the branch that was meant. Of two at the same distance it is the one that knows a nearest key. */
const distanceOf = (branch: readonly Issue[]): number =>
  branch.reduce((sum, { keys, message }) => sum + (keys?.length ?? 1) - (DID_YOU_MEAN.test(message) ? 0.5 : 0), 0);

const DID_YOU_MEAN = /; did you mean /;

const childOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? ownValue(value as Record<string, unknown>, String(key)) : undefined;

/** An unknown mode, source, permission … with the nearest word that is known, other spellings of the contract among them. */
function notOneOf(value: string, known: readonly unknown[]): string {
  const list = `expected one of ${known.join(', ')}`;
  const same = [parseMode(value), ruleSourceOf(value)].find((each) => each !== undefined && known.includes(each));
  return `${value} is unknown; ${list}${same ? `; did you mean ${same}?` : orNearest(value, known.map(String))}`;
}
