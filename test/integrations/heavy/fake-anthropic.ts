/** Plays the Messages API on loopback: the calls of one turn, then the end. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
}

interface Body {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

interface FakeAnthropic {
  readonly url: string;
  /** Results and context that the model was given, by the id of the call. */
  seen(): Readonly<Record<string, string>>;
  close(): void;
}

const textOf = (content: Block['content'] = ''): string =>
  typeof content === 'string'
    ? content
    : content.map(({ text = '', content: inner }) => text || textOf(inner)).join('\n');

/** The calls are made by the first request that offers the tool: titles and the like come without. */
export async function fakeAnthropic(calls: readonly Call[], tool = 'mcp__t__Refund'): Promise<FakeAnthropic> {
  let last: Body | undefined;
  let left = [...calls];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens'))
        return response.writeHead(404).end('{}');
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      const offers = body.tools?.some(({ name }) => name === tool) === true;
      if (offers) last = body;
      const now = offers ? left : [];
      if (offers) left = [];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(now)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => seenIn(last),
    close: () => void server.close(),
  };
}

function* eventsOf(calls: readonly Call[]): Iterable<{ readonly type: string; readonly [field: string]: unknown }> {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'fake',
    content: [],
    stop_reason: null,
    usage,
  };
  yield { type: 'message_start', message };
  const blocks = calls.length ? calls : [undefined];
  for (const [index, call] of blocks.entries()) {
    const block = call ? { type: 'tool_use', id: call.id, name: call.name, input: {} } : { type: 'text', text: '' };
    yield { type: 'content_block_start', index, content_block: block };
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
      : { type: 'text_delta', text: 'done' };
    yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason: calls.length ? 'tool_use' : 'end_turn' }, usage };
  yield { type: 'message_stop' };
}

function seenIn(body: Body | undefined): Record<string, string> {
  const blocks = (body?.messages ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
  // The sentence about an edit stands in the context beside the result.
  const context = blocks.flatMap(({ text = '' }) => /This call ran with .*proposed\./.exec(text) ?? []).join('\n');
  const results = blocks.flatMap(({ type, tool_use_id: id, content }) =>
    type === 'tool_result' && id ? [[id, textOf(content)] as const] : [],
  );
  return Object.fromEntries(
    results.map(([id, text]) => [id, context && id === 'call_50' ? `${text}\n${context}` : text]),
  );
}
