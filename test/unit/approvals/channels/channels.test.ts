/** Checks the channels of policies: webhook, callback and deadline. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { StreamTerminal } from '../../../../shared/approvals/askers/terminal.ts';
import { CallbackApprovalChannel } from '../../../../shared/approvals/channels/callback.ts';
import { DeadlineApprovalChannel } from '../../../../shared/approvals/channels/deadline.ts';
import { StdinApprovalChannel } from '../../../../shared/approvals/channels/stdin.ts';
import { WebhookApprovalChannel } from '../../../../shared/approvals/channels/webhook.ts';
import { InvalidSettingError } from '../../../../shared/domain/errors.ts';
import { webhookSignature } from '../../../../shared/domain/record/webhook-signature.ts';
import { type ApprovalChannel, ApprovalResult } from '../../../../shared/policies/index.ts';
import { anAction, aSpace } from '../../policies/builders.ts';
import { channelContract, proposed, snapshot, space } from './channel.contract.ts';

const ask = (channel: ApprovalChannel) => channel.requestApproval(proposed, space, snapshot);

function terminal(...lines: string[]) {
  const output = new PassThrough();
  return { terminal: new StreamTerminal(Readable.from(lines.map((line) => Buffer.from(line))), output), output };
}

const down = () => Promise.reject(new Error('down'));
const answering = (result: ApprovalResult | 'fails') =>
  new CallbackApprovalChannel(() => (result === 'fails' ? down() : result));

channelContract('callback', (result) => ({
  channel: new CallbackApprovalChannel(() => {
    if (result === 'fails') throw new Error('down');
    return result;
  }),
}));
channelContract('asynchronous callback', (result) => ({
  channel: new CallbackApprovalChannel(async () => (result === 'fails' ? down() : result)),
}));
channelContract('deadline', (result) => ({ channel: new DeadlineApprovalChannel(answering(result), 1000) }));
channelContract('stdin', (result) => {
  const index = result !== 'fails' && result.type === 'substitute' ? space.actions.indexOf(result.action) : 0;
  const line =
    result === 'fails' ? '' : { approved: 'a\n', rejected: 'r\n', substitute: `${index}\n`, timeout: '' }[result.type];
  return { channel: new StdinApprovalChannel(terminal(line).terminal) };
});
channelContract('webhook', async (result) => {
  const server = await webhook(result);
  return { channel: new WebhookApprovalChannel(server.url, { timeout: '5s', secret: 's' }), close: server.close };
});

describe('the webhook channel', () => {
  test('signs what it sends, and sends all of it', async () => {
    const server = await webhook(ApprovalResult.Approved);
    try {
      await ask(
        new WebhookApprovalChannel(server.url, {
          timeout: '5s',
          secret: 's',
          clock: { now: () => 1_700_000_000_000 },
        }),
      );
      const [{ headers, body } = { headers: {}, body: '' }] = server.requests;
      expect(JSON.parse(body)).toEqual({ proposed, action_space: space, snapshot });
      expect(headers['x-countersign-signature']).toBe(webhookSignature('s', 1_700_000_000, body));
    } finally {
      await server.close();
    }
  });

  test.each([
    '',
    '{}',
    '{"decision":"yes"}',
    '{"decision":"substitute","index":9}',
    '{"decision":"approved","decision":"rejected"}',
  ])('takes %j for no answer', async (reply) => {
    const server = await webhook(reply);
    try {
      await expect(ask(new WebhookApprovalChannel(server.url, { timeout: '5s' }))).rejects.toThrow();
    } finally {
      await server.close();
    }
  });

  test('lets its request go when nobody waits any more', async () => {
    const server = await webhook('never');
    const stop = new AbortController();
    try {
      const channel = new WebhookApprovalChannel(server.url, { timeout: '5s' });
      const answer = channel.requestApproval(proposed, space, snapshot, stop.signal);
      stop.abort();
      await expect(answer).rejects.toThrow();
    } finally {
      await server.close();
    }
  });

  test('times out where nobody answers', async () => {
    const server = await webhook('never');
    try {
      const channel = new WebhookApprovalChannel(server.url, { timeout: 30 });
      expect(await ask(channel)).toEqual({ type: 'timeout' });
    } finally {
      await server.close();
    }
  });

  test('refuses an address or a time that is none', () => {
    expect(() => new WebhookApprovalChannel('ftp://x', { timeout: 1 })).toThrow(InvalidSettingError);
    expect(() => new WebhookApprovalChannel('https://x.test', { timeout: 0 })).toThrow(InvalidSettingError);
    expect(() => new WebhookApprovalChannel('https://x.test', { timeout: 1, secret: '' })).toThrow(InvalidSettingError);
  });
});

/** A receiver on loopback; a text is its answer, `never` none. */
async function webhook(result: ApprovalResult | string) {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    if (result === 'never') return;
    if (result === 'fails') response.writeHead(500).end();
    else response.end(typeof result === 'string' ? result : JSON.stringify(wireOf(result)));
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

const wireOf = (result: ApprovalResult) =>
  result.type === 'substitute'
    ? { decision: 'substitute', index: space.actions.indexOf(result.action) }
    : { decision: result.type };

describe('the callback channel', () => {
  test('hands over what was asked', async () => {
    const callback = vi.fn(() => ApprovalResult.Approved);
    await ask(new CallbackApprovalChannel(callback));
    expect(callback.mock.calls).toEqual([[proposed, space, snapshot]]);
  });

  test('fails as a promise, also when the function throws at once', async () => {
    const channel = new CallbackApprovalChannel(() => {
      throw new Error('down');
    });
    await expect(ask(channel)).rejects.toThrow('down');
  });
});

describe('the deadline channel (R0-039)', () => {
  const silent = new CallbackApprovalChannel(() => new Promise(() => {}));

  test('times out when nobody answers', async () => {
    vi.useFakeTimers();
    try {
      const answer = ask(new DeadlineApprovalChannel(silent, 50));
      await vi.advanceTimersByTimeAsync(49);
      expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting');
      await vi.advanceTimersByTimeAsync(1);
      expect(await answer).toEqual({ type: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('stops its timer when somebody answers or fails', async () => {
    const stopped = vi.fn();
    const timer = () => stopped;
    await ask(new DeadlineApprovalChannel(new CallbackApprovalChannel(() => ApprovalResult.Approved), 50, timer));
    const failing = new CallbackApprovalChannel(() => Promise.reject(new Error('down')));
    await expect(ask(new DeadlineApprovalChannel(failing, 50, timer))).rejects.toThrow('down');
    expect(stopped).toHaveBeenCalledTimes(2);
  });

  test('tells the inner channel that nobody waits any more; what it waits for itself is told too', async () => {
    const seen: (AbortSignal | undefined)[] = [];
    const listening = new CallbackApprovalChannel((_proposed, _space, _snapshot, signal) => {
      seen.push(signal);
      return new Promise(() => {});
    });
    let fire = () => {};
    const timer = (callback: () => void) => {
      fire = callback;
      return () => {};
    };
    const answer = ask(new DeadlineApprovalChannel(listening, 50, timer));
    expect(seen[0]?.aborted).toBe(false);
    fire();
    expect(await answer).toEqual({ type: 'timeout' });
    expect(seen[0]?.aborted).toBe(true);
    const outer = new AbortController();
    void new DeadlineApprovalChannel(listening, 50, timer).requestApproval(proposed, space, snapshot, outer.signal);
    outer.abort();
    expect(seen[1]?.aborted).toBe(true);
  });

  test('refuses a wait that a timer would cut to nothing', () => {
    for (const wait of [2 ** 31, -1, Number.NaN])
      expect(() => new DeadlineApprovalChannel(silent, wait)).toThrow(InvalidSettingError);
  });
});

describe('the stdin channel', () => {
  test.each([
    ['a\n', ApprovalResult.Approved],
    ['approve\r\n', ApprovalResult.Approved],
    ['  APPROVE ', ApprovalResult.Approved],
    ['R\n', ApprovalResult.Rejected],
    ['reject\n', ApprovalResult.Rejected],
    ['0\n', ApprovalResult.Substitute(proposed)],
    ['3\n', ApprovalResult.Rejected],
    ['-1\n', ApprovalResult.Rejected],
    ['1.0\n', ApprovalResult.Rejected],
    ['1e0\n', ApprovalResult.Rejected],
    ['0x1\n', ApprovalResult.Rejected],
    ['9'.repeat(400), ApprovalResult.Rejected],
    ['approved\n', ApprovalResult.Rejected],
    ['\n', ApprovalResult.Rejected],
    ['', ApprovalResult.Rejected],
  ])('reads %j (R0-044 … R0-050)', async (line, expected) => {
    expect(await ask(new StdinApprovalChannel(terminal(line).terminal))).toEqual(expected);
  });

  test('a read error is a refusal', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('gone'));
      },
    });
    expect(await ask(new StdinApprovalChannel(new StreamTerminal(broken, new PassThrough())))).toEqual({
      type: 'rejected',
    });
  });

  test('prints the proposal and its alternatives (R0-052)', async () => {
    const detailed = anAction('release', {
      enabling_verdicts: [
        { verdict_type: 'delivered', payload: 1, producing_rule: 'r', stratum: 0 },
        { verdict_type: 'paid', payload: 1, producing_rule: 'r', stratum: 0 },
      ],
      affected_entities: [
        { entity_id: 'Escrow', current_state: 'held', possible_transitions: ['released', 'refunded'] },
      ],
    });
    const { terminal: one, output } = terminal('a\n');
    await new StdinApprovalChannel(one).requestApproval(detailed, aSpace('x', detailed, 'y'), snapshot);
    expect(String(output.read())).toBe(
      [
        'Proposed action: execute flow "release"',
        '  Persona: ops',
        '  Enabling verdicts: [delivered, paid]',
        '  Entity Escrow: held -> [released, refunded]',
        'Alternatives:',
        '  [0] x',
        '  [2] y',
        '[a]pprove / [r]eject / [N] select alternative? ',
      ].join('\n'),
    );
  });

  test('prints the instances that an action is about, and how it begins: they run as well (G22)', async () => {
    const of = (id: string) => ({ entry_operation_id: 'begin', instance_bindings: { Account: [id, '\u001b[2J'] } });
    const proposed = anAction('close', of('a-1'));
    const space = aSpace(proposed, anAction('freeze', of('a-2')));
    const { terminal: one, output } = terminal('a\n');
    await new StdinApprovalChannel(one).requestApproval(proposed, space, snapshot);
    const text = String(output.read());
    expect(text).toContain('\n  Entry operation: begin\n  Instances: {"Account": ["a-1", "\\u001b[2J"]}\n');
    expect(text).toContain('\n  [1] freeze {"Account": ["a-2", "\\u001b[2J"]}\n');
  });

  test('an action alone has no alternatives; control characters reach no terminal', async () => {
    const odd = anAction('a\u001b[2J\u202e\n');
    const { terminal: one, output } = terminal('a\n');
    await new StdinApprovalChannel(one).requestApproval(odd, aSpace(odd), snapshot);
    const text = String(output.read());
    expect(text).not.toContain('Alternatives');
    expect(text).toContain('"a\\u{001b}[2J\\u{202e}\\u{000a}"');
  });

  test('piped lines answer one question each', async () => {
    const channel = new StdinApprovalChannel(terminal('a\nr\n1\n').terminal);
    const answers = [await ask(channel), await ask(channel), await ask(channel), await ask(channel)];
    expect(answers.map(({ type }) => type)).toEqual(['approved', 'rejected', 'substitute', 'rejected']);
  });

  test('between questions the input is paused, so that the program may end', async () => {
    const keyboard = new PassThrough();
    const answer = ask(new StdinApprovalChannel(new StreamTerminal(keyboard, new PassThrough())));
    keyboard.write('a\n');
    expect(await answer).toEqual({ type: 'approved' });
    expect(keyboard.isPaused()).toBe(true);
  });

  test('a line that was typed too late answers no later question', async () => {
    const held: string[] = [];
    const keyboard = Object.assign(new PassThrough(), {
      isTTY: true,
      ref: () => held.push('ref'),
      unref: () => held.push('unref'),
    });
    const stdin = new StdinApprovalChannel(new StreamTerminal(keyboard, new PassThrough()));
    let fire = () => {};
    const channel = new DeadlineApprovalChannel(stdin, 1000, (callback) => {
      fire = callback;
      return () => {};
    });
    const first = ask(channel);
    fire();
    expect(await first).toEqual({ type: 'timeout' });
    // A program that asks nothing more may end.
    expect(held).toEqual(['ref', 'unref']);
    keyboard.write('a\na\n');
    await new Promise(setImmediate);
    const second = ask(channel);
    keyboard.write('r\n');
    expect(await second).toEqual({ type: 'rejected' });
  });
});
