/** Finds commands in variables that some program runs, such as `GIT_PAGER` or an exported `EDITOR`. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { isOwnVariable, isRunByPrograms } from '../../programs/catalogue/names/variables.ts';
import { programOf, type ShellCommand } from '../syntax/command.ts';

const NO_CODE: readonly string[] = [];

export function codeInVariables({ argv, assignments }: ShellCommand): readonly string[] {
  const record = recordOf(programOf(argv[0]) ?? '');
  const takesWords = record?.declares === 'sets' || record?.runner?.assignments === true || record?.goals === true;
  if (assignments.length === 0 && !takesWords) return NO_CODE;
  // A variable that only the text reads is followed to where it stands as a command.
  const stated = assignments.flatMap(({ name, value }) =>
    value?.isKnown === true && (argv.length > 0 || !isOwnVariable(name)) ? [[name, value.text] as const] : [],
  );
  const words = takesWords
    ? argv.slice(1).flatMap(({ text, isKnown }) => {
        const end = text.indexOf('=');
        return isKnown && end > 0 ? [[text.slice(0, end), text.slice(end + 1)] as const] : [];
      })
    : [];
  // `|CMD %s` of LESSOPEN, `!CMD` of an alias of git; another alias is a sub-command.
  return [...stated, ...words]
    .filter(([name]) => isRunByPrograms(name))
    .flatMap(([name, value]) => [
      value.replace(/^[|!-]+/, ''),
      ...(name.startsWith('GIT_CONFIG_VALUE_') && !value.startsWith('!') ? [`git ${value}`] : []),
    ]);
}
