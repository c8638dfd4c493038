/** Tells of changed arguments beside the output of an OpenAI tool: images stay images. */
import { withChange } from '../running/change.ts';

const PARTS: readonly unknown[] = ['text', 'image', 'file'];

/** The SDK hands on images and files alone or in a list of such parts. Within any other value they would be text. */
export function toldOutput(output: unknown, change: string | undefined): unknown {
  if (change === undefined) return output;
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output];
  const isStructured = parts.length > 0 && parts.every((part) => PARTS.includes(Object(part).type));
  return isStructured ? [...parts, { type: 'text', text: change }] : withChange(output, change);
}
