/** Tells names that go on behind their colon: tags of images, tasks, branches, folders. */
import { nameIn, programOf, wordsRun } from '../readers/command-words.ts';

/** `auth:1.4.2`, `-v ./auth:/auth`: nobody chooses such a secret. */
const VERSION = /^(?:v?[0-9]{1,4}(?:\.[0-9]{1,4}){1,3}(?:-[a-z]{2,10}\.?[0-9]{0,4})?|latest|edge|lts|nightly|stable)$/;
const PATH = /^[.~]{0,2}(?:\/[a-z0-9._-]{1,30}){1,8}\/?(?::[a-z,]{1,8})?$/;
/** Any other value is a part of a name only for the programs below: people choose words, and services letters, for secrets. */
const TASK = /^[a-z]{2,20}(?:[-:][a-z]{1,20}){0,4}$/;
const TAG = /^[\w./-]{1,128}$/;

/** Programs whose first operand is a task, and the words between both. In prose `run` begins no command. */
const TASK_RUNNERS: ReadonlySet<string> = new Set(
  'bun composer deno eas firebase heroku npm npx nx php pnpm rails rake sf sfdx yarn'.split(' '),
);
const BEFORE_TASKS: ReadonlySet<string> = new Set([
  ...TASK_RUNNERS,
  'artisan',
  'console',
  'exec',
  'run',
  'run-script',
  'task',
]);
const REFERENCES: ReadonlySet<string> = new Set('archive checkout diff fetch pull push show'.split(' '));
const IMAGES: ReadonlySet<string> = new Set('pull push rmi tag'.split(' '));
/** `ghcr.io/acme/`, of an image. */
const REGISTRY =
  /^(?:[\w.-]{1,60}=)?[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,6}(?::[0-9]{1,5})?(?:\/[\w.-]{1,100}){1,6}\/$/;

/** `acme/`, of an image that Docker is told; not of a variable's value. */
const OWNED = /^(?:[\w.-]{1,100}\/){1,6}$/;
const TAKES_VALUE = /^(?:-[elpu]|--(?:build-arg|env|label|password|username))$/;

/** Whether the value only goes on with the name before its colon. `before`: the text up to the name. */
export function isJoined(before: string, value: string): boolean {
  if (VERSION.test(value) || PATH.test(value)) return true;
  const words = (before.split(/[;&|\n()]/).at(-1) ?? '').split(/\s/);
  const begun = words.pop() ?? '';
  const given = wordsRun(words.filter(Boolean));
  if (REGISTRY.test(begun)) return TAG.test(value);
  const last = given.at(-1) ?? '';
  const program = programOf(given);
  if (/^(?:docker|podman)$/.test(program) && OWNED.test(begun)) return !TAKES_VALUE.test(last) && TAG.test(value);
  if (last.startsWith('-') && last !== '-f') return false;
  const operands = given.filter((word) => !word.startsWith('-')).map((word) => word.toLowerCase());
  switch (program) {
    case 'git':
      return /^\+?$/.test(begun) && operands.some((word) => REFERENCES.has(word)) && TAG.test(value);
    case 'docker':
    case 'podman':
      return begun === '' && IMAGES.has(operands[1] ?? '') && TAG.test(value);
    case 'bazel':
    case 'bazelisk':
      return begun.startsWith('//') && TAG.test(value);
    case 'gradle':
    case 'gradlew':
      return begun.startsWith(':') && TASK.test(value);
    case 'redis-cli':
    case 'valkey-cli':
      return /[a-z]:$/.test(begun) && /^(?:[0-9]{1,12}|\*)$/.test(value);
    default:
      return begun === '' && startsTask(operands.map(nameIn)) && TASK.test(value);
  }
}

const startsTask = ([program = '', ...words]: readonly string[]): boolean =>
  TASK_RUNNERS.has(program) && words.every((word) => BEFORE_TASKS.has(word));
