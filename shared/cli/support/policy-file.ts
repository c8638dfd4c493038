/** Reads a policy file from disk, whole, or refuses it with every problem. */
import type { PolicyDocument } from '../../config/document.ts';
import { loadPolicy } from '../../config/load.ts';
import { PolicyFileError } from '../../config/schema/problems.ts';
import { readYaml } from '../../config/yaml-text.ts';
import type { ReadPolicy } from '../lint/lint.ts';
import { CliError, EXIT, type Io, readText } from './io.ts';

/** @throws PolicyFileError with each problem; CliError, which ends in `hint`, if there is no such file. */
export function loadFile(file: string, hint: string, io: Io): ReadPolicy {
  const source = readText(file, 'policy file', hint, io);
  return { document: loadPolicy(source, file), positions: readYaml(source).positions };
}

/** @throws CliError with each problem on a line of its own. */
export function readPolicy(file: string, io: Io, hint = 'name it with --policy'): ReadPolicy {
  try {
    return loadFile(file, hint, io);
  } catch (error) {
    if (error instanceof PolicyFileError) throw new CliError(error.message, EXIT.error);
    throw error;
  }
}

/** @throws CliError with each problem on a line of its own. */
export const readDocument = (file: string, io: Io): PolicyDocument => readPolicy(file, io).document;
