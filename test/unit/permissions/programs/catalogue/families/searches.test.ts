/** Checks which scripts of awk and filters of jq a prefix rule covers. */
import { describeFamily, type RuleRows } from '../family.ts';

const COVERED: RuleRows = [
  [
    'awk:*',
    [
      "awk '{ if ($1 > 2) print $2 }' f",
      "awk '{ max = $1 > max ? $1 : max } END { print max }' f",
      'awk \'{ print ($1 > 3) ? "a" : "b" }\' f',
      "awk 'function f(x) { return x > 2 } { print f($1) }' f",
      "awk '{ a[$1 > 2]++ } END { for (k in a) if (a[k] > 1) print k, a[k] }' f",
      'awk \'{ print > "/dev/stderr" }\' f',
      'awk \'{ printf "%s\\n", $1 >> "/dev/stdout"; n++ } END { print n > "/dev/null" }\' f',
      "awk '/a|b/ && $2 ~ /@/ { print }' f",
      "awk '/[[:alpha:]>]+\\// { print }' f",
      'awk \'{ print "<" $1 ">", "a|b", "system" }\' f',
      'awk \'{ s += $1 / 2 } END { printf "%.1f > %d\\n", s / NR, 3 }\' f',
      "awk '{ print; fflush() } # x > y' f",
      "awk '{ print ($1 + $2) / 2 }' f",
    ],
  ],
  [
    'jq:*',
    [
      'jq \'.["env"]\' f',
      'jq \'.[] | select(.name == "env") | .value\' f',
      'jq \'.["import"] + "a\\"env"\' f',
      'jq \'"\\(.name): \\(.x)"\' f',
    ],
  ],
  ['gh:*', ['gh pr list --json title --jq \'.[] | select(.title == "env") | .title\'']],
];

const NOT_COVERED: RuleRows = [
  [
    'awk:*',
    [
      'awk \'{ print > "out" }\' f',
      'awk \'{ printf("%s", $1) >> "out" }\' f',
      'awk \'{ print ($1)>"out" }\' f',
      'awk \'{ print $1, ($2) > "out" }\' f',
      'awk \'{ print $1\n> "out" }\' f',
      "awk '{ print > $1 }' f",
      'awk \'{ print > "/dev/stderr" ".x" }\' f',
      'awk \'{ print > "/dev/stderr" $1 }\' f',
      "awk '{ print length > 80 }' f",
      'awk \'{ print | "sh" }\' f',
      'awk \'{ "date" |& getline x }\' f',
      "awk '{ @f() }' f",
      'awk \'{ x["system"] = 1; system("id") }\' f',
      // One implementation ends an expression at a slash or a bracket where another one does not.
      'awk \'/[\\]/ { print > "f" } #]/\' f',
      'awk \'/[]/]/ { print > "f" }\' f',
      'awk \'/[^]/]/ { print > "f" } #]/\' f',
      'awk \'/[[:alpha:]/]/ { print > "f" }\' f',
      'awk \'{ (x) / 2; print > "f" } # /\' f',
      'awk \'{ x++ /2; print > "f" } # /\' f',
      // Behind a regular expression a slash divides.
      'awk \'!/a/ /1 { print > "f" } # /\' f',
      'awk \'{ x = $1 ~ /b/ /1; print > "f" } # /\' f',
      'awk \'# \\\n{ print > "f" }\' f',
      'awk \'{ print "a\\\n" > "f" }\' f',
    ],
  ],
  [
    'jq:*',
    [
      'jq \'"a" | env | "b"\' f',
      'jq \'"\\(env)" | "b"\' f',
      'jq \'"\\(1)" | env | "b"\' f',
      'jq \'"a\\\\" , env, "b"\' f',
      'jq \'# "\nenv # "\' f',
      'jq \'.a | $ENV["X"]\' f',
    ],
  ],
  // The words of a path may hold a quote.
  ['yq:*', ['yq \'.a"|load("f")|.b"\' f']],
];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED });
