/** Draws scripts for `sed` and `awk`, which run for real: some harmless, some write, read or run. */
import { mutated } from './mutate.ts';
import type { Random } from './random.ts';

const SED = [
  ...'p|s/a/b/|s/x/y/g|1d|/x/p|$!N|y/a/b/|$p|1,2p|s,x,y,|/x/!d|=|l|n;p|{p;p}|s/x/&&/2|\\,x,p|1~2p|0,/x/d'.split('|'),
  ...'w new|s/x/y/w new|1e evil|e evil|s/x/evil/e|r .env|R .env|W new|1w .env|{p;w new|/x/w new|s,x,y,w new|s/x/y/gw new|$w new|e'.split(
    '|',
  ),
  ...'s/x/y/;w new|y/x/w/;w new|s/[/]/y/w new|s/[/w new/]/y/|/[/]/w new|a\\|a x\\|i\\|1!w new|:a;w new|b;w new|}w new|s/x/y/we|s/x/y/ew|1,/x/w new'.split(
    '|',
  ),
  's/x/y/\nw new',
  'a\\\nx\nw new',
  'a x\nw new',
  '#n\nw new',
  '# c\nw new',
  's/x/y\\\n/;w new',
  'c\\\nx\\\nw new\nw new2',
  '/a\\/w new/p',
  'y/\\//x/;w new',
];
const AWK = [
  ...'{print $1}|$3 > 100|NR==1|/x/|{s+=$1} END{print s}|BEGIN{x=1>2}|{print NF}|{printf "%s\\n",$1}|!a[$0]++|{print length($0)}|{gsub(/x/,"y");print}'.split(
    '|',
  ),
  ...'BEGIN{system("evil")}|{print>"new"}|BEGIN{print>"new"}|BEGIN{print|"evil"}|BEGIN{"evil"|getline}|BEGIN{getline<".env";print}|BEGIN{print>>"new"}'.split(
    '|',
  ),
  ...'BEGIN{printf "a">"new"}|BEGIN{print "a" > ("n" "ew")}|BEGIN{close("x");print|"evil"}|BEGIN{s="system";system("evil")}|BEGIN{while((getline x<".env")>0)print x}'.split(
    '|',
  ),
  ...'BEGIN{print(1)>"new"}|BEGIN{print/x/>"new"}|BEGIN{print "\\"">"new"}|BEGIN{x=/"/;print>"new"}#"|BEGIN{print ENVIRON["HOME"]}|BEGIN{print 1>2}|BEGIN{print a[1]>"new"}'.split(
    '|',
  ),
  'BEGIN{system ("evil")}',
  'BEGIN{system\\\n("evil")}',
  'BEGIN{print 1 #\n>"new"}',
  'BEGIN{if(1/2/1)system("evil")}',
  'function f(x){return system(x)} BEGIN{f("evil")}',
];

export function drawScript(program: string, random: Random): string | undefined {
  const from = program === 'sed' ? SED : program === 'awk' || program === 'mawk' ? AWK : undefined;
  if (from === undefined) return undefined;
  const script = random.pick(from);
  if (random.chance(0.2)) return `${script}${random.pick([';', '\n', ' ; ', '; '])}${random.pick(from)}`;
  return random.chance(0.3) ? mutated(script, random) : script;
}
