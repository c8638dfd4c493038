/** Reads the whole answer of a language model as one JSON value. */
import { type ReadJson, readIJson } from '../domain/raw-json.ts';

const BLANKS_AROUND = /^[ \t\r\n]+|[ \t\r\n]+$/g;
/** One closed fence around the whole answer, as models write it by habit. */
const FENCED = /^```(?:json)?[ \t]*\r?\n([\s\S]*)\r?\n[ \t]*```$/i;

/** Not by JSON.parse: an answer that says a thing twice is none. With any text around the value it is none either. */
export function readJsonAnswer(text: string): ReadJson {
  const whole = text.replace(BLANKS_AROUND, '');
  return readIJson(FENCED.exec(whole)?.[1] ?? whole);
}
