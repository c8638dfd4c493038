/** Unwraps PowerShell, whose options are in any case, may be abbreviated, and begin with any dash. */
import type { Field } from '../syntax/fields.ts';
import { codeOf, hasOpaque, NOTHING, type Unwrapped } from './unwrapped.ts';

/** Options that take the next word. */
const VALUES =
  'executionpolicy ep inputformat if outputformat of windowstyle workingdirectory wd psconsolefile version configurationname'.split(
    ' ',
  );

const begins = (option: string, name: string): boolean => name !== '' && option.startsWith(name);

/** `pwsh -c CODE`, `powershell -enc BASE64`, `powershell CODE`. A script's name reads as a command of that name. */
export function unwrapPowerShell(argv: readonly Field[]): Unwrapped {
  let at = 1;
  for (; at < argv.length; at++) {
    const { text } = argv[at] as Field;
    if (!/^[-/\u2013-\u2015][A-Za-z]/.test(text)) break;
    const name = text.slice(1).toLowerCase();
    if (begins('command', name) || begins('file', name)) {
      at += 1;
      break;
    }
    // Nobody reads what is encoded.
    if (begins('encodedcommand', name) || name === 'ec') return { ...NOTHING, runsOutputAsCode: true };
    if (VALUES.some((option) => begins(option, name))) at += 1;
  }
  const words = argv.slice(at);
  const readsStdin = words.length === 0 || words[0]?.text === '-';
  return { ...NOTHING, code: readsStdin ? [] : [codeOf(words)], runsOutputAsCode: hasOpaque(words), readsStdin };
}
