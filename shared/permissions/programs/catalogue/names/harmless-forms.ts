/** Tells commands that look like an equivalent and do not act as one: dry runs, deletions of a part. */

/**
 * Whether a command of this form, with these words behind its program, only shows what it would do, or does less than its equivalent.
 * @param isCertain whether no word may become another one, or several
 */
export function isHarmlessForm(form: string, words: readonly string[], isCertain: boolean): boolean {
  // `declare -x A=1` prints nothing.
  if (/^(?:declare|typeset) -x$/.test(form)) return words.some((word) => /^[A-Za-z_]\w*(?:=|$)/.test(word));
  // A message may tell of the file.
  if (form === '* /proc/*/environ*') return !words.some((word) => word.startsWith('/proc/'));
  if (!isCertain) return false;
  // `curl -G` puts the data into the address, and `-X PUT` is no POST; behind another option a word may be the value of that.
  if (/^(?:curl|gh api) --(?!method)/.test(form)) {
    const isOwn = (at: number) => !/^-(?!(?:[sSLfkv]+|-location|-silent)$)/.test(words[at - 1] ?? '');
    return (
      !words.some((word) => /^(?:-\w*:|--ne.*|(?:.*[=X])?POST)$/i.test(word)) &&
      words.some((word, at) => isOwn(at) && (CURL_GET.test(word) || OTHER_METHOD.test(`${word} ${words[at + 1]}`)))
    );
  }
  if (form.toLowerCase() === 'gh api --method delete *repos/*')
    return words.every((word) => !word.includes('repos/') || PART_OF_REPOSITORY.test(word));
  return (form === 'git clean -f' || DRY_FORMS.test(form)) && isDryRun(form, words);
}

/** An option of the sub-command itself; none that may be the value of another one, and no opposite of it anywhere. */
function isDryRun(form: string, words: readonly string[]): boolean {
  const stated = form.split(' ').slice(1);
  const name = stated.filter((word) => !word.startsWith('-')).at(-1) as string;
  const own = words.slice(words.lastIndexOf(name) + 1);
  if (words.indexOf(name) !== words.lastIndexOf(name) || words.some((word) => /^(?:-+no-|--$)/i.test(word)))
    return false;
  if (form === 'git clean -f')
    return (
      own.some((word) => /^(?:-[dfxXqi]*n[dfnxXqi]*|--dry-run)$/.test(word)) &&
      !own.some((word) => /^(?:-[A-Za-z]*e|--e)/.test(word))
    );
  const option = form.startsWith('aws') ? '--dryrun' : '--dry-run';
  const at = own.indexOf(option);
  const before = own[at - 1] ?? '';
  return (
    at >= 0 &&
    (!before.startsWith('-') || stated.includes(before) || /^--[^=]+=./.test(before)) &&
    (own[at + 1] ?? '-').startsWith('-') &&
    words.filter((word) => /^-+dr/i.test(word)).length === 1
  );
}

const CURL_GET = /^(?:--get|-[sSLfkv]*G)$/;
const OTHER_METHOD = /^(?:-[sSLfkv]*X|--request|--method)[ =]?(?:GET|PUT|PATCH|DELETE|HEAD)(?: |$)/;
const DRY_FORMS = /^(?:(?:npm|pnpm|bun|uv|poetry) publish|aws s3 \w+)/;
/** No part of it is `.` or `..`. */
const PART_OF_REPOSITORY = /^\/?repos(?:\/(?!\.+(?:\/|$))[\w.{}:-]+){3,}$/;
