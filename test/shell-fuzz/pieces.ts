/** Draws pieces of shell text of no program: words, redirections, here-documents, statements. */

/** Words that may stand anywhere behind a command; where one runs `evil`, no rule allowed it. */
export const ODD_WORDS: readonly string[] = [
  ...'$1|"$@"|$E|$(true)|$_|${E:-x}|src/*|{a,b}|~|$((1+1))|{,}|{,,}|{,}|<(true)|>(true)|$?|$#|$0|#|\\#|!|$[1]|~+|~-|~1|~0|[|]|{|}|$HOME|"$PWD"|$OLDPWD'.split(
    '|',
  ),
  ...'-$E|--$1|"-$1-exec"|$(cat src/flag)|$(cat src/program)|$"a"|$"$(evil)"|~evil|@(evil)|!(evil)|{evil,x}|<(evil)|$[$(evil)]'.split(
    '|',
  ),
  ...'${E:-$(evil)}|${E/x/$(evil)}|$((a[$(evil)]))|${E:=$(evil)}|${@:$(evil)}|${x[$(evil)]}|${E@P}|${#x[$(evil)]}|"${E:-`evil`}"'.split(
    '|',
  ),
  '+(x|evil)',
  '(evil)',
  "$'\\n'",
  // Where `$'` is no quote of its own, the escaped quote ends the word.
  "$'\\';evil #'",
  "$'\\'|evil #'",
  "$'a\\'&&evil;\\''",
  "$'\\'\nevil\n\\''",
  "'a'\\''evil'",
  '"a\\"; evil; \\""',
  '"$(echo \')\'; evil)"',
  '$(echo "`evil`")',
  '"`echo \\"evil\\"`"',
  '\\\nevil',
  '#\nevil',
  'a#\nevil',
  '\\;evil',
  ';evil',
  '$(# c\nevil)',
  '$(case x in x) evil;; esac)',
  "${E:-'}'}; evil",
  '"${E:-\'}\'}"; evil',
  '"${E#\'}; evil #\'}"',
  '$((1)); evil',
  '$(( $(evil) ))',
  '$((evil) )',
  '\r\nevil',
];

/** Redirections; `T` is a file that is written, `S` one that is read. */
export const REDIRECTIONS: readonly string[] = [
  ...'> T|>> T|2> T|&> T|&>> T|>& T|<> T|{fd}> T|>T|1>T|2>>T|&>T|> T <S|2>&1 >T|> T > /dev/null|9> T|10> T'.split('|'),
  '>| T',
  ...'2>&1|>/dev/null 2>&1|< /dev/null|< S|0< S|<S|<<< S|0<S|3< S|<& S|>&-|3>&1|>&2|&>/dev/null|&>>/dev/null|>&/dev/null|2>&$1|>$(evil)|< $(evil)|<<< $(evil)|>"$(evil)"'.split(
    '|',
  ),
];

/** Here-documents, each to the end of its last line. */
export const HERE_DOCUMENTS: readonly string[] = [
  '<<X\nbody $1\nX\n',
  "<<'X'\n$(evil)\nX\n",
  '<<X\n$(evil)\nX\n',
  '<<X\n`evil`\nX\n',
  '<<X\n\\$(evil)\nX\n',
  '<<X\n\\\\$(evil)\nX\n',
  '<<-X\n\ta\n\tX\n',
  '<<-X\n a\n X\nevil\nX\n',
  '<<"X Y"\na\nX Y\n',
  '<<\\X\n`evil`\nX\n',
  '<<X <<Y\na\nX\nb\nY\n',
  '<<X; evil\na\nX\n',
  '<<X | evil\na\nX\n',
  "<<''\na\n\nevil\n",
  '<<X\na\\\nX\nevil\nX\n',
  '<<X\na\nX \nevil\nX\n',
  '<<X"Y"\na\nXY\nevil\n',
  '<<$X\na\n$X\n',
  '<<"$(evil)"\na\n$(evil)\n',
  '<<X\na\nX\r\nevil\nX\n',
  '<<X &&\na\nX\nevil',
  '<<X\n${E:-$(evil)}\nX\n',
  "<<X\n'\nX\nevil\n'",
  '<<X\n"\nX\nevil\n"',
  "<<$'X'\na\nX\nevil\nX\n",
  '<<$"X"\na\nX\nevil\nX\n',
  '<<X#\na\nX\nevil\nX#\n',
  "<<'X\nY'\na\nX\nevil\nY\n",
  '<<X\\\nY\na\nX\nevil\nXY\n',
];

/** Statements that change how the following ones are read or found. */
export const SETTINGS: readonly string[] = [
  ...'set -e|set -x|set -f|shopt -s extglob|shopt -s dotglob|set -o noglob|IFS=/|IFS=e|trap evil EXIT|alias ls=evil|PATH=src|PATH=$PWD/src:$PATH|unset PATH|hash -p ./src/e.sh ls|export BASH_ENV=./src/e.sh'.split(
    '|',
  ),
  ...'cd .git|cd src|enable -n [|PS4=$(evil)|PROMPT_COMMAND=evil|readonly x|umask 0|exec 3>new|exec > src/new|declare -i A; A=b[$(evil)]|OLDPWD=.git; cd -|CDPATH=.git|HOME=/workspace/app/.git|set -o posix|set -k|set -a|set -u'.split(
    '|',
  ),
  ...'command_not_found_handle() { evil; }|shopt -s expand_aliases|alias cat="evil "|unset -f ls|set -- -exec|set - .env|getopts a: v -a.env|local x=1|export -n PATH|let x=1|x[$(evil)]=1|: ${x:=evil}|test -v "x[$(evil)]"|unset "x[$(evil)]"|printf -v "x[$(evil)]" a|read "x[$(evil)]" < x|[ -v "x[$(evil)]" ]|[[ -v x[$(evil)] ]]|[[ "x[$(evil)]" -eq 1 ]]|[ "x[$(evil)]" -eq 1 ]|echo "$(( E ))"'.split(
    '|',
  ),
  "trap './src/e.sh' 0",
];

export const ASSIGNMENTS: readonly string[] =
  'A=1|CI=1|NODE_ENV=test|PATH=src|BASH_ENV=./src/e.sh|ENV=./src/e.sh|GIT_PAGER=evil|IFS=e|LANG=C|HOME=src|v=$(evil)|A=$(true)|A+=x|PS4=$(evil)|x[$(evil)]=1|a=(evil)|A=`evil`|A=${E:-$(evil)}|LC_ALL=C|TZ=UTC|GIT_DIR=src|A=~|A=a:~/x'.split(
    '|',
  );

export const WRAPPERS: readonly string[] =
  'timeout 1|timeout 1|nice|nice -n 5|nohup|env|env -i A=1|env A=1|command|exec|time|time -p|time --|stdbuf -o0|xargs|xargs -n1|xargs -I{}|builtin|eval|!|! !|coproc|find . -exec|timeout -s KILL 1|timeout -k 1 1|env -S|sudo|watch|nice -5|timeout --|nice nice|nohup timeout 1|time !|then|do|{|('.split(
    '|',
  );
