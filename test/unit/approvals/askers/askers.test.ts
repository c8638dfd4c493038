/** Checks the askers that the library has: console, webhook and queue. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { callbackAsker } from '../../../../shared/approvals/askers/callback.ts';
import { consoleAsker } from '../../../../shared/approvals/askers/console.ts';
import { queued } from '../../../../shared/approvals/askers/queued.ts';
import { StreamTerminal, type Terminal } from '../../../../shared/approvals/askers/terminal.ts';
import { webhookAsker } from '../../../../shared/approvals/askers/webhook.ts';
import { webSocketAsker } from '../../../../shared/approvals/askers/websocket.ts';
import { InvalidSettingError } from '../../../../shared/domain/errors.ts';
import { webhookSignature } from '../../../../shared/domain/record/webhook-signature.ts';
import type { Answer, Asker } from '../../../../shared/ports/asker.ts';
import { withDeadline, withDeadlineBy } from '../../../../shared/ports/with-deadline.ts';
import { askerContract, callQuestion, choiceQuestion } from './asker.contract.ts';

const never = new AbortController().signal;
const down = () => Promise.reject(new Error('down'));
const answering = (answer: Answer | 'fails'): Asker => callbackAsker(() => (answer === 'fails' ? down() : answer));

askerContract('callback', (answer) => ({ ask: answering(answer) }));
askerContract('queued', (answer) => ({ ask: queued(answering(answer)) }));
askerContract('deadline', (answer) => ({ ask: withDeadline(answering(answer), '1s') }));
askerContract('console', (answer) => ({ ask: consoleAsker({ terminal: terminalFor(answer) }) }));
askerContract('webhook', async (answer) => {
  const server = await receiver(answer === 'fails' ? 500 : JSON.stringify(answer));
  return { ask: webhookAsker(server.url, { timeout: '5s', secret: 's' }), close: server.close };
});
askerContract('WebSocket', async (answer) => {
  const people = await webSocketAsker('127.0.0.1:0', { timeout: '5s' });
  if (answer !== 'fails') await connected(people.port, people.token, () => answer);
  await expect.poll(() => people.clients).toBe(answer === 'fails' ? 0 : 1);
  return { ask: people.ask, close: () => people.close() };
});

test('every asker rejects with the reason of an abort, and says that nobody answered by its own time alone', async () => {
  await using people = await webSocketAsker('127.0.0.1:0', { timeout: 50 });
  const hangs: Asker = () => new Promise<Answer>(() => {});
  await connected(people.port, people.token, () => ({ unclear: true }));
  await expect.poll(() => people.clients).toBe(1);
  const terminal: Terminal = {
    write: () => undefined,
    readLine: (signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null))),
  };
  for (const ask of [people.ask, consoleAsker({ terminal }), queued(hangs)]) {
    const stop = new AbortController();
    const asked = ask(callQuestion, { signal: stop.signal });
    stop.abort(new Error('not needed any more'));
    await expect(asked).rejects.toThrow('not needed any more');
  }
  // The question is free again, and silent after its time.
  expect(await people.ask(callQuestion, { signal: never })).toEqual({ type: 'silent' });
});

/** A terminal whose person types the line that stands for this answer; `fails`: its input breaks. */
function terminalFor(answer: Answer | 'fails'): Terminal {
  let shown = '';
  return {
    write: (prompt) => {
      shown += prompt;
    },
    readLine: async () => {
      if (answer === 'fails') throw new Error('down');
      if (answer.type === 'approved') return shown.endsWith('(y/n): ') ? 'y' : 'a';
      if (answer.type === 'chose') return String(answer.index);
      return answer.type === 'rejected' ? (answer.reason ?? 'r') : null;
    },
  };
}

/** A client that showed the token and gives each question this answer. */
async function connected(port: number, token: string, answer: () => object): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, 'open');
  socket.on('message', (data) => {
    const { request_id } = JSON.parse(String(data)) as { request_id: string };
    socket.send(JSON.stringify({ request_id, ...answer() }));
  });
  socket.send(JSON.stringify({ token }));
  return socket;
}

/** A receiver on loopback; a number is the status of an answer without a body, `never` is no answer. */
async function receiver(reply: string | number) {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    if (reply === 'never') return;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else response.end(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the console asker', () => {
  const asking = async (line: string, question: Parameters<Asker>[0]) => {
    const output = new PassThrough();
    const terminal = new StreamTerminal(Readable.from([Buffer.from(line)]), output);
    const answer = await consoleAsker({ terminal })(question, { signal: never });
    return { answer, shown: String(output.read()) };
  };

  test('shows why somebody has to answer', async () => {
    const { shown } = await asking('y\n', { ...callQuestion, reason: 'The rule Bash(make:*) asks.' });
    expect(shown).toContain('   Why: The rule Bash(make:*) asks.\n   Approve? (y/n): ');
  });

  test('reads the end of the input as a refusal, and for a text as silence', async () => {
    expect((await asking('', callQuestion)).answer).toEqual({ type: 'rejected' });
    expect((await asking('', choiceQuestion)).answer).toEqual({ type: 'rejected' });
    expect((await asking('', { kind: 'text', id: 'q', title: 'Which host?' })).answer).toEqual({ type: 'silent' });
  });
});

test('a WebSocket client that connects again is asked again what is still open', async () => {
  await using people = await webSocketAsker('127.0.0.1:0', { timeout: '5s' });
  const first = new WebSocket(`ws://127.0.0.1:${people.port}`);
  await once(first, 'open');
  first.send(JSON.stringify({ token: people.token }));
  await expect.poll(() => people.clients).toBe(1);
  const asked = people.ask(callQuestion, { signal: never });
  await once(first, 'message');
  first.terminate();
  await expect.poll(() => people.clients).toBe(0);
  await connected(people.port, people.token, () => ({ type: 'approved', by: 'alice' }));
  expect(await asked).toEqual({ type: 'approved', by: 'alice' });
});

describe('the webhook asker', () => {
  test('signs what it sends, and sends the question as it is', async () => {
    const server = await receiver('{"type":"approved","by":"alice","input":{"command":"make test"}}');
    try {
      const clock = { now: () => 1_700_000_000_000 };
      const ask = webhookAsker(server.url, { timeout: '5s', secret: 's', clock });
      const answer = await ask(callQuestion, { signal: never });
      expect(answer).toEqual({ type: 'approved', by: 'alice', input: { command: 'make test' } });
      const [{ headers, body } = { headers: {}, body: '' }] = server.requests;
      expect(JSON.parse(body)).toEqual(callQuestion);
      expect(headers['x-countersign-signature']).toBe(webhookSignature('s', 1_700_000_000, body));
    } finally {
      await server.close();
    }
  });

  test.each([
    '',
    '{}',
    'approved',
    '{"type":"yes"}',
    '{"decision":"approved"}',
    '{"type":"approved","type":"rejected"}',
    '{"type":"approved","id":"another"}',
    '{"type":"approved","id":null}',
  ])('takes %j for no answer', async (reply) => {
    const server = await receiver(reply);
    try {
      const asked = webhookAsker(server.url, { timeout: '5s' })(callQuestion, { signal: never });
      await expect(asked).rejects.toMatchObject({ code: 'webhook_answer' });
    } finally {
      await server.close();
    }
  });

  test('is silent after its time-out, and rejects with the reason of an abort', async () => {
    const server = await receiver('never');
    try {
      const ask = webhookAsker(server.url, { timeout: 30 });
      expect(await ask(callQuestion, { signal: never })).toEqual({ type: 'silent' });
      const stop = new AbortController();
      const asked = webhookAsker(server.url, { timeout: '5s' })(callQuestion, { signal: stop.signal });
      stop.abort(new Error('not needed any more'));
      await expect(asked).rejects.toThrow('not needed any more');
    } finally {
      await server.close();
    }
  });

  test.each([
    ['url', 'ftp://x', { timeout: 1 }],
    ['url', 'no address', { timeout: 1 }],
    ['timeout', 'https://x.test', { timeout: 0 }],
    ['timeout', 'https://x.test', { timeout: Number.NaN }],
    ['timeout', 'https://x.test', { timeout: '3 minutes' as '3m' }],
    ['secret', 'https://x.test', { timeout: 1, secret: '' }],
    ['secret', 'https://x.test', { timeout: 1, secret: ' ' }],
    ['secret', 'https://x.test', { timeout: 1, secret: 'whsec_=' }],
  ])('names the setting %s that is wrong', (setting, url, options) => {
    expect(() => webhookAsker(url, options)).toThrow(expect.objectContaining({ name: 'InvalidSettingError', setting }));
  });
});

describe('the queued asker', () => {
  test('asks one question at a time, in their order, also after one that failed', async () => {
    const asked: string[] = [];
    const open: ((answer: Answer | Error) => void)[] = [];
    const ask = queued(({ id }) => {
      asked.push(id);
      return new Promise((resolve, reject) => {
        open.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    });
    const answers = ['a', 'b', 'c'].map((id) => ask({ ...callQuestion, id }, { signal: never }));
    for (const answer of answers) answer.catch(() => {});
    await vi.waitFor(() => expect(asked).toEqual(['a']));
    open[0]?.(new Error('down'));
    await expect(answers[0]).rejects.toThrow('down');
    await vi.waitFor(() => expect(asked).toEqual(['a', 'b']));
    open[1]?.({ type: 'approved' });
    await vi.waitFor(() => expect(asked).toEqual(['a', 'b', 'c']));
  });

  test('goes on with the next question when nobody waits for the one that is asked', async () => {
    const asked: string[] = [];
    const ask = queued(({ id }) => {
      asked.push(id);
      return id === 'a' ? new Promise<Answer>(() => {}) : Promise.resolve({ type: 'approved' });
    });
    const stop = new AbortController();
    const first = ask({ ...callQuestion, id: 'a' }, { signal: stop.signal });
    const second = ask({ ...callQuestion, id: 'b' }, { signal: never });
    await vi.waitFor(() => expect(asked).toEqual(['a']));
    stop.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await second).toEqual({ type: 'approved' });
  });

  test('never asks a question that nobody waits for any more', async () => {
    const inner = vi.fn<Asker>(async () => ({ type: 'approved' }));
    const asked = queued(inner)(callQuestion, { signal: AbortSignal.abort(new Error('gone')) });
    await expect(asked).rejects.toThrow('gone');
    expect(inner).not.toHaveBeenCalled();
  });
});

describe('the deadline', () => {
  test('is silent once the time is over, and tells the asker to let go', async () => {
    let fire = () => {};
    let seen: AbortSignal | undefined;
    const timer = (_ms: number, work: () => void) => {
      fire = work;
      return () => {};
    };
    const inner: Asker = (_question, { signal }) => {
      seen = signal;
      return new Promise(() => {});
    };
    const asked = withDeadlineBy(timer, inner, '3m')(callQuestion, { signal: never });
    fire();
    expect(await asked).toEqual({ type: 'silent' });
    expect(seen?.aborted).toBe(true);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, 'soon' as '1s'])('refuses the wait %s', (wait) => {
    expect(() => withDeadline(answering({ type: 'approved' }), wait)).toThrow(InvalidSettingError);
  });
});
