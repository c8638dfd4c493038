/**
 * Writes and reads seals: C2SP signed notes (https://c2sp.org/signed-note) that chain the archive.
 * Each has the hash of the seal before and of a list of the new objects, so that nothing sealed can be changed, removed
 * or put elsewhere unnoticed. The list is an object of its own, because KMS signs at most 4,096 bytes.
 */
import type { KeyObject } from 'node:crypto';
import { sha256Hex } from '../digest.ts';
import type { ObjectSummary } from './lines.ts';
import { SealError } from './seal-error.ts';
import { canonicalSignature, isSignedBy, keyIdOf, readSignature } from './seal-key.ts';

export interface Seal {
  readonly deployment: string;
  /** From 0, without gaps. */
  readonly number: number;
  /** Time of the seal, ISO 8601. */
  readonly at: string;
  /** Objects whose names begin with an earlier minute than this are sealed: here, or in a seal before. ISO 8601. */
  readonly until: string;
  /** SHA-256 of the note before, in hex; null for the first. */
  readonly previous: string | null;
  /** SHA-256 of the list of its objects, in hex. */
  readonly list: string;
}

const HEADING = 'countersign seal v1';

/** Name of the signer in notes of a deployment. */
const signerOf = (deployment: string): string => `countersign/${deployment}`;

/** Text of a note without its signature; it ends with a line end. */
export function textOfSeal({ deployment, number, at, until, previous, list }: Seal): string {
  return [
    HEADING,
    `deployment ${deployment}`,
    `number ${number}`,
    `at ${at}`,
    `until ${until}`,
    `previous ${previous ?? '-'}`,
    `list ${list}`,
    '',
  ].join('\n');
}

/** The note: text, an empty line, and one signature line. */
export function noteOf(seal: Seal, signature: Uint8Array, publicKey: KeyObject): string {
  const signer = signerOf(seal.deployment);
  const signed = Buffer.concat([keyIdOf(signer, publicKey), canonicalSignature(publicKey, signature)]).toString(
    'base64',
  );
  return `${textOfSeal(seal)}\n— ${signer} ${signed}\n`;
}

/** The hash by which the next seal names this one as the seal before it. */
export const hashOfNote = (note: string): string => sha256Hex(note);

/** Text of the list of a seal: a line for each object, in the order of their names. */
export const textOfList = (objects: readonly ObjectSummary[]): string =>
  objects.map(({ key, sha256, root, count }) => `${key} ${sha256} ${root} ${count}\n`).join('');

/** @throws SealError at the first line that is none. */
export function readList(text: string): ObjectSummary[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new SealError('the list ends within a line');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [, key = '', sha256 = '', root = '', count = ''] = OBJECT.exec(line) ?? [];
      if (!key) throw new SealError('a line of the list names no object');
      return { key, sha256, root, count: Number(count) };
    });
}

/** Name of the object that holds a list: by its hash. */
export const listName = (list: string): string => `list/${list}`;

/** @throws SealError if the note is no seal of this deployment, signed by this key. */
export function readNote(note: string, deployment: string, publicKey: KeyObject): Seal {
  const signer = signerOf(deployment);
  const end = note.indexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [, name, blob = ''] = /^— (\S+) ([A-Za-z0-9+/]+=*)\n$/.exec(note.slice(end + 2)) ?? [];
  if (end < 0 || name === undefined) throw new SealError('it is no signed note');
  if (name !== signer) throw new SealError('it is signed in the name of another deployment');
  const { keyId, signature } = readSignature(blob);
  if (!keyId.equals(keyIdOf(signer, publicKey))) throw new SealError('it is signed by another key');
  if (!signature.equals(canonicalSignature(publicKey, signature)))
    throw new SealError('its signature is not the one of two that counts');
  if (!isSignedBy(publicKey, text, signature)) throw new SealError('its signature does not fit its text');
  const seal = parseText(text);
  if (seal.deployment !== deployment) throw new SealError('it is a seal of another deployment');
  return seal;
}

const LINE = {
  deployment: /^deployment (\S+)$/,
  number: /^number (0|[1-9]\d{0,14})$/,
  at: /^at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/,
  until: /^until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/,
  previous: /^previous (-|[0-9a-f]{64})$/,
  list: /^list ([0-9a-f]{64})$/,
} as const;
const OBJECT = /^(\S+) ([0-9a-f]{64}) ([0-9a-f]{64}) ([1-9]\d{0,9})$/;

function parseText(text: string): Seal {
  const [heading, deployment, number, at, until, previous, list, ...more] = text.slice(0, -1).split('\n');
  if (heading !== HEADING || more.length) throw new SealError('it is no seal of this version');
  const before = field('previous', previous);
  return {
    deployment: field('deployment', deployment),
    number: Number(field('number', number)),
    at: field('at', at),
    until: field('until', until),
    previous: before === '-' ? null : before,
    list: field('list', list),
  };
}

function field(name: keyof typeof LINE, line: string | undefined): string {
  const [, value] = LINE[name].exec(line ?? '') ?? [];
  if (value === undefined) throw new SealError(`it has no ${name}`);
  return value;
}

/** Name of the object that holds a seal: by its number, so that of two that are written at once one is refused. */
export const sealName = (number: number): string => `seal/${String(number).padStart(12, '0')}`;
