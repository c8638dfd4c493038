/** Parts a rule where the words of another program or of a script begin. */
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { isOption } from './option-words.ts';

const DASHES = '--';

/** A rule, or the words of a runner and the command that it runs, which begins at the word `start`. */
interface Parts {
  readonly outer: CommandSpec;
  readonly inner: CommandSpec | undefined;
  readonly start: string;
  /** The command begins behind that word. */
  readonly skips: boolean;
}

const split = new WeakMap<CommandSpec, Parts>();

export function partsOf(spec: CommandSpec): Parts {
  let parts = split.get(spec);
  if (parts === undefined) {
    parts = partsAt(spec, innerStart(spec.words));
    split.set(spec, parts);
  }
  return parts;
}

function partsAt(spec: CommandSpec, at: number | undefined): Parts {
  const { words } = spec;
  if (at === undefined) return { outer: spec, inner: undefined, start: '', skips: false };
  // Behind `--` stands a command, or options of a script.
  const skips = words[at] === DASHES && !isOption(words[at + 1] ?? '-');
  const inner = words.slice(skips ? at + 1 : at);
  return {
    outer: { ...spec, words: words.slice(0, at) },
    inner: { ...spec, words: inner, firstWord: inner[0] },
    start: words[at] as string,
    skips,
  };
}

/** Where the words of a script or of another program begin: `python x.py`, `npx x`, `npm run x -- `. */
function innerStart(words: readonly string[]): number | undefined {
  const dashes = words.indexOf(DASHES, 1);
  if (dashes > 0) return dashes;
  const resolved = resolveCommand(words.map(literalField));
  const { interpreter } = resolved?.program ?? {};
  const runner = resolved?.record.runner ?? resolved?.program.runner;
  if (resolved === undefined || (interpreter === undefined && runner?.allow !== 'named')) return undefined;
  const { words: rest } = resolved;
  let operands = runner?.operands ?? 0;
  for (let at = 0; at < rest.length; at++) {
    const { text } = rest[at] as Field;
    if (interpreter?.values.has(text) === true || runner?.values.has(text) === true) at += 1;
    else if (!isOption(text) && operands > 0) operands -= 1;
    else if (!isOption(text)) return words.length - rest.length + at;
    else if (text !== '-m' && interpreter?.flags.has(text) !== true && runner?.flags.has(text) !== true)
      return undefined;
  }
  return undefined;
}
