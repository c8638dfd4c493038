/** A policy file on disk and what is wrong with it: what refuses it, and rules that cannot do what they seem to. */

import type { PolicyDocument } from '../config/document.ts';
import { loadPolicy } from '../config/load.ts';
import { PolicyFileError } from '../config/problems.ts';
import { ruleInputs, toolEntries } from '../config/rules.ts';
import { compileRules } from '../permissions/rules/compile.ts';
import { createToolRegistry } from '../permissions/tools.ts';
import { CliError, EXIT, type Io, readText } from './io.ts';

export interface Finding {
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** `file:line:column: problem`. */
  readonly line: string;
}

/** @throws PolicyFileError with each problem; CliError, which ends in `hint`, if there is no such file. */
export const loadFile = (file: string, hint: string, io: Io): PolicyDocument =>
  loadPolicy(readText(file, 'policy file', hint, io), file);

/** @throws CliError with each problem on a line of its own. */
export function readDocument(file: string, io: Io, hint = 'name it with --policy'): PolicyDocument {
  try {
    return loadFile(file, hint, io);
  } catch (error) {
    if (error instanceof PolicyFileError) throw new CliError(error.message, EXIT.error);
    throw error;
  }
}

/** What the rule compiler says of a file whose shape is sound. */
export function problemsOf(document: PolicyDocument): Finding[] {
  const tools = createToolRegistry(toolEntries(document.policy));
  return compileRules(ruleInputs(document), { tools }).problems.map(
    ({ level, code, message, origin, pattern, suggestion }) => ({
      level,
      code,
      line: `${placeOf(origin)}: ${pattern}: ${message}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
    }),
  );
}

interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** `countersign.yaml:34:7`; empty for what no file holds. */
export const placeOf = (origin: Place | undefined): string =>
  [origin?.file, origin?.line, origin?.column].filter((part) => part !== undefined).join(':');
