/** Reads the messages of an MCP program, and makes an error of an answer that is none. */
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ErrorCode, type JSONRPCMessage, RequestIdSchema } from '@modelcontextprotocol/sdk/types.js';

const NO_ANSWER = 'the answer of the server is neither a result nor an error';

/** The SDK passes over a line that is no message: the request that an answer such as `result: null` is for would wait for ever. */
export class ProgramAnswers extends ReadBuffer {
  override readMessage(): JSONRPCMessage | null {
    const text: Buffer | undefined = this['_buffer'];
    try {
      return super.readMessage();
    } catch (error) {
      const id = answeredBy(text?.toString('utf8', 0, text.indexOf('\n')) ?? '');
      if (id === undefined) throw error;
      return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message: NO_ANSWER } };
    }
  }
}

/** The id of the request that the line answers. Programs print other lines as well. @throws SyntaxError for no JSON */
function answeredBy(line: string): string | number | undefined {
  const { jsonrpc, id, method } = Object(JSON.parse(line)) as Readonly<Record<string, unknown>>;
  return jsonrpc === '2.0' && method === undefined ? RequestIdSchema.safeParse(id).data : undefined;
}
