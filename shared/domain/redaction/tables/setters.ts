/** Lists the words that set a name to a value: cards need them, and no table of programs. */
/** Words behind which a name and its value stand: `config set NAME VALUE`, `ENV NAME VALUE` of a Dockerfile, `jq --arg NAME VALUE`. Behind `env -u NAME` a program does. */
export const SETTERS: ReadonlySet<string> = new Set(
  'set setx setenv put config config:set env:set set-secret ENV #define --arg --argjson'.split(' '),
);
