/** Spells a command as the usual one that does the same: `git subtree push` as `git push`. */
import { withoutVersion } from '../../programs/catalogue/index.ts';
import { type Equivalent, exactEquivalents, nearEquivalents } from '../../programs/catalogue/names/equivalents.ts';
import { isHarmlessForm } from '../../programs/catalogue/names/harmless-forms.ts';
import { type CommandSpec, commandSpec } from '../../rules/command-spec.ts';
import { programOf } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { namesWords } from './names-words.ts';
import { isUncertain } from './possible-words.ts';

/** The command in the words of another. `words`: how many of them a rule has to name. */
interface Respelled {
  readonly argv: readonly Field[];
  readonly words: number;
}

const forms = new Map<string, CommandSpec>();

function formOf(text: string): CommandSpec {
  let form = forms.get(text);
  if (form === undefined) {
    form = commandSpec(`${text}:*`);
    forms.set(text, form);
  }
  return form;
}

/** The usual words, and whatever the command holds besides the words of the form. */
function respelledBy(argv: readonly Field[], equivalents: readonly Equivalent[]): readonly Respelled[] {
  if (equivalents.length === 0) return [];
  const names = namesWords(argv);
  const texts = argv.slice(1).map(({ text }) => text);
  const isCertain = !argv.some(isUncertain);
  return equivalents.flatMap(({ form, usual }) => {
    const spec = formOf(form);
    if (!names(spec) || isHarmlessForm(form, texts, isCertain)) return [];
    const left = spec.words.slice(1);
    const rest = argv.slice(1).filter(({ text }) => {
      const at = left.indexOf(text);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    const words = usual.split(' ');
    return [{ argv: [...words.filter((word) => word !== '*').map(literalField), ...rest], words: words.length }];
  });
}

function nameOf(argv: readonly Field[]): string {
  const name = programOf(argv[0])?.toLowerCase() ?? '';
  // The built-in `.` is no end of a version.
  return withoutVersion(name) || name;
}

/** The commands that certainly do the same. */
export const asExactEquivalents = (argv: readonly Field[]): readonly (readonly Field[])[] =>
  respelledBy(argv, exactEquivalents(nameOf(argv))).map((each) => each.argv);

/** The commands that do much the same, by another program or more broadly. */
export const asNearEquivalents = (argv: readonly Field[]): readonly Respelled[] =>
  respelledBy(argv, nearEquivalents(nameOf(argv)));
