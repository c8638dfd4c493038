/** Tells by an option's name and value that it executes, loads, configures or writes. */

/** Parts of option names that say that the option executes, loads, configures or writes. */
const TELLING: readonly string[] = [
  'exec',
  'cmd',
  'command',
  'hook',
  'plugin',
  'config',
  'rootdir',
  'prefix',
  'program',
  'runner',
  'eval',
  'basetemp',
  // Where it fetches from, and whether it looks at who answers.
  'registry',
  'proxy',
  'endpoint',
  'index-url',
  'strict-ssl',
  'verify-ssl',
  // Names of programs that it starts.
  'shell',
  'pager',
  'editor',
  'browser',
  'viewer',
  'wrapper',
  'launcher',
  'compiler',
  'linker',
  'interpreter',
  'javaagent',
  'ssh',
  'addon',
  'macro',
  'bootstrap',
  'unsafe',
  'binary',
];
/** `--app`, `--app-dir`, `--webapp`; but not `--approve`, `--append`, `--apply`. */
const APP = /(?:^|[-_.])app(?!rov|end|ly|ear)|app$/;
/** Such parts that count as the beginning or the end of one of the name's words. */
const TELLING_STARTS: readonly string[] = ['out', 'dest', 'script', 'load', 'require', 'import', 'module', 'preload'];
const TELLING_ENDS: readonly string[] = ['file', 'path', 'dir', 'directory', 'rc'];

/** Options that choose a part of the program by its name, and load the file where they are given one: `--reporter=./x.js`. */
const PARTS: ReadonlySet<string> = new Set(
  (
    'reporter reporters format formatter preset presets parser syntax processor preprocessor postprocessor transform transformer helper ' +
    'helpers listener rule rules ruleset rulesets checks custom engine environment env template theme renderer harness use ui provider diff browser ' +
    'strategy extends library init'
  ).split(' '),
);

const PLACE = /^(?:\.{1,2}|~)?\/|\.(?:[cm]?[jt]sx?|py|rb|lua|so|dll|dylib|jar|pl|pm|php|sh|wasm)$/;

/** Whether an option of such a name is given the place of a file. */
export const loadsPart = (name: string, value: string): boolean =>
  PLACE.test(value) &&
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.]/)
    .some((part) => PARTS.has(part));

const MESSAGES: ReadonlySet<string> = new Set(
  'message body title description desc notes note comment subject summary'.split(' '),
);

/** Whether the name of a long option says that its value is a message for people: `--title`, `--commit-message`, and not `--no-title`. */
export function isMessageOption(word: string): boolean {
  const parts = word.split('=')[0]?.slice('--'.length).split('-') ?? [];
  return word.startsWith('--') && parts[0] !== 'no' && MESSAGES.has(parts.at(-1) ?? '') && !isTelling(word);
}

/** Programs take the beginning of a long option for it. */
const MIN_ABBREVIATION = 3;

/** `--plug`, but not the common `--strict`. */
const isAbbreviated = (part: string, name: string): boolean => part.startsWith(name) && !part.includes('-');

/** `--no-pager`: a program that is switched off does not start. Nor is a folder used: `--no-cache-dir`. */
const SWITCHED_OFF = /^no-(?:[a-z]+-)?(?:pager|browser|editor|viewer|cache-dir)$/;

/** `--onSuccess`, `--watch.onStart`, `--on-exit`: the value runs then. `--onlyChanged` is none. */
const HOOK =
  /^-+(?:\w+\.)*on(?:-|(?=[A-Z]))[A-Za-z-]*(?:[Ss]uccess|[Ff]ail|[Ee]rror|[Ss]tart|[Ee]nd|[Ee]xit|[Cc]hange|[Cc]omplet|[Ff]inish|[Ss]top|[Bb]uil|[Bb]undle|[Uu]pdate|[Rr]eady|[Dd]one)/;

/** Whether the name of an option that nobody has listed says that it executes, loads, configures or writes. */
export function isTelling(word: string): boolean {
  const written = word.split('=')[0] as string;
  let start = 0;
  while (written[start] === '-') start++;
  const name = written.slice(start).toLowerCase();
  if (written === word && SWITCHED_OFF.test(name)) return false;
  if (HOOK.test(written)) return true;
  if (start === 1 && (name === 'o' || word[1] === 'o')) return true;
  if (
    APP.test(name) ||
    TELLING.some((part) => name.includes(part) || (name.length >= MIN_ABBREVIATION && isAbbreviated(part, name)))
  )
    return true;
  return name
    .split(/[-_.]/)
    .some(
      (part) =>
        TELLING_STARTS.some((each) => part.startsWith(each)) || TELLING_ENDS.some((each) => part.endsWith(each)),
    );
}
