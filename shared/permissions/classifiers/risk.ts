/** Collects plain facts about a call's risk for a classifier, and decides nothing. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { type CommandMatching, commandsOf } from '../matching/command-matching.ts';
import { fixedSegments } from '../paths/normalise.ts';
import { baseName } from '../text/base-name.ts';
import type { RiskContext } from './context.ts';

/** Parts of names that people give to what should not be read by others. */
const SENSITIVE = [
  'secret',
  'credential',
  'password',
  'passwd',
  'token',
  'private',
  '.pem',
  '.key',
  'id_rsa',
  'id_ed25519',
];
/** The catalogue names what deletes files; these destroy something else. */
const DESTRUCTIVE: ReadonlySet<string> = new Set(
  'truncate dd mkfs fdisk wipefs kill pkill killall shutdown reboot drop dropdb'.split(' '),
);

function isDestructive(text: string, deletes: CommandMatching['deletes']): boolean {
  const name = baseName(text.split(' ')[0] ?? '');
  return DESTRUCTIVE.has(name) || deletes(name);
}

/** How often the call came before is the session's to know. */
export function riskOfCall(prepared: PreparedCall): Omit<RiskContext, 'repetitionCount'> {
  const { paths: named, shell, call } = prepared;
  const paths = named.flatMap(({ path }) => path.folded);
  const rootDepth = fixedSegments(call.projectRoot).length;
  const commands = [...(shell?.commands ?? []), ...(shell?.unwrapped ?? [])];
  return {
    hasSensitiveFiles: paths.some((segments) => segments.some((name) => SENSITIVE.some((part) => name.includes(part)))),
    isDestructive: commands.some(({ argv }) => isDestructive(argv[0]?.text ?? '', commandsOf(prepared).deletes)),
    directoryDepth: Math.max(0, ...paths.map((segments) => segments.length - rootDepth - 1)),
  };
}
