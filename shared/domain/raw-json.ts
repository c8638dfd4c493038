/** Refuses JSON texts that JSON.parse would silently repair (RFC 7493). */
import { createScanner, parse } from 'jsonc-parser';
import { LIMITS } from '../contract/bounds.ts';
import { type Fault, fault } from './errors.ts';
import { TOO_DEEP } from './json-form.ts';

/** The scanner's token kinds: its own `SyntaxKind` is a const enum, which is gone at run time. */
const SyntaxKind = {
  OpenBraceToken: 1,
  CloseBraceToken: 2,
  OpenBracketToken: 3,
  CloseBracketToken: 4,
  CommaToken: 5,
  ColonToken: 6,
  StringLiteral: 10,
  NumericLiteral: 11,
  EOF: 17,
} as const;

interface Frame {
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
  awaitsKey: boolean;
}

const FORBIDDEN_KEY = '__proto__';
/** Harmless as names of scalars, dangerous as names of objects. */
const PROTOTYPE_KEYS = new Set(['constructor', 'prototype']);

export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: Fault };

/** Parses `text` if it is I-JSON within the limits; otherwise says where and why not. Never throws. */
export function readIJson(text: string, maxBytes: number = LIMITS.messageBytes): ReadJson {
  if (Buffer.byteLength(text) > maxBytes)
    return refuse('too_large', '', `the message has more than ${maxBytes} bytes: shorten it`);
  const problem = scan(text);
  if (problem) return { ok: false, fault: problem };
  try {
    return { ok: true, value: parseJson(text) };
  } catch {
    return refuse('invalid_json', '', 'the message is not JSON');
  }
}

/**
 * The same for a value that is parsed already, as Lambda parses the payload of an invocation: forbidden keys, numbers that no two readers agree on,
 * depth, size. A duplicate key cannot be seen any more. Never throws.
 */
export function readIJsonValue(value: unknown, maxBytes: number = LIMITS.messageBytes): ReadJson {
  try {
    const text: string | undefined = JSON.stringify(value, asWritten);
    return text === undefined ? refuse('invalid_json', '', 'the message is not JSON') : readIJson(text, maxBytes);
  } catch {
    // The stack's own end, or what no JSON text can have been.
    return refuse('too_deep', '', `the message ${TOO_DEEP}`);
  }
}

/** A number too large to be one is parsed as infinite: written out it would be `null`. */
const asWritten = (_: string, value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    ? Math.sign(value) * Number.MAX_VALUE
    : value;

/**
 * The value of a JSON text, for all that is shown to people or compared by digest.
 *
 * V8 13.6 (Node 24) may misread a key that is one escape: after it has read `{"":0,"\\":1}`, it reads the key of `{"":0,"\t":1}` as a backslash.
 * A text in which no string begins with an escape cannot be misread.
 * @throws SyntaxError if it is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('"\\') ? parse(text) : value;
}

/**
 * The values of `key` in the outermost object of a text that need not be JSON: each as its text, or undefined for what is no whole string.
 * Never throws.
 */
export function topLevelTexts(text: string, key: string): (string | undefined)[] {
  if (!text.trimStart().startsWith('{')) return [];
  const scanner = createScanner(text, true);
  const texts: (string | undefined)[] = [];
  let depth = 0;
  let previous = '';
  for (let token: number = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    const isWhole = token === SyntaxKind.StringLiteral && scanner.getTokenError() === 0;
    if (depth === 1 && previous === 'colon') texts.push(isWhole ? scanner.getTokenValue() : undefined);
    if (token === SyntaxKind.OpenBraceToken || token === SyntaxKind.OpenBracketToken) depth += 1;
    if (token === SyntaxKind.CloseBraceToken || token === SyntaxKind.CloseBracketToken) depth -= 1;
    const isKey = depth === 1 && isWhole && previous !== 'colon' && scanner.getTokenValue() === key;
    previous = isKey ? 'key' : previous === 'key' && token === SyntaxKind.ColonToken ? 'colon' : '';
  }
  return texts;
}

const refuse = (code: string, field: string, problem: string): ReadJson => ({
  ok: false,
  fault: fault(code, field, problem),
});

function scan(text: string): Fault | undefined {
  const scanner = createScanner(text, true);
  const frames: Frame[] = [];
  for (let token: number = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    const top = frames.at(-1);
    switch (token) {
      case SyntaxKind.OpenBraceToken:
      case SyntaxKind.OpenBracketToken: {
        const problem = opened(token === SyntaxKind.OpenBraceToken, frames);
        if (problem) return problem;
        break;
      }
      case SyntaxKind.CloseBraceToken:
      case SyntaxKind.CloseBracketToken:
        frames.pop();
        break;
      case SyntaxKind.CommaToken:
        if (top?.keys) top.awaitsKey = true;
        else if (top) top.index += 1;
        break;
      case SyntaxKind.StringLiteral: {
        const problem = readText(scanner.getTokenValue(), frames);
        if (problem) return problem;
        break;
      }
      case SyntaxKind.NumericLiteral: {
        const number = Number(scanner.getTokenValue());
        if (Math.abs(number) > Number.MAX_SAFE_INTEGER) {
          return fault(
            'unsafe_number',
            path(frames),
            'is a number outside the range that JSON readers agree on (±(2^53 − 1))',
          );
        }
        break;
      }
      default:
        break;
    }
  }
  return undefined;
}

/** An object or an array begins. */
function opened(isObject: boolean, frames: Frame[]): Fault | undefined {
  const top = frames.at(-1);
  if (isObject && top?.keys && PROTOTYPE_KEYS.has(top.key)) return forbidden(frames);
  if (frames.length >= LIMITS.depth) {
    return fault('too_deep', path(frames.slice(0, 4)), TOO_DEEP);
  }
  frames.push({ keys: isObject ? new Set() : undefined, key: '', index: 0, awaitsKey: isObject });
  return undefined;
}

/** A string, which may be a key. */
function readText(value: string, frames: readonly Frame[]): Fault | undefined {
  if (!value.isWellFormed()) return fault('lone_surrogate', path(frames), 'holds half of a surrogate pair');
  const top = frames.at(-1);
  if (!top?.keys || !top.awaitsKey) return undefined;
  if (top.keys.has(value))
    return fault('duplicate_key', path(frames.slice(0, -1), value), 'the key stands there twice');
  top.keys.add(value);
  top.key = value;
  top.awaitsKey = false;
  return value === FORBIDDEN_KEY ? forbidden(frames) : undefined;
}

const forbidden = (frames: readonly Frame[]): Fault => fault('forbidden_key', path(frames), 'this key is not allowed');

/** The place of the value that is being read, with keys shortened so that a hostile one does not fill the answer. */
function path(frames: readonly Frame[], last?: string): string {
  const parts = frames.map((frame) => (frame.keys ? `.${printable(frame.key)}` : `[${frame.index}]`));
  if (last !== undefined) parts.push(`.${printable(last)}`);
  return parts.join('').replace(/^\./, '').slice(0, 300);
}

/** A key as messages show it. */
export const printable = (key: string): string => key.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
