/** Reads the messages of an MCP program, and makes an error of an answer that is none or too long. */
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ErrorCode, type JSONRPCMessage, RequestIdSchema } from '@modelcontextprotocol/sdk/types.js';
import { tooLarge } from './output.ts';

const NO_ANSWER = 'the answer of the server is neither a result nor an error';

const failed = (id: string | number, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.InternalError, message },
});

/** Bytes of each end of a line that is too long: its id stands before the result, or behind it. */
const END_BYTES = 1_000;
const ID_BEFORE = /^\s*\{[^{[]*"id"\s*:\s*(\d+)\s*,/;
const ID_BEHIND = /"id"\s*:\s*(\d+)[^{}[\]]*\}\s*$/;
const METHOD_BEFORE = /^\s*\{[^{[]*"method"\s*:/;

export class ProgramAnswers extends ReadBuffer {
  readonly #maxBytes: number;
  /** Both ends of the line that passes by, which is too long to keep. */
  #passing: { readonly start: string; end: Buffer } | undefined;
  readonly #tooLong: JSONRPCMessage[] = [];

  constructor(maxBytes: number) {
    super({ maxBufferSize: Number.POSITIVE_INFINITY });
    this.#maxBytes = maxBytes;
  }

  /** The SDK would end the program, with all that it does for other calls. @throws Error for a long line that answers nothing */
  override append(chunk: Buffer): void {
    const kept: Buffer = this['_buffer'] ?? Buffer.alloc(0);
    const lineEnd = chunk.indexOf('\n');
    const ofLine = lineEnd < 0 ? chunk : chunk.subarray(0, lineEnd);
    if (!this.#passing) {
      // Whole lines are read before the next chunk comes: the buffer holds the beginning of one.
      if (kept.length + ofLine.length <= this.#maxBytes) {
        super.append(chunk);
        return;
      }
      this.#passing = { start: Buffer.concat([kept, ofLine]).toString('latin1', 0, END_BYTES), end: kept };
      this.clear();
    }
    this.#passing.end = Buffer.concat([this.#passing.end, ofLine]).subarray(-END_BYTES);
    if (lineEnd < 0) return;
    const { start, end } = this.#passing;
    this.#passing = undefined;
    const id = METHOD_BEFORE.test(start)
      ? undefined
      : (ID_BEFORE.exec(start) ?? ID_BEHIND.exec(end.toString('latin1')));
    if (!id) throw tooLarge(this.#maxBytes);
    this.#tooLong.push(failed(Number(id[1]), tooLarge(this.#maxBytes).message));
    super.append(chunk.subarray(lineEnd + 1));
  }

  /** The SDK passes over a line that is no message: the request that an answer such as `result: null` is for would wait for ever. */
  override readMessage(): JSONRPCMessage | null {
    const tooLong = this.#tooLong.shift();
    if (tooLong) return tooLong;
    const text: Buffer | undefined = this['_buffer'];
    try {
      return super.readMessage();
    } catch (error) {
      const id = answeredBy(text?.toString('utf8', 0, text.indexOf('\n')) ?? '');
      if (id === undefined) throw error;
      return failed(id, NO_ANSWER);
    }
  }
}

/** The id of the request that the line answers. Programs print other lines as well. @throws SyntaxError for no JSON */
function answeredBy(line: string): string | number | undefined {
  const { jsonrpc, id, method } = Object(JSON.parse(line)) as Readonly<Record<string, unknown>>;
  return jsonrpc === '2.0' && method === undefined ? RequestIdSchema.safeParse(id).data : undefined;
}
