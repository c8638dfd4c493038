/** Spells the words of a command as others write them, for deny and ask rules. */
import { addressNames, packageNames } from '../../programs/catalogue/names/package-names.ts';
import { set } from '../../programs/record/record.ts';
import { type Resolved, resolveCommand } from '../../programs/resolve.ts';
import { ANYTHING, type Field, literalField, wordOf } from '../../shell/syntax/fields.ts';
import { isOption, takesNext } from './option-words.ts';

/** Each is compared with all rules on the program. More words than these are any word. */
const MAX_SPELLED = 64;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** `kill -KILL 1` is `kill -9 1`, and `make ENV=prod deploy` is `make deploy ENV=prod`. */
export function respelled(argv: readonly Field[]): readonly (readonly Field[])[] {
  const resolved = resolveCommand(argv);
  const { record, program, path, words } = resolved ?? { words: [], path: [] };
  const spellings = record?.spellings ?? program?.spellings;
  if (spellings === undefined && program?.goals !== true) return [];
  const written = new Map(argv.slice(1).map((field) => [field.text, field]));
  const found = spellings?.(words.map(({ text }) => text)) ?? withVariables([...written.keys()]);
  const fieldsOf = (spelled: readonly string[]): readonly Field[] => [
    argv[0] as Field,
    ...[...path, ...spelled].map((word) => written.get(word) ?? wordOf(word)),
  ];
  const rest = found.length > MAX_SPELLED ? [[...fieldsOf([]), ANYTHING]] : [];
  return [...found.slice(0, MAX_SPELLED).map(fieldsOf), ...rest];
}

/** Each goal with each variable, which may stand before it and behind it; no more of them than show that there are too many. */
function withVariables(words: readonly string[]): readonly (readonly string[])[] {
  const variables = words.filter((word) => ASSIGNMENT.test(word));
  const goals = words.filter((word) => !word.startsWith('-') && !ASSIGNMENT.test(word));
  const found: (readonly string[])[] = [];
  for (const goal of goals)
    for (const variable of variables) {
      found.push([goal, variable], [variable, goal]);
      if (found.length > MAX_SPELLED) return found;
    }
  return found;
}

/** Operands that are looked at each alone. One of more may be any word. */
const MAX_EACH = 64;

/** Sub-commands that do the same to each of their operands. */
const EACH = set(
  'delete remove rm rmi uninstall un del purge install add i update upgrade start stop restart reload kill pause unpause enable disable mask ' +
    'unmask cordon uncordon drain pull push terminate destroy unlink drop discard get describe require erase abandon up deploy',
);
const isEach = (name: string): boolean => EACH.has(name.toLowerCase());

/** Sub-commands whose operands may have a version: `npm install x@1`, `docker pull x:1`. */
const VERSIONED = set('install i add get require upgrade update pull push rmi');
/** `r.example:5000/app:1`, and `x; python_version > "3"`. */
const TAG = /:[^:/]*$|\s*;.*$/s;

/** The words that may be operands, and those before them; undefined where one of them is not done alone. */
function operandsOf(
  argv: readonly Field[],
  resolved: Resolved | undefined,
): Pick<Resolved, 'path' | 'words'> | undefined {
  const { path, words, record, program } = resolved ?? { path: [], words: argv.slice(1) };
  const { deletes, each, fetches, passesLines, paths, runner } = record ?? {};
  const [first] = words;
  // `pm2 stop a b`, `docker secret rm a b`: the record has no such sub-command.
  if (first !== undefined && isEach(first.text) && runner?.allow !== 'named')
    return { path: [...path, first.text], words: words.slice(1) };
  if ((path.some(isEach) && runner === undefined) || deletes || fetches) return { path, words };
  if (each === 'behind --') return words.some(({ text }) => text === '--') ? { path, words } : undefined;
  if (each || (passesLines === true && paths?.pattern === undefined)) return { path, words };
  return program?.each ? { path: [], words: argv.slice(1) } : undefined;
}

/** Each operand alone, for programs that do the same to each: `rm a b` is `rm b`, and `curl a --url b` is `curl b`, too. */
export function eachOperand(argv: readonly Field[]): readonly (readonly Field[])[] {
  const resolved = resolveCommand(argv);
  const found = operandsOf(argv, resolved);
  if (found === undefined) return [];
  const { path, words } = found;
  const dashes = words.findIndex(({ text }) => text === '--');
  const stated = words.flatMap(({ text }) =>
    text.startsWith('--url=') ? [literalField(text.slice('--url='.length))] : [],
  );
  // `-n` of `kubectl delete pod a -n ns` goes on with its value.
  const isOperand = ({ text }: Field, at: number): boolean => {
    const before = words[at - 1]?.text ?? '';
    return (
      at > dashes &&
      !isOption(text) &&
      (before === '--url' || !isOption(before) || !resolved || !takesNext(before, resolved))
    );
  };
  const operands = words.filter(isOperand);
  const parted = operands.flatMap(({ text }) =>
    text.includes(',')
      ? text
          .split(',')
          .filter((part) => part !== '')
          .map(literalField)
      : [],
  );
  const options = words.filter((word, at) => !isOperand(word, at) && !/^--url(?:=|$)/.test(word.text));
  const isOfImages = path.some((name) => /^(?:pull|push|rmi)$/.test(name));
  // A push of git names no package.
  const versioned =
    path.some((name) => VERSIONED.has(name)) && resolved?.program.names[0] !== 'git'
      ? operands.flatMap(({ text }) =>
          [...packageNames(text), ...(isOfImages ? [] : addressNames(text)), text.replace(TAG, '')]
            .filter((name) => name !== text && name !== '')
            .map(literalField),
        )
      : [];
  if (
    operands.length + stated.length + versioned.length + parted.length < 2 &&
    options.length === words.length - operands.length
  )
    return [];
  const start = [argv[0] as Field, ...path.map(literalField)];
  const { deletes, fetches, passesLines } = resolved?.record ?? {};
  const [kind] = deletes || fetches || passesLines ? [] : operands;
  // The first word of `kubectl delete pod a b` says what the others are.
  return [...few([...operands, ...stated]), ...few(versioned), ...few(parted)].flatMap((operand) => [
    [...start, ...options, operand],
    ...(kind !== undefined && operand !== kind ? [[...start, ...options, kind, operand]] : []),
  ]);
}

const few = (operands: readonly Field[]): readonly Field[] =>
  operands.length > MAX_EACH ? [...operands.slice(0, MAX_EACH), ANYTHING] : operands;
